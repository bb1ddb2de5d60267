"""Runs of conversations, one model turn each: planned, executed, recorded, streamed, stopped and resumed."""
