"""The bounds of a selection of tools. Imports nothing, so that a command line can name them quickly."""

MODEL_LIMIT = 128
"""Maximum number of tools that a model accepts (OpenAI; other providers accept more)."""

MIN_LIMIT, MAX_LIMIT = 3, 20_000
"""Range of the number of tools offered: the bridge's own must fit, and a document has no more operations."""

MIN_TOKENS, MAX_TOKENS = 1_000, 10_000_000
"""Range of a token budget: the bridge's own tools take about 400."""
