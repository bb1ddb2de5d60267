"""Parses documents: JSON, YAML, references, bundles, overlays, Swagger 2.0, servers, security, media types.

Receives the text of an OpenAPI or Swagger document and gives a `Document`, whose parts can be looked up and
resolved. Knows nothing of operations.
"""
