"""Memory across turns: items of a turn are recorded, and replayed and pruned in later ones."""
