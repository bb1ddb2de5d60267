"""Finds operations by what is asked for: indexes that users share, and rankings that are fused."""
