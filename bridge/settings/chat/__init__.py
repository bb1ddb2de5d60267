"""Settings of the wing of the models."""
