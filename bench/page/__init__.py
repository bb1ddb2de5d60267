"""What the page costs: loading it, and lists of ten thousand lines."""
