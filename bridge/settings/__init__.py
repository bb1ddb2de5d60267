"""What an operator sets, and facts that stand beside it."""
