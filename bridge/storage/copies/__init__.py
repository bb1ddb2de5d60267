"""Copies of everything stored: to a file and back, and to another database."""
