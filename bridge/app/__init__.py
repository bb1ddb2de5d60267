"""A running bridge: its parts put together, and served over HTTP."""
