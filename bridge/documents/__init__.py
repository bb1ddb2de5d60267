"""OpenAPI documents from outside: fetched, bundled, compiled and validated in child processes."""
