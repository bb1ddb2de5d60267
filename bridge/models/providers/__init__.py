"""Model providers over HTTP: the directory of their models, their clients and their errors."""
