"""Proxies in front of PostgreSQL and Redis that note what clients have the servers execute.

What is counted is what crosses the wire: nothing that a library does on its own is left out. They run in
threads, because a bridge also connects where its event loop waits.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlalchemy import URL

PIECE_BYTES = 64 * 1024
STARTUP_BYTES = 8

Feed: TypeAlias = Callable[[bytes], None]


@dataclass(frozen=True)
class Statement:
    """One statement that PostgreSQL was told to execute."""

    connection: int
    """Number of the connection, in the order in which they were opened."""
    text: str
    is_committed_alone: bool
    """Whether it stands in no transaction, so that it is a commit of its own."""

    def is_commit_of(self, beginning: str) -> bool:
        """Whether it is a commit of its own, and begins so."""
        return self.is_committed_alone and self.text.startswith(beginning)


@dataclass
class ExecutedStatements:
    """What clients of PostgreSQL had it execute, in the order of each connection."""

    statements: list[Statement] = field(default_factory=list[Statement])

    def open_connection(self, number: int) -> Feed:
        """Return what reads the bytes of one client."""
        return _PostgresClient(number, self.statements).feed


class _PostgresClient:
    """Reads the frontend's messages of the protocol, version 3."""

    def __init__(self, number: int, statements: list[Statement]) -> None:
        self._number = number
        self._statements = statements
        self._unread = b""
        self._has_started = False
        self._prepared: dict[bytes, str] = {}
        self._bound = ""
        self._is_in_transaction = False

    def feed(self, piece: bytes) -> None:
        self._unread += piece
        while (message := self._next_message()) is not None:
            self._read(*message)

    def _next_message(self) -> tuple[bytes, bytes] | None:
        """Return the kind and the body of the next message; None: it is not there yet."""
        head = 1 if self._has_started else 0
        if len(self._unread) < head + 4:
            return None
        (length,) = struct.unpack_from("!I", self._unread, head)
        if len(self._unread) < head + length:
            return None
        kind, body = self._unread[:head], self._unread[head + 4 : head + length]
        self._unread = self._unread[head + length :]
        self._has_started = True
        return kind, body

    def _read(self, kind: bytes, body: bytes) -> None:
        if kind == b"P":
            name, text, _ = body.split(b"\0", 2)
            self._prepared[name] = text.decode()
        elif kind == b"B":
            _portal, name, _ = body.split(b"\0", 2)
            self._bound = self._prepared[name]
        elif kind == b"E":
            self._note(self._bound)
        elif kind == b"Q":
            self._note(body.rstrip(b"\0").decode())

    def _note(self, text: str) -> None:
        word = text.strip().upper()
        if word.startswith("BEGIN"):
            self._is_in_transaction = True
        self._statements.append(Statement(self._number, text, not self._is_in_transaction))
        if word.startswith(("COMMIT", "ROLLBACK")):
            self._is_in_transaction = False


@dataclass
class ExecutedCommands:
    """What clients of Redis had it execute: the words of each command."""

    commands: list[Sequence[str]] = field(default_factory=list[Sequence[str]])

    def open_connection(self, _number: int) -> Feed:
        """Return what reads the bytes of one client."""
        unread = b""

        def feed(piece: bytes) -> None:
            nonlocal unread
            unread += piece
            while (found := _next_command(unread)) is not None:
                words, unread = found
                self.commands.append(words)

        return feed


def _next_command(unread: bytes) -> tuple[Sequence[str], bytes] | None:
    """Return the words of the first command and what follows it; None: it is not complete."""
    line, found, rest = unread.partition(b"\r\n")
    if not found:
        return None
    words: list[str] = []
    for _ in range(int(line[1:])):
        line, found, rest = rest.partition(b"\r\n")
        length = int(line[1:]) if found else 0
        if not found or len(rest) < length + 2:
            return None
        words.append(rest[:length].decode())
        rest = rest[length + 2 :]
    return words, rest


@contextmanager
def counted_postgres(url: URL) -> Generator[tuple[URL, ExecutedStatements]]:
    """Another address of a database that is reached by network, and what is executed through it."""
    executed = ExecutedStatements()
    assert url.port is not None
    with _proxy(url.port, executed.open_connection) as port:
        plain = {"sslmode": "disable", "gssencmode": "disable"}
        yield url.set(port=port).update_query_dict(plain), executed


@contextmanager
def counted_redis(port: int) -> Generator[tuple[str, ExecutedCommands]]:
    """Another address of a Redis server, and what is executed through it."""
    executed = ExecutedCommands()
    with _proxy(port, executed.open_connection) as own:
        yield f"redis://127.0.0.1:{own}/0", executed


@contextmanager
def _proxy(port: int, open_connection: Callable[[int], Feed]) -> Generator[int]:
    """The port of a proxy in front of a server of this machine; its connections end with it."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        sockets: list[socket.socket] = []

        def serve() -> None:
            with suppress(OSError):
                for number in range(1_000_000):
                    client, _ = listener.accept()
                    server = socket.create_connection(("127.0.0.1", port))
                    sockets.extend((client, server))
                    feed = open_connection(number)
                    _start(_pump, client, server, feed)
                    _start(_pump, server, client, _ignore)

        _start(serve)
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for each in sockets:
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()


def _ignore(_piece: bytes) -> None:
    """Answers are passed on uncounted."""


def _start(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()


def _pump(source: socket.socket, target: socket.socket, feed: Feed) -> None:
    """Pass bytes on until one side ends; they are noted before the server has them."""
    with suppress(OSError):
        while piece := source.recv(PIECE_BYTES):
            feed(piece)
            target.sendall(piece)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
