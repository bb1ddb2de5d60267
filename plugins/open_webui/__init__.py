"""Plugins for Open WebUI: each is one file, for pasting; `source` is what they are put together from."""
