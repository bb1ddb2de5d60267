"""The document worker's child process: reads foreign documents where they can do no harm.

The most recently read documents stay parsed, so that their schemas can be requested later. Validation runs in
another process, because the validator takes longer to load than everything here; see `validation_child`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import orjson

from bridge.documents.bodies import split_body
from bridge.documents.framing import TEXT_MARK, decode_text, serve_requests
from toolserver.openapi.bundle import bundle_document
from toolserver.openapi.overlay import parse_edited_document
from toolserver.tool.compile import DocumentTools
from toolserver.tool.compiled_lines import compiled_to_lines

CACHED_TEXT_BYTES = 64 * 1024 * 1024
"""Maximum bytes of the texts whose documents stay parsed; the most recent one always does. A parsed document
takes about five times its text."""


class _DocumentCache:
    """The most recently read documents, by digest."""

    def __init__(self) -> None:
        self._documents: OrderedDict[str, tuple[DocumentTools, int]] = OrderedDict()

    def get(self, digest: str) -> DocumentTools | None:
        found = self._documents.get(digest)
        if found is None:
            return None
        self._documents.move_to_end(digest)
        return found[0]

    def add_document(self, tools: DocumentTools, text: bytes) -> None:
        self._documents[tools.compiled.digest] = (tools, len(text))
        self._documents.move_to_end(tools.compiled.digest)
        while len(self._documents) > 1 and self._size() > CACHED_TEXT_BYTES:
            self._documents.popitem(last=False)

    def _size(self) -> int:
        return sum(size for _, size in self._documents.values())


def _lines(cache: _DocumentCache, request: dict[str, Any], text: bytes, *files: bytes) -> Iterator[bytes]:
    match request["op"]:
        case "bundle":
            texts = dict(zip(request["addresses"], map(decode_text, files), strict=True))
            source_url, left_out = request["source_url"], request["left_out"]
            bundle = bundle_document(decode_text(text), source_url=source_url, texts=texts, omitted=left_out)
            yield orjson.dumps({"missing": bundle.missing, "problems": bundle.problems})
            if bundle.text is not None:
                yield TEXT_MARK + bundle.text.encode("utf-8", "replace")
        case "split":
            yield from _split_lines(text)
        case "schemas":
            tools = _parsed(cache, request["digest"], text, files)
            if tools is not None:
                yield from _schema_lines(tools, request["keys"], request["bare"])
        case "responses":
            tools = _parsed(cache, request["digest"], text, files)
            if tools is not None:
                yield tools.responses_of(request["key"])
        case "places":
            tools = _parsed(cache, request["digest"], text, files)
            if tools is not None:
                yield tools.places_of(request["key"])
        case _:
            source_url, base_url = request["source_url"], request["base_url"]
            tools = DocumentTools(
                parse_edited_document(text, files), source_url=source_url, base_url=base_url
            )
            cache.add_document(tools, text)
            yield from compiled_to_lines(tools.compiled)


def _split_lines(body: bytes) -> Iterator[bytes]:
    """Yield the short part of a body and the tokens in it, then the texts that they stand for."""
    try:
        split = split_body(body)
    except orjson.JSONDecodeError as error:
        yield orjson.dumps({"problem": str(error)})
        return
    yield orjson.dumps({"members": split.members, "tokens": list(split.texts)})
    for text in split.texts.values():
        yield TEXT_MARK + text.encode()


def _parsed(
    cache: _DocumentCache, digest: str, text: bytes, overlays: Sequence[bytes]
) -> DocumentTools | None:
    tools = cache.get(digest)
    if tools is None and text:
        tools = DocumentTools(parse_edited_document(text, overlays), source_url=None)
        cache.add_document(tools, text)
    return tools


def _schema_lines(tools: DocumentTools, keys: list[str], bare: str) -> Iterator[bytes]:
    """Yield schema and warnings of each key, in order."""
    for key in keys:
        schema = tools.schema_of(key, bare=bare)
        yield schema.schema_json
        yield orjson.dumps(schema.warnings)


if __name__ == "__main__":
    serve_requests(partial(_lines, _DocumentCache()))
