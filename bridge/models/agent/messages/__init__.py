"""Anthropic's Messages API as a provider's protocol: requests out, streams in."""
