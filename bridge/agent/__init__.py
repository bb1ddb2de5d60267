"""The model loop: a turn of a model, the calls it asks for, and what the client is told; no I/O."""
