"""The composition of a running bridge, and its HTTP server."""
