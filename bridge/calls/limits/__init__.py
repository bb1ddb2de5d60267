"""Limits on calls and requests (how many, how long, how often), queues, rate limits and circuit breakers."""
