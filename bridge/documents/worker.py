"""Parses and compiles foreign documents in a warm child process, which is killed when it takes too long.

Implements the registry's `Compiler` port. Requests are served one after another, but for slow ones (see
`children`), which may be begun twice; an answer arrives line by line, so that even a large document never
blocks the event loop.
"""

from __future__ import annotations

import asyncio
from codecs import getincrementaldecoder
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import orjson

from bridge.catalog.server_view import Validation
from bridge.documents.bodies import SplitBody
from bridge.documents.child_requests import PIECE_CHARS, end_child, send_request, spawn_module
from bridge.documents.children import PATIENCE_S, Children
from bridge.documents.framing import TEXT_MARK
from bridge.documents.piped_child import Child
from bridge.errors import BridgeError, ErrorCode
from bridge.tasks import yield_to_loop
from toolserver.openapi.bundle import Bundle, Problem
from toolserver.tool.argument_schemas import ToolSchema
from toolserver.tool.compile import CompiledDocument
from toolserver.tool.compiled_lines import CompiledReader

ResultT = TypeVar("ResultT")

COMPILATION, VALIDATION = "bridge.documents.compilation_child", "bridge.documents.validation_child"
"""Modules that the processes run; two of them, because loading the validator takes longer than all the
rest."""

COMPILE_SECONDS = 60.0
"""Maximum seconds (wall time) for one document; the largest real one takes 16 s as YAML."""

VALIDATE_SECONDS = 300.0

KEYS_AT_A_TIME = 100
"""Schemas that are compiled before another request has its turn: a first call waits for as many."""


class DocumentWorker:
    """One long-lived child process for compiling, and a short-lived one for each validation."""

    def __init__(self, *, compile_s: float = COMPILE_SECONDS, patience_s: float = PATIENCE_S) -> None:
        self._compile_s = compile_s
        self._children = Children(lambda: spawn_module(COMPILATION), end_child, patience_s=patience_s)
        self._validating = asyncio.Lock()

    async def start_child(self) -> None:
        """Start the child ahead of the first document."""
        await self._ask(_nothing)

    async def compile_document(
        self, text: str, *, source_url: str | None, base_url: str | None, overlays: Sequence[str] = ()
    ) -> CompiledDocument:
        """Compile one document text, as its overlays leave it. Cancelling it replaces the child.

        Raises:
            BridgeError: `invalid_document`, with `detail.code` and `detail.pointer` of the toolserver's
                error, also when the child ran out of time or memory.
        """
        header = {
            "op": "compile",
            "source_url": source_url,
            "base_url": base_url,
            "overlays": len(overlays),
        }
        return await self._ask(lambda process: _compiled(send_request(process, header, text, *overlays)))

    async def compile_schemas(
        self, text: str, digest: str, keys: Sequence[str], *, bare: str = "", overlays: Sequence[str] = ()
    ) -> dict[str, ToolSchema]:
        """Return the argument schemas of a text's operations by key; usually the child still has it parsed.

        `bare`: why only the types of their arguments are told; "": everything is. Cancelling it replaces the
        child.

        Raises:
            BridgeError: `invalid_document`, as `compile_document`.
        """
        compiled: dict[str, ToolSchema] = {}
        for start in range(0, len(keys), KEYS_AT_A_TIME):
            some = keys[start : start + KEYS_AT_A_TIME]
            compiled |= await self._compile_some((text, *overlays), digest, some, bare)
        return compiled

    async def _compile_some(
        self, texts: Sequence[str], digest: str, keys: Sequence[str], bare: str
    ) -> dict[str, ToolSchema]:
        header = {"op": "schemas", "digest": digest, "keys": list(keys), "bare": bare}
        lines = await self._ask(partial(_about_document, header, texts, 2 * len(keys)))
        schemas = (
            ToolSchema(schema, tuple(orjson.loads(warnings)))
            for schema, warnings in zip(lines[::2], lines[1::2], strict=True)
        )
        return dict(zip(keys, schemas, strict=True))

    async def read_responses(
        self, text: str, digest: str, key: str, *, overlays: Sequence[str] = ()
    ) -> bytes:
        """Return what a text says about the responses of one operation, as JSON.

        Cancelling it replaces the child.

        Raises:
            BridgeError: `invalid_document`, as `compile_document`.
        """
        header = {"op": "responses", "digest": digest, "key": key}
        return (await self._ask(partial(_about_document, header, (text, *overlays), 1)))[0]

    async def read_places(self, text: str, digest: str, key: str, *, overlays: Sequence[str] = ()) -> bytes:
        """Return where an edit finds one operation and its arguments, as JSON.

        Cancelling it replaces the child.

        Raises:
            BridgeError: `invalid_document`, as `compile_document`.
        """
        header = {"op": "places", "digest": digest, "key": key}
        return (await self._ask(partial(_about_document, header, (text, *overlays), 1)))[0]

    async def _ask(self, request: Callable[[Child], Awaitable[ResultT]]) -> ResultT:
        """Return what a request says that has a child for itself; what interrupts it also ends the child."""
        status: int | None = None

        async def ask_in_time(process: Child) -> ResultT:
            nonlocal status
            try:
                async with asyncio.timeout(self._compile_s):
                    return await request(process)
            finally:
                status = process.returncode

        try:
            return await self._children.use_child(ask_in_time)
        except TimeoutError:
            raise _invalid(
                "too_slow", f"The document took longer than {self._compile_s:g} s to read."
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            raise _invalid(
                "too_large",
                f"The process that read the document died (status {status}). "
                "The document may need too much memory, or one part of it is too large.",
            ) from None

    async def bundle_document(
        self, text: str, *, source_url: str | None, texts: Mapping[str, str], left_out: Mapping[str, str]
    ) -> Bundle:
        """Bundle as `toolserver.openapi.bundle.bundle_document` does. Cancelling it replaces the child.

        Raises:
            BridgeError: `invalid_document`, as `compile_document`.
        """
        header = {
            "op": "bundle",
            "source_url": source_url,
            "addresses": list(texts),
            "left_out": dict(left_out),
        }
        facts, *bundled = await self._ask(
            lambda process: _checked(send_request(process, header, text, *texts.values()))
        )
        read = orjson.loads(facts)
        problems = tuple(Problem(**problem) for problem in read["problems"])
        whole = await _decoded(bundled[0]) if bundled else None
        return Bundle(whole, tuple(read["missing"]), problems)

    async def split_body(self, body: bytes) -> SplitBody:
        """Split the body of a request as `bridge.documents.bodies.split_body` does.

        Raises:
            BridgeError: `invalid_request`: it is not JSON; `invalid_document`, as `compile_document`.
        """
        facts, *texts = await self._ask(
            lambda process: _checked(send_request(process, {"op": "split"}, body))
        )
        read = orjson.loads(facts)
        if "problem" in read:
            raise BridgeError(ErrorCode.INVALID_REQUEST, f"The body is not JSON: {read['problem']}.")
        long_texts = [await _decoded(text) for text in texts]
        return SplitBody(read["members"], dict(zip(read["tokens"], long_texts, strict=True)))

    async def validate_document(self, text: str, *, overlays: Sequence[str] = ()) -> Validation:
        """Return what openapi-core says about a document as edited; a bad document never raises."""
        async with self._validating:
            process = await spawn_module(VALIDATION)
            try:
                async with asyncio.timeout(VALIDATE_SECONDS):
                    header = {"overlays": len(overlays)}
                    lines = [line async for line in send_request(process, header, text, *overlays)]
                problems: list[str] = orjson.loads(lines[0])["problems"]
                return Validation("invalid" if problems else "valid", tuple(problems))
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError, ValueError, LookupError):
                return Validation("failed", ("The validator did not finish.",))
            finally:
                await end_child(process)

    async def check_alive(self) -> float | None:
        """Return when the child answers, which is started if there is none.

        While it reads a document it is not asked; returns for how many seconds it does.

        Raises:
            BridgeError: `invalid_document`: it ended, or hung until its time for a document was over.
        """
        if (busy := self._children.busy_seconds()) is not None:
            return busy
        header: dict[str, object] = {"op": "schemas", "digest": "", "keys": [], "bare": ""}
        await self._ask(lambda process: _checked(send_request(process, header, "")))
        return None

    async def close(self) -> None:
        """End the children."""
        await self._children.close()


async def _decoded(line: bytes) -> str:
    """Decode a line that holds a text, behind its mark."""
    decoder = getincrementaldecoder("utf-8")("replace")
    pieces: list[str] = []
    for start in range(len(TEXT_MARK), len(line), PIECE_CHARS):
        pieces.append(decoder.decode(line[start : start + PIECE_CHARS]))
        await yield_to_loop()
    return "".join([*pieces, decoder.decode(b"", final=True)])


async def _compiled(lines: AsyncIterator[bytes]) -> CompiledDocument:
    reader = CompiledReader()
    async for line in _without_error(lines):
        reader.feed_line(line)
    return reader.finish_document()


async def _nothing(_process: Child) -> None:
    """Say nothing to a child."""


async def _about_document(
    header: Mapping[str, object], texts: Sequence[str], wanted: int, process: Child
) -> list[bytes]:
    """Ask about a text with its overlays; they are sent only if the child does not have the document."""
    lines = await _checked(send_request(process, header, ""))
    if len(lines) >= wanted:
        return lines
    return await _checked(send_request(process, {**header, "overlays": len(texts) - 1}, *texts))


async def _checked(lines: AsyncIterator[bytes]) -> list[bytes]:
    return [line async for line in _without_error(lines)]


async def _without_error(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield an answer's lines to the very end, so that none is left for the next; then raise its error."""
    error: dict[str, str] | None = None
    async for line in lines:
        if line.startswith(b'{"error":'):
            error = orjson.loads(line)["error"]
        else:
            yield line
    if error is not None:
        raise _invalid(error["code"], error["message"], error["pointer"])


def _invalid(code: str, message: str, pointer: str = "") -> BridgeError:
    return BridgeError(ErrorCode.INVALID_DOCUMENT, message, detail={"code": code, "pointer": pointer})
