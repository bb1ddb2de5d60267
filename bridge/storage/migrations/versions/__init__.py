"""One file a schema change, in order."""
