"""Sample OpenAPI documents and one small web service that implements every operation in them.

Gives `examples.sample_api` to `tool-bridge demo` and to tests, and the files in `examples/documents` to
readers. Knows nothing of the bridge: it is an API like any other, so that the bridge can be tried without the
Internet.
"""
