"""A model that needs no provider: it calls the tools it is told to."""
