"""The protocol of the child processes for documents: requests on standard input, answers on standard output.

A request is a JSON header, a text, and the files or overlays that belong to it, each in a frame. That is four
bytes of length (big endian), then the payload; an empty frame ends an answer. JSON, plain text and
MessagePack of declared types only, never pickle: a child has read a foreign document, and nothing it sends
may run code here.

Memory is limited by the operating system, time by the parent, which kills and replaces the child. None of
these processes has network access.
"""

from __future__ import annotations

import gc
import struct
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, BinaryIO

import orjson

from bridge.operating_system import ignore_interrupts, limit_memory
from toolserver.errors import DocumentError

MAX_FRAME_BYTES = 64 * 1024 * 1024
"""Maximum bytes of a frame, well above the largest document (32 MiB); a longer frame means a broken peer."""

LENGTH = struct.Struct(">I")

TEXT_MARK = b"="
"""First byte of an answer's line that holds a foreign text, which might otherwise look like an error."""


def build_frame(payload: bytes) -> bytes:
    """Return one frame with this payload."""
    return LENGTH.pack(len(payload)) + payload


def frame_length(prefix: bytes) -> int:
    """Return the payload's length in bytes.

    Raises:
        ValueError: it exceeds `MAX_FRAME_BYTES`.
    """
    (length,) = LENGTH.unpack(prefix)
    if length > MAX_FRAME_BYTES:
        raise ValueError(f"frame of {length} bytes")
    return length


def read_frame(stream: BinaryIO) -> bytes | None:
    """Read one frame, blocking; returns None at the end of the stream."""
    prefix = stream.read(LENGTH.size)
    return stream.read(frame_length(prefix)) if len(prefix) == LENGTH.size else None


MEMORY_BYTES = 4 * 1024 * 1024 * 1024
"""Maximum bytes of address space: about ten times what the largest real document needs."""

Answering = Callable[..., Iterable[bytes]]
"""Takes a header, a text and its files; returns the lines of the answer."""


def serve_requests(answering: Answering, *, memory_bytes: int = MEMORY_BYTES) -> None:
    """Serve requests until standard input closes."""
    ignore_interrupts()  # Ctrl-C ends the bridge, and the bridge ends this process
    limit_memory(memory_bytes)
    sys.addaudithook(_refuse_network)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not break the frames
    with suppress(BrokenPipeError):  # the bridge is gone: nobody reads the rest
        while (header := read_frame(requests)) is not None:
            request = orjson.loads(header)
            number = 1 + len(request.get("addresses", ())) + request.get("overlays", 0)
            texts = [read_frame(requests) or b"" for _ in range(number)]
            _answer(answering, answers, request, texts)


def decode_text(text: bytes) -> str:
    """Decode UTF-8; invalid bytes are replaced."""
    return text.decode("utf-8", "replace")


def _answer(answering: Answering, answers: BinaryIO, request: dict[str, Any], texts: list[bytes]) -> None:
    gc.disable()  # documents are trees: a search for cycles among millions of nodes finds nothing
    try:
        for line in answering(request, *texts):
            answers.write(build_frame(line))
    except DocumentError as error:
        _write_error(answers, error.code, error.message, error.pointer)
    except (RecursionError, MemoryError):
        _write_error(answers, "too_large", "The document needs more memory than a document may use.", "")
    finally:
        gc.enable()
    answers.write(build_frame(b""))
    answers.flush()


def _write_error(answers: BinaryIO, code: str, message: str, pointer: str) -> None:
    error = {"code": code, "message": message, "pointer": pointer}
    answers.write(build_frame(orjson.dumps({"error": error})))


def _refuse_network(event: str, _arguments: object) -> None:
    """Refuse any network access that a library tries: a backstop that should never be reached."""
    if event.startswith(("socket.", "subprocess.")):
        raise PermissionError(f"a process that reads documents may not use {event}")
