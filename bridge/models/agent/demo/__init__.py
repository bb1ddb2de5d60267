"""A demo model that needs no provider: it runs the tool calls that the user's message spells out."""
