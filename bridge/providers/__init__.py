"""Model providers, over HTTP."""
