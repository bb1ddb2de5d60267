"""Chat Completions, from both sides: requests of clients, and streams of providers."""
