"""`tool-bridge run`: saved requests as a test of APIs."""
