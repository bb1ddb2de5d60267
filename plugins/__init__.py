"""Pieces of Direct Tool Bridge that run inside other programs."""
