"""The process of one validation: what openapi-core says about a document, away from what compiles others."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from bridge.documents.framing import decoded, serve
from bridge.documents.validation_child import validate_document


def _lines(_request: object, text: bytes) -> Iterator[bytes]:
    yield orjson.dumps({"problems": validate_document(decoded(text))})


if __name__ == "__main__":
    serve(_lines)
