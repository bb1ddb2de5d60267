"""The document worker's own process: reads foreign documents where they can do no harm.

Standard input carries requests (a JSON header, the text, then the files that belong to it), standard output
the answers, in the frames of `document_frames`. The documents read last are kept, so that their schemas can
be asked for. Memory is limited by the operating system, time by the parent, which kills and replaces us.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

import orjson

from bridge.edges.document_frames import frame, read_frame
from bridge.edges.document_validation import validate_document
from toolserver.bundle import bundle_document
from toolserver.compile import DocumentTools, compiled_to_lines
from toolserver.document import parse_document
from toolserver.errors import DocumentError

MEMORY_BYTES = 4 * 1024 * 1024 * 1024
"""Address space: about ten times what the largest real document needs."""

KEPT_TEXT_BYTES = 64 * 1024 * 1024
"""Texts whose documents stay parsed; the last one always does. A parsed document takes some five times its
text."""


class _Kept:
    """The documents read last, by digest."""

    def __init__(self) -> None:
        self._documents: OrderedDict[str, tuple[DocumentTools, int]] = OrderedDict()

    def get(self, digest: str) -> DocumentTools | None:
        found = self._documents.get(digest)
        if found is None:
            return None
        self._documents.move_to_end(digest)
        return found[0]

    def put(self, tools: DocumentTools, text: bytes) -> None:
        self._documents[tools.compiled.digest] = (tools, len(text))
        self._documents.move_to_end(tools.compiled.digest)
        while len(self._documents) > 1 and self._size() > KEPT_TEXT_BYTES:
            self._documents.popitem(last=False)

    def _size(self) -> int:
        return sum(size for _, size in self._documents.values())


def main() -> None:
    """Serve requests until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the bridge, and the bridge ends us
    _limit_memory()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not break the frames
    kept = _Kept()
    with suppress(BrokenPipeError):  # the bridge is gone: nobody reads what is left
        while (header := read_frame(requests)) is not None:
            request = orjson.loads(header)
            texts = [read_frame(requests) or b"" for _ in range(1 + len(request.get("addresses", ())))]
            _answer(kept, answers, request, texts)


def _answer(kept: _Kept, answers: BinaryIO, request: dict[str, Any], texts: list[bytes]) -> None:
    gc.disable()  # documents are trees: looking for cycles among millions of nodes finds nothing
    try:
        for line in _lines(kept, request, *texts):
            answers.write(frame(line))
    except DocumentError as error:
        _write_error(answers, error.code, error.message, error.pointer)
    except (RecursionError, MemoryError):
        _write_error(answers, "too_large", "The document needs more memory than a document may use.", "")
    finally:
        gc.enable()
    answers.write(frame(b""))
    answers.flush()


def _write_error(answers: BinaryIO, code: str, message: str, pointer: str) -> None:
    error = {"code": code, "message": message, "pointer": pointer}
    answers.write(frame(orjson.dumps({"error": error})))


def _lines(kept: _Kept, request: dict[str, Any], text: bytes, *files: bytes) -> Iterator[bytes]:
    match request["op"]:
        case "bundle":
            texts = dict(zip(request["addresses"], map(_decoded, files), strict=True))
            source_url, left_out = request["source_url"], request["left_out"]
            bundle = bundle_document(_decoded(text), source_url=source_url, texts=texts, left_out=left_out)
            yield orjson.dumps({"missing": bundle.missing, "problems": bundle.problems})
            yield orjson.dumps(bundle.text)
        case "validate":
            yield orjson.dumps({"problems": validate_document(_decoded(text))})
        case "schemas":
            yield from _schema_lines(kept, request["digest"], request["keys"], text)
        case _:
            source_url, base_url = request["source_url"], request["base_url"]
            tools = DocumentTools(parse_document(text), source_url=source_url, base_url=base_url)
            kept.put(tools, text)
            yield from compiled_to_lines(tools.compiled)


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _schema_lines(kept: _Kept, digest: str, keys: list[str], text: bytes) -> Iterator[bytes]:
    """Schema and warnings of each key, in order; nothing when the document is not here and no text came."""
    tools = kept.get(digest)
    if tools is None and text:
        tools = DocumentTools(parse_document(text), source_url=None)
        kept.put(tools, text)
    if tools is not None:
        for key in keys:
            schema = tools.schema(key)
            yield schema.schema_json
            yield orjson.dumps(schema.warnings)


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - the module does not exist on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
