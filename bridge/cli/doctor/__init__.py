"""`tool-bridge doctor`: the command, its checks, and what they find."""
