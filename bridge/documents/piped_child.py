"""Starting a child process without holding the event loop.

uvloop forks the whole bridge, which takes 15 ms with 400 MB and more with more; the standard library lets the
child run in the parent's memory until it has become the other program (`vfork`), which takes half a
millisecond however large the bridge is. asyncio's own loop does that, too.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Literal, Protocol

from bridge.operating_system import give_pipe_to_loop, is_uvloop


class Child(Protocol):
    """A running child process, as asyncio has it."""

    @property
    def pid(self) -> int:
        """Its process id."""
        ...

    @property
    def stdin(self) -> asyncio.StreamWriter | None:
        """Where requests are written."""
        ...

    @property
    def stdout(self) -> asyncio.StreamReader | None:
        """Where answers are read."""
        ...

    @property
    def returncode(self) -> int | None:
        """How it ended; None: it runs."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...

    async def communicate(self) -> object:
        """Read its output to the end, and wait until it has ended."""
        ...


async def spawn_child(arguments: Sequence[str], environment: Mapping[str, str]) -> Child:
    """Start a program with pipes for input and output."""
    if not is_uvloop(asyncio.get_running_loop()):
        pipe = asyncio.subprocess.PIPE
        return await asyncio.create_subprocess_exec(*arguments, stdin=pipe, stdout=pipe, env=environment)
    process = subprocess.Popen(  # noqa: ASYNC220 - takes half a millisecond, as the module says
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment
    )
    try:
        return await _PipedChild.connect(process)
    except BaseException:
        process.kill()
        process.wait()
        raise


class _PipedChild:
    """Implements `Child` by the event loop's pipes."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: asyncio.StreamWriter,
        stdout: asyncio.StreamReader,
        reading: asyncio.BaseTransport,
    ) -> None:
        """Use `connect`. `reading`: what feeds `stdout`."""
        self._process = process
        self.pid = process.pid
        self.stdin = stdin
        self.stdout = stdout
        self._reading = reading

    @classmethod
    async def connect(cls, process: subprocess.Popen[bytes]) -> _PipedChild:
        loop = asyncio.get_running_loop()
        answers = asyncio.StreamReader()
        nothing = asyncio.StreamReader()
        taking = asyncio.StreamReaderProtocol(answers)
        reading, _ = await loop.connect_read_pipe(lambda: taking, _give_end(process.stdout, "rb", loop))
        giving = asyncio.StreamReaderProtocol(nothing)
        writing, _ = await loop.connect_write_pipe(lambda: giving, _give_end(process.stdin, "wb", loop))
        return cls(process, asyncio.StreamWriter(writing, giving, None, loop), answers, reading)

    @property
    def returncode(self) -> int | None:
        return self._process.poll()

    def kill(self) -> None:
        self._process.kill()

    async def communicate(self) -> None:
        self.stdin.close()
        try:
            await self.stdout.read()
        finally:
            self._reading.close()
        await asyncio.to_thread(self._process.wait)


def _give_end(
    pipe: IO[bytes] | None, mode: Literal["rb", "wb"], loop: asyncio.AbstractEventLoop
) -> IO[bytes]:
    """Return our end of a pipe for the loop, which closes it; `pipe` does not any more."""
    assert pipe is not None
    with pipe:
        return give_pipe_to_loop(os.dup(pipe.fileno()), mode, loop)
