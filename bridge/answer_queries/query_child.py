"""The process that reads answers and runs queries: a short expression may need any time and any memory.

The answer is read by one request, and asked by the next, so that the time of a query is its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from bridge.documents.framing import TEXT_MARK, decode_text, serve_requests
from bridge.operating_system import limit_processor_time, lower_priority
from toolserver.answer.answer_query import QueryError, run_query
from toolserver.answer.answer_reading import NotJson, ReadAnswer, read_answer
from toolserver.answer.exact_values import TooLong
from toolserver.answer.outline import outline_of
from toolserver.errors import DocumentError
from toolserver.json_types import NestedTooDeeply

MEMORY_BYTES = 512 * 1024 * 1024
"""Maximum bytes of address space (ruling 56)."""


class _Held:
    """The answer that is asked next."""

    def __init__(self) -> None:
        self._read: ReadAnswer | None = None

    def hold_answer(self, read: ReadAnswer) -> None:
        self._read = read

    def take_answer(self) -> ReadAnswer:
        """Return it, and forget it."""
        read, self._read = self._read, None
        assert read is not None
        return read


def _lines(held: _Held, request: dict[str, Any], text: bytes) -> Iterator[bytes]:
    match request["op"]:
        case "read":
            held.hold_answer(_read(request, text))
        case "outline":
            read = held.take_answer()
            yield orjson.dumps(read.complete)
            yield TEXT_MARK + outline_of(read.value, complete=read.complete)
        case _:
            read = held.take_answer()
            yield orjson.dumps(read.complete)
            limit_processor_time(request["seconds"])
            try:
                yield TEXT_MARK + _selected(read, request["expression"], request["max_bytes"])
            finally:
                limit_processor_time(0)


def _read(request: dict[str, Any], text: bytes) -> ReadAnswer:
    path: str | None = request["path"]
    content = text if path is None else Path(path).read_bytes()
    try:
        return read_answer(decode_text(content), request["content_type"], is_cut=request["is_cut"])
    except (NotJson, NestedTooDeeply) as error:
        raise DocumentError("not_json", str(error)) from None
    except FileNotFoundError:  # newer answers needed the room
        raise DocumentError("not_json", "The answer is no longer stored.") from None


def _selected(read: ReadAnswer, expression: str, max_bytes: int) -> bytes:
    try:
        return run_query(expression, read.value, max_bytes)
    except QueryError as error:
        raise DocumentError("query", str(error)) from None
    except TooLong:
        message = (
            f"The query selects more than {max_bytes:,} bytes. Select fewer fields, filter, or take a slice "
            "such as [0:20]."
        )
        raise DocumentError("too_long", message) from None


if __name__ == "__main__":
    lower_priority()
    serve_requests(partial(_lines, _Held()), memory_bytes=MEMORY_BYTES)
