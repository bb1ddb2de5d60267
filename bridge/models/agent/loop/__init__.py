"""A turn from its first round to its end: rounds, limits, sub-queries, and waiting for a caller's tools."""
