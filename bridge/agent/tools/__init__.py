"""Tools as a model has them: the catalog's, the engine's, arguments in and outputs out."""
