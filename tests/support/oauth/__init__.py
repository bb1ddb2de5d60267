"""A small real authorization server by Authlib, and an API that it protects."""
