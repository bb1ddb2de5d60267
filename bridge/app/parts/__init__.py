"""The parts of a bridge: one module for each feature, with what it gives to the others."""
