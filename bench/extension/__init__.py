"""What the companion extension costs: a call through it, and the page that could use it."""
