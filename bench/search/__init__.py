"""Questions with the operations that answer them, and how many of these a search finds."""
