"""Turns of conversations: begun, recorded, resumed and watched."""
