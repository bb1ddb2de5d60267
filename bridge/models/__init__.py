"""The wing of the models; the wing of tools imports nothing of it, and `--no-models` leaves it out."""
