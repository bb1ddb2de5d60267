"""Carries a `CompiledDocument` between processes: as lines of bytes, each read in little time.

Receives a compiled document and gives its lines, and the other way. Knows nothing of how one is compiled.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any, cast

import orjson
from msgspec import msgpack, to_builtins

from toolserver.json_types import dump_json
from toolserver.openapi.security import scheme_of_record
from toolserver.operation.path_item import Skipped
from toolserver.tool.compile import CompiledDocument, CompiledOperation

_LINE_BYTES = 100_000
_ENCODE = msgpack.Encoder().encode
_DECODE = msgpack.Decoder(list[CompiledOperation]).decode


def compiled_to_lines(compiled: CompiledDocument) -> Iterator[bytes]:
    """A head line in JSON, then arrays of operations in MessagePack, each an array of its fields.

    A line has about 100 kB, or one larger operation, so that reading one never blocks for long.
    """
    head = asdict(replace(compiled, operations=()))
    yield dump_json({**head, "operations": len(compiled.operations)})
    batch: list[CompiledOperation] = []
    size = 0
    for operation in compiled.operations:
        batch.append(operation)
        size += len(operation.plan_json) + len(operation.description)
        if size >= _LINE_BYTES:
            yield _line_of(batch)
            batch, size = [], 0
    if batch:
        yield _line_of(batch)


def _line_of(operations: list[CompiledOperation]) -> bytes:
    try:
        return _ENCODE(operations)
    except UnicodeEncodeError:  # a lone surrogate, which YAML may escape
        return _ENCODE(_without_surrogates(to_builtins(operations, builtin_types=(bytes,))))


def _without_surrogates(value: object) -> object:
    """The value with "?" instead of what UTF-8 cannot encode, as in `dump_json`."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list | tuple):
        return [_without_surrogates(item) for item in cast(Sequence[object], value)]
    return value


class CompiledReader:
    """Reads the lines of `compiled_to_lines` one by one, so that an event loop can run in between."""

    def __init__(self) -> None:
        self._head: dict[str, Any] | None = None
        self._operations: list[CompiledOperation] = []

    def feed_line(self, line: bytes) -> None:
        """Reads the next line."""
        if self._head is None:
            self._head = orjson.loads(line)
        else:
            self._operations += _DECODE(line)

    def finish_document(self) -> CompiledDocument:
        """The complete document.

        Raises:
            ValueError: lines are missing.
        """
        if self._head is None or self._head["operations"] != len(self._operations):
            raise ValueError("The compiled document is incomplete.")
        head: dict[str, Any] = {
            **self._head,
            "operations": tuple(self._operations),
            "origins": tuple(self._head["origins"]),
            "warnings": tuple(self._head["warnings"]),
            "skipped": tuple(Skipped(**record) for record in self._head["skipped"]),
            "security_schemes": tuple(map(scheme_of_record, self._head["security_schemes"])),
        }
        return CompiledDocument(**head)
