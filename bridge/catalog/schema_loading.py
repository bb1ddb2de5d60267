"""The argument schemas of loaded servers: compiled on first use, and never at the cost of another server's.

A document that cannot be described in time or memory is told by the types of its arguments, and if even that
fails by their names; the reason is kept with the server, so that nobody waits for it again until the document
changes. Lists of all servers wait a bounded time, and are made again when a late server is ready.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from bridge.catalog.ports import Compiler
from bridge.catalog.server_view import LoadedServer
from bridge.errors import BridgeError, ErrorCode
from bridge.tasks import Tasks
from toolserver.errors import quote_text
from toolserver.tool.argument_schemas import ToolSchema, name_arguments

_ATTEMPTS = 2
"""A process may die of another's memory, so a document is tried once more; not one that took too long."""

_log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class _Run:
    """The compiling of some schemas of a server, for a list."""

    server: LoadedServer
    keys: frozenset[str]
    task: asyncio.Task[None]
    is_late: bool = False
    """Whether a list was made without it."""


class SchemaLoading:
    """Compiles the schemas of servers. All methods run on one event loop."""

    def __init__(
        self,
        compiler: Compiler,
        tasks: Tasks,
        on_late: Callable[[LoadedServer], Awaitable[None]],
        list_wait_s: float,
    ) -> None:
        """`on_late` gets a server whose schemas are ready after a list was made without them.

        `list_wait_s`: as in `Timings`.
        """
        self._compiler = compiler
        self._tasks = tasks
        self._on_late = on_late
        self._list_wait_s = list_wait_s
        self._runs: list[_Run] = []

    async def load_schemas(self, server: LoadedServer, keys: Iterable[str]) -> Mapping[str, bytes]:
        """Return the argument schemas of a server, those of `keys` included; each is compiled on first use.

        Where a document cannot be described they tell less; `LoadedServer.trouble` says why.
        """
        missing = [key for key in keys if key not in server.schemas]
        if missing:
            for key, compiled in (await self._compile(server, missing)).items():
                server.schemas[key] = compiled.schema_json
                server.schema_warnings[key] = compiled.warnings
        return server.schemas

    async def load_in_time(self, wanted: Mapping[str, tuple[LoadedServer, list[str]]]) -> None:
        """Compile what a list needs, of all its servers at once, and return when it is ready or late.

        `wanted`: keys of operations by server. Who is late once is not waited for again; when it is ready
        `on_late` is told.
        """
        for server, keys in wanted.values():
            self._start_run(server, keys)
        servers = [server for server, _ in wanted.values()]
        runs = [run for run in self._runs if any(run.server is server for server in servers)]
        if awaited := [run.task for run in runs if not run.is_late]:
            await asyncio.wait(awaited, timeout=self._list_wait_s)
        for run in runs:
            run.is_late = run.is_late or not run.task.done()

    def _start_run(self, server: LoadedServer, keys: Iterable[str]) -> None:
        running = [run.keys for run in self._runs if run.server is server]
        missing = frozenset(
            key for key in keys if key not in server.schemas and not any(key in each for each in running)
        )
        if missing:
            work = self._finish_run(server, missing)
            task = self._tasks.start_task(work, f"schemas of {server.record.id}")
            self._runs.append(_Run(server, missing, task))

    async def _finish_run(self, server: LoadedServer, keys: frozenset[str]) -> None:
        try:
            await self.load_schemas(server, [key for key in server.by_key if key in keys])
        finally:
            ended = next(run for run in self._runs if run.server is server and run.keys is keys)
            self._runs.remove(ended)
        if ended.is_late:
            await self._on_late(server)

    async def _compile(self, server: LoadedServer, keys: list[str]) -> Mapping[str, ToolSchema]:
        record, digest = server.record, server.compiled.digest
        failed = 0
        while not server.is_unreadable:
            bare = server.trouble
            try:
                return await self._compiler.compile_schemas(
                    record.text, digest, keys, bare=bare, overlays=record.overlays
                )
            except BridgeError as error:
                if error.error.code is not ErrorCode.INVALID_DOCUMENT:
                    raise
                failed += 1
                if failed < _ATTEMPTS and error.error.detail.get("code") != "too_slow":
                    continue
                self._note_trouble(server, error.error.message, was_bare=bool(bare))
                failed = 0
        warning = f"{server.trouble} Only the names of its arguments are told."
        return {key: ToolSchema(name_arguments(server.by_key[key].plan_json), (warning,)) for key in keys}

    def _note_trouble(self, server: LoadedServer, reason: str, *, was_bare: bool) -> None:
        if was_bare:
            server.is_unreadable = True
            _log.warning("Server %s tells only names of arguments: %s", server.record.id, reason)
        elif not server.trouble:
            named = quote_text(server.compiled.title)
            server.trouble = f"The arguments of the tools of {named} cannot be described: {reason}"
            _log.warning("Server %s: %s", server.record.id, server.trouble)
