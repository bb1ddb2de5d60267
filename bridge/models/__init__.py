"""The wing of the models: their loop, providers, conversations with their runs, stored items, admission."""
