"""The commands of `tool-bridge`, one file each kind."""
