"""The model loop: a model's turn, its tool calls and the events that a client sees; does no I/O itself."""
