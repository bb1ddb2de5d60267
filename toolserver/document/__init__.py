"""Text to document: JSON and YAML, references and bundles, Swagger 2.0, servers, security, media types.

Receives the text of an OpenAPI or Swagger document and gives `Document`, whose parts can be looked up and
resolved. Knows nothing of operations.
"""
