"""A PostgreSQL server of this test process, in a folder of its own, and a fresh database for each test."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import psycopg
from psycopg import sql
from sqlalchemy import URL

from bridge.storage.database import open_postgresql, postgresql_url
from tests.support.programs import needs
from tests.support.tcp_servers import free_port

STOP_SECONDS = 20
PASSWORD = "p@ss: word/?#%"
QUICK = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "shared_buffers=32MB",
    "jit=off",
    "min_wal_size=32MB",
    "max_wal_size=64MB",
)
RULES = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
"""Who is let in: who knows the socket, and others of this machine by password."""

MEMORY = Path("/dev/shm")
MEMORY_BYTES = 1 << 30
"""That are to be free: a server takes a tenth of it, and each process of a run has its own."""

READY = b"database system is ready to accept connections"
TEMPLATE = "migrated"


def binaries() -> Path:
    """The folder of `initdb` that `make/postgres` names."""
    return Path(needs.find(needs.POSTGRESQL))


class PostgresServer:
    """A server that only this machine reaches; it stops with this process, however that ends."""

    def __init__(self) -> None:
        self._binaries = binaries()
        self._account = _account()
        self._folder = Path(tempfile.mkdtemp(prefix="tool-bridge-postgresql-", dir=_in_memory()))
        self._process: subprocess.Popen[bytes] | None = None
        self._names = (f"test_{number}" for number in itertools.count())
        self.port = free_port()
        if self._account:
            shutil.chown(self._folder, self._account["user"])
        options = ["--encoding=UTF8", "--locale=C", "--username=postgres", "--no-sync", "--auth=trust"]
        command = [self._binaries / "initdb", *options, "--pgdata", self._cluster]
        subprocess.run(command, check=True, capture_output=True, cwd="/", **self._account)
        (self._cluster / "pg_hba.conf").write_text(RULES)
        self.start()
        self.execute(sql.SQL("ALTER USER postgres PASSWORD {}").format(PASSWORD))
        self.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(TEMPLATE)))
        open_postgresql(self.url(TEMPLATE)).writing.dispose()

    @property
    def _cluster(self) -> Path:
        return self._folder / "cluster"

    def start(self) -> None:
        """Start it; it answers when this returns. It ends with the thread that calls this: the main one."""
        settings = (*QUICK, f"port={self.port}", f"unix_socket_directories={self._folder}")
        options = [part for setting in settings for part in ("-c", setting)]
        command = [*_dying_with_us(), str(self._binaries / "postgres"), "-D", str(self._cluster), *options]
        piped: dict[str, Any] = {"stderr": subprocess.PIPE, "start_new_session": True, "cwd": "/"}
        process = cast("subprocess.Popen[bytes]", subprocess.Popen(command, **piped, **self._account))
        self._process, said = process, cast("IO[bytes]", process.stderr)
        lines = list(itertools.takewhile(lambda line: READY not in line, said))
        assert process.poll() is None, b"".join(lines).decode()
        threading.Thread(target=_drained, args=(said,), daemon=True).start()

    def stop(self) -> None:
        """End every connection, and the server."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)  # PostgreSQL's "fast" shutdown
            self._process.wait(STOP_SECONDS)
            self._process = None

    @contextmanager
    def frozen(self) -> Generator[None]:
        """A server that keeps its connections and answers nothing."""
        postmaster = cast("subprocess.Popen[bytes]", self._process).pid
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        everybody = [postmaster, *map(int, children)]
        for process_id in everybody:
            os.kill(process_id, signal.SIGSTOP)
        try:
            yield
        finally:
            for process_id in everybody:
                os.kill(process_id, signal.SIGCONT)

    def remove(self) -> None:
        """Stop it and delete what it kept."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def url(self, database: str) -> URL:
        """Address of a database, through the socket."""
        return postgresql_url(f"postgresql://postgres@/{database}?host={self._folder}&port={self.port}")

    def network_url(self, database: str, user: str = "postgres", password: str = PASSWORD) -> URL:
        """Address of a database by network, where a password is asked for."""
        url = URL.create("postgresql", user, password, "127.0.0.1", self.port, database)
        return postgresql_url(url.render_as_string(hide_password=False))

    def execute(self, statement: sql.Composed, database: str = "postgres") -> None:
        """One statement of the superuser, in no transaction."""
        with psycopg.connect(
            host=str(self._folder), port=self.port, user="postgres", dbname=database
        ) as found:
            found.autocommit = True
            found.execute(statement)

    @contextmanager
    def database(self, template: str = TEMPLATE) -> Generator[URL]:
        """A database of its own, with the tables of the bridge unless told otherwise; deleted at the end."""
        name = next(self._names)
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self.execute(made.format(sql.Identifier(name), sql.Identifier(template)))
        try:
            yield self.url(name)
        finally:
            if self._process is not None:
                self.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))


def _in_memory() -> Path | None:
    """Where Linux keeps files in main memory, if there is room; None: where temporary files are.

    A database is a thousand small files: to make one takes a fifth of a second of a core on a disk.
    """
    try:
        has_room = shutil.disk_usage(MEMORY).free > MEMORY_BYTES and os.access(MEMORY, os.W_OK)
    except OSError:
        has_room = False
    return MEMORY if has_room else None


def _account() -> dict[str, Any]:
    """PostgreSQL does not run as root: as the user of Debian's package then, or as nobody."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    chosen = known.get("postgres") or known["nobody"]
    return {"user": chosen.pw_name, "group": chosen.pw_gid, "extra_groups": []}


def _dying_with_us() -> list[str]:
    """On Linux the kernel stops it when this process is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "INT", "--"] if setpriv else []


def _drained(said: IO[bytes]) -> None:
    with said:
        for _line in said:
            pass
