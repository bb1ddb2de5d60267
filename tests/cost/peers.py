"""Who talks to the measured bridge: plain sockets in other threads, whose work is not counted.

What a peer sends about one thing goes out in one piece, so that the bridge always reads it in the same number
of steps; a client library would send it as it comes.
"""

import json
import socket
import struct
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from threading import Semaphore
from typing import Any
from urllib.parse import urlsplit

from bench.model_peer import build_stream, chat_chunks, response_events
from bench.payloads import ANSWER_TEXTS, bridge_outcome

WAIT_S = 30
TEXT_FRAME = 0x81
_LAST_CHUNK = b"0\r\n\r\n"

SILENT = "silent"
MODELS = {SILENT: 1, "short": 5, "long": 45}
"""Pieces of what each model says; the silent one never ends after its piece."""

_PIECE = b'"word '
"""In every piece, on its way from the provider and to the client."""

OUTCOME = bridge_outcome(ANSWER_TEXTS[0])


class Connection:
    """A blocking connection."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self.received = b""

    def take(self, count: int) -> bytes:
        """The next so many bytes."""
        while len(self.received) < count:
            self._receive()
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def take_until(self, end: bytes) -> bytes:
        """Everything to the next `end`, with it."""
        while end not in self.received:
            self._receive()
        return self.take(self.received.index(end) + len(end))

    def take_some(self) -> bytes:
        """Bytes that have come, or the next ones that do."""
        if not self.received:
            self._receive()
        return self.take(len(self.received))

    def take_head(self) -> tuple[bytes, int]:
        """The head of a message of HTTP, and the length of its body."""
        head = self.take_until(b"\r\n\r\n")
        return head, int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)

    def close(self) -> None:
        self.socket.close()

    def _receive(self) -> None:
        if not (more := self.socket.recv(1 << 16)):
            raise ConnectionError("The other side hung up.")
        self.received += more


def _connect(base_url: str) -> socket.socket:
    target = urlsplit(base_url)
    return socket.create_connection((str(target.hostname), target.port), timeout=WAIT_S)


NONE: Mapping[str, str] = {}


class Caller(Connection):
    """A client over HTTP that keeps its connection."""

    def __init__(self, base_url: str, key: str) -> None:
        super().__init__(_connect(base_url))
        self._host, self._key = urlsplit(base_url).netloc, key

    def request(self, method: str, path: str, body: str = "", headers: Mapping[str, str] = NONE) -> bytes:
        """Send a request and return the head of its answer, which is 200."""
        self.begin(method, path, body, headers)
        head, length = self.take_head()
        if not head.startswith(b"HTTP/1.1 200 "):
            raise ConnectionError(head.decode())
        if b"chunked" in head:
            self.take_until(_LAST_CHUNK)
        else:
            self.take(length)
        return head

    def stream(self, path: str, body: str, piece_read: Callable[[], None]) -> None:
        """Read a stream to its end, and say so of every piece."""
        self.begin("POST", path, body)
        self.take_head()
        received, pieces = b"", 0
        while not received.endswith(_LAST_CHUNK):
            received += self.take_some()
            for _ in range(received.count(_PIECE) - pieces):
                piece_read()
            pieces = received.count(_PIECE)

    def begin(self, method: str, path: str, body: str, headers: Mapping[str, str] = NONE) -> None:
        """Send a request."""
        further = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nAuthorization: Bearer {self._key}\r\n"
        content = body.encode()
        said = f"{head}{further}Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        self.socket.sendall(said.encode() + content)


class Page(Connection):
    """A page: connects, says hello, and answers every call with the same outcome."""

    def __init__(self, base_url: str, token: str, page_id: str) -> None:
        super().__init__(_connect(base_url))
        self.sizes: dict[str, int] = {}
        """Bytes of the last message of each event, without frame and number."""
        said = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        path = "/ws/socket.io/?EIO=4&transport=websocket"
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {urlsplit(base_url).netloc}\r\n{said}{key}".encode()
        )
        self.take_head()
        self.read_text()
        self.send("40" + json.dumps({"token": token}))
        self.expect("40")
        self.send("420" + json.dumps(["bridge:hello", {"protocol": 2, "page_id": page_id}]))
        self.sizes["welcome"] = len(self.expect("430").encode())

    def expect(self, start: str) -> str:
        """The next message, which starts like that."""
        text = self.read_text()
        if not text.startswith(start):
            raise ConnectionError(text)
        return text

    def answer_calls(self) -> None:
        """Acknowledge calls and report their outcome, until the connection ends."""
        with suppress(ConnectionError):
            self.socket.settimeout(None)
            while True:
                self._answer(self.read_text())

    def _answer(self, text: str) -> None:
        if text == "2":  # a ping of Engine.IO
            self.send("3")
        if not text.startswith("42"):
            return
        start = text.index("[")
        name, event = json.loads(text[start:])
        self.sizes[name] = len(text[start:].encode())
        if name != "events":
            return
        call: dict[str, Any] = event["data"]["data"]
        self.sizes["params"] = len(json.dumps(call["params"]).encode())
        ack = f'43{text[2:start]}[{{"call_id":"{call["id"]}"}}]'
        self.send(ack, f'42["bridge:result",{{"call_id":"{call["id"]}","outcome":{OUTCOME}}}]')

    def send(self, *texts: str) -> None:
        """Send messages in one piece."""
        self.socket.sendall(b"".join(_frame(text.encode()) for text in texts))

    def read_text(self) -> str:
        """The next message."""
        kind, size = self.take(2)
        if kind != TEXT_FRAME:
            raise ConnectionError("The bridge closed the socket.")
        if size == 126:
            (size,) = struct.unpack("!H", self.take(2))
        elif size == 127:
            (size,) = struct.unpack("!Q", self.take(8))
        return self.take(size).decode()


def _frame(text: bytes) -> bytes:
    """A text frame of a client, masked with zeros."""
    size = len(text)
    head = bytes([TEXT_FRAME, 0x80 | size]) if size < 126 else b"\x81\xfe" + struct.pack("!H", size)
    return head + bytes(4) + text


class Provider:
    """A provider of `MODELS`. It answers the one request of each connection, piece by piece as `pace` allows.

    Pieces that come together are handled together, and how many come together would be chance.
    """

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.base_url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        self.pace = Semaphore()
        self._thread = ThreadPoolExecutor(1)
        self._serving = self._thread.submit(self._serve)

    def close(self) -> None:
        """Hang up."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._serving.result(WAIT_S)
        self._thread.shutdown()
        self._listener.close()

    def _serve(self) -> None:
        with ExitStack() as stack, suppress(OSError):  # the listener's, when it is shut down
            while True:
                connected, _ = self._listener.accept()
                connection = Connection(stack.enter_context(connected))
                with suppress(ConnectionError):
                    self._answer(connection)

    def _answer(self, connection: Connection) -> None:
        head, length = connection.take_head()
        if not length:
            listed = json.dumps({"object": "list", "data": [{"id": name} for name in MODELS]}).encode()
            said = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            connection.socket.sendall(said % len(listed) + listed)
        else:
            events = response_events if b"/responses " in head else chat_chunks
            model = str(json.loads(connection.take(length))["model"])
            if model == SILENT:
                connection.socket.sendall(b"".join(build_stream(events(1))[:3]))
                return
            for part in build_stream(events(MODELS[model])):
                if _PIECE in part:
                    self.pace.acquire(timeout=WAIT_S)
                connection.socket.sendall(part)
        connection.socket.shutdown(socket.SHUT_WR)
