"""Chat Completions in both directions: requests of clients are parsed, and streams of providers decoded."""
