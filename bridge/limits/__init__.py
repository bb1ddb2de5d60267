"""How much and how fast: limits, queues, token buckets, circuit breakers."""
