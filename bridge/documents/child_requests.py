"""Requests to child processes that read what is foreign, as `framing` serves them.

Texts are written and read in pieces, so that a large one never holds the event loop.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import orjson

from bridge.documents.framing import LENGTH, build_frame, frame_length
from bridge.documents.piped_child import Child, spawn_child
from bridge.tasks import yield_to_loop

PACKAGE_FOLDER = Path(__file__).parents[2]

PIECE_CHARS = 512 * 1024
"""Characters, or bytes, of a text that are encoded, decoded or written before other tasks run."""

SLICE_S = 0.003
"""Maximum seconds of reading lines before other tasks get the event loop."""


async def spawn_module(module: str) -> Child:
    """Start a process that serves requests; `module` is what it runs."""
    # -P: not the current folder: modules that lie there must not be run by us
    arguments = (sys.executable, "-P", "-m", module)
    return await spawn_child(arguments, os.environ | {"PYTHONPATH": str(PACKAGE_FOLDER)})


async def end_child(process: Child) -> None:
    """Kill a process that still runs, and wait until it has ended."""
    if process.returncode is None:
        process.kill()
    await process.communicate()  # reads the rest: a full pipe would keep `wait` from ever ending


def _write(requests: asyncio.StreamWriter, content: bytes) -> None:
    """Write to a child, which may have died meanwhile: uvloop then raises, asyncio drops the bytes.

    Raises:
        ConnectionResetError: its pipe is closed.
    """
    if requests.is_closing():
        raise ConnectionResetError
    requests.write(content)


async def _pieces_of(text: str | bytes) -> AsyncIterator[bytes]:
    """Yield a text as UTF-8; encoding one of 20 MB at once would keep the event loop for up to 25 ms."""
    for start in range(0, len(text), PIECE_CHARS):
        piece = text[start : start + PIECE_CHARS]
        yield piece if isinstance(piece, bytes) else piece.encode("utf-8", "replace")
        await yield_to_loop()


async def send_request(
    process: Child, header: Mapping[str, object], *texts: str | bytes
) -> AsyncIterator[bytes]:
    """Send a request, and yield the lines of its answer.

    Raises:
        ConnectionError: the process has ended; so has `asyncio.IncompleteReadError`, in its answer.
        ValueError: it sent no frame.
    """
    requests, answers = process.stdin, process.stdout
    if requests is None or answers is None:
        raise ConnectionResetError
    _write(requests, build_frame(orjson.dumps(header)))
    for text in texts:
        pieces = [piece async for piece in _pieces_of(text)]
        _write(requests, LENGTH.pack(sum(map(len, pieces))))
        for piece in pieces:
            _write(requests, piece)
            await requests.drain()
    clock = asyncio.get_running_loop().time
    slice_end = clock() + SLICE_S
    while length := frame_length(await answers.readexactly(LENGTH.size)):
        yield await _read_line(answers, length)
        if clock() >= slice_end:
            await yield_to_loop()
            slice_end = clock() + SLICE_S


async def _read_line(answers: asyncio.StreamReader, length: int) -> bytes:
    """Read a line, a long one in pieces: the reader copies what it gives at once."""
    if length <= PIECE_CHARS:
        return await answers.readexactly(length)
    pieces: list[bytes] = []
    while length > 0:
        pieces.append(await answers.readexactly(min(length, PIECE_CHARS)))
        length -= PIECE_CHARS
    await yield_to_loop()
    return b"".join(pieces)
