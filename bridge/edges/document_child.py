"""The document worker's own process: reads foreign documents where they can do no harm.

Standard input carries requests (a JSON header, then the text), standard output the answers, in the frames of
`document_frames`. Memory is limited by the operating system, time by the parent, which kills and replaces us.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

import orjson

from bridge.edges.document_frames import frame, read_frame
from bridge.edges.document_validation import validate_document
from toolserver.compile import compile_document, compiled_to_lines
from toolserver.document import parse_document
from toolserver.errors import DocumentError

MEMORY_BYTES = 4 * 1024 * 1024 * 1024
"""Address space: about ten times what the largest real document needs."""


def main() -> None:
    """Serve requests until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the bridge, and the bridge ends us
    _limit_memory()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not break the frames
    with suppress(BrokenPipeError):  # the bridge is gone: nobody reads what is left
        while (header := read_frame(requests)) is not None:
            text = read_frame(requests)
            _answer(answers, orjson.loads(header), (text or b"").decode("utf-8", "replace"))


def _answer(answers: BinaryIO, request: dict[str, str | None], text: str) -> None:
    try:
        for line in _lines(request, text):
            answers.write(frame(line))
    except DocumentError as error:
        answers.write(
            frame(
                orjson.dumps(
                    {"error": {"code": error.code, "message": error.message, "pointer": error.pointer}}
                )
            )
        )
    except (RecursionError, MemoryError):
        message = "The document needs more memory than a document may use."
        answers.write(
            frame(orjson.dumps({"error": {"code": "too_large", "message": message, "pointer": ""}}))
        )
    answers.write(frame(b""))
    answers.flush()


def _lines(request: dict[str, str | None], text: str) -> Iterator[bytes]:
    if request["op"] == "validate":
        yield orjson.dumps({"problems": validate_document(text)})
        return
    document = parse_document(text)
    compiled = compile_document(document, source_url=request["source_url"], base_url=request["base_url"])
    yield from compiled_to_lines(compiled)


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - the module does not exist on Windows

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
