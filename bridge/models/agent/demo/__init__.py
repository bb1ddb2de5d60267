"""A demo model that needs no provider: it makes the calls that a message spells out or asks for."""
