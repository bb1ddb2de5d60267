"""Saved requests: their file format, what is expected of their answers, and the reports of a run. Pure."""
