"""OpenAPI documents from outside: fetched, bundled, and compiled in worker processes."""
