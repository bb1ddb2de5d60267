"""A Redis server of this test process, in a folder of its own."""

import itertools
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from tests.support.programs import needs
from tests.support.tcp_servers import free_port

STOP_SECONDS = 10
DATABASES = 16
READY = b"Ready to accept connections"
OPTIONS = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no")


def program() -> Path:
    """The server that `make/redis` names."""
    return Path(needs.find(needs.REDIS))


class RedisServer:
    """A server that only this machine reaches; on Linux it ends with this process, however that ends."""

    def __init__(self, chosen: Path | None = None) -> None:
        """`chosen`: its program; None: what `program` finds."""
        self._folder = Path(tempfile.mkdtemp(prefix="tool-bridge-redis-"))
        # Debian's redis-tools has the server under another name, and it does what its name says.
        self._program = self._folder / "redis-server"
        self._program.symlink_to(chosen or program())
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        self.start()

    @property
    def url(self) -> str:
        """Its address by network."""
        return self.url_of(0)

    def url_of(self, database: int) -> str:
        """The address of one of its databases."""
        assert database < DATABASES
        return f"redis://127.0.0.1:{self.port}/{database}"

    @property
    def socket_url(self) -> str:
        """Its address by socket."""
        return f"unix://{self._folder}/redis.sock?db=0"

    def start(self) -> None:
        """Start it, empty; it answers when this returns."""
        setpriv = shutil.which("setpriv")
        dying = [setpriv, "--pdeathsig", "KILL", "--"] if setpriv else []
        place = ["--port", str(self.port), "--dir", str(self._folder), "--unixsocket", "redis.sock"]
        command = [*dying, str(self._program), *place, *OPTIONS]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        said = cast("IO[bytes]", self._process.stdout)
        lines = list(itertools.takewhile(lambda line: READY not in line, said))
        assert self._process.poll() is None, b"".join(lines).decode()
        threading.Thread(target=_drained, args=(said,), daemon=True).start()

    def stop(self) -> None:
        """End every connection, and the server."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(STOP_SECONDS)
            self._process = None

    @contextmanager
    def stopped(self) -> Generator[None]:
        """A port at which nobody listens."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def frozen(self) -> Generator[None]:
        """A server that keeps its connections and answers nothing."""
        process = cast("subprocess.Popen[bytes]", self._process)
        process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            process.send_signal(signal.SIGCONT)

    def flush(self) -> None:
        """Forget everything; starts it if a test has left it stopped."""
        if self._process is None:
            self.start()
        assert self.execute("FLUSHALL") == "+OK"

    def execute(self, *words: str) -> str:
        """The first line of the answer to one command, as it is on the wire."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=STOP_SECONDS) as connection:
            parts = "".join(f"${len(word.encode())}\r\n{word}\r\n" for word in words)
            connection.sendall(f"*{len(words)}\r\n{parts}".encode())
            with connection.makefile("rb") as answer:
                return answer.readline().decode().strip()

    def remove(self) -> None:
        """Stop it and delete its folder."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


def _drained(said: IO[bytes]) -> None:
    with said:
        for _line in said:
            pass
