"""The bridge's own API, for its page and its commands."""
