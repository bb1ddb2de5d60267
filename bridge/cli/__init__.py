"""The commands of `tool-bridge`."""
