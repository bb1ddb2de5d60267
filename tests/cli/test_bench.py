"""`python -m bench`: both sides on one event loop, and other projects' servers, which we cannot mend."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from bench import event_loop
from bench.peers.environments import PeerPackage
from bench.peers.servers import run_program, start_peer
from bench.servers import Server
from tests.house.source import files, refuse, text_of

ENDING = "import sys; print('Traceback'); sys.exit('TypeError: no such option')"
NOWHERE = "http://127.0.0.1:9/"


@asynccontextmanager
async def run_ending(folder: Path) -> AsyncGenerator[Server]:
    """A server that ends at once."""
    async with run_program((sys.executable, "-c", ENDING), str(folder), NOWHERE) as pid:
        yield Server("peer", NOWHERE, "", pid)


@pytest.mark.parametrize("name", ["asyncio", "uvloop"])
@pytest.mark.skipif(sys.platform == "win32", reason="uvloop has no build for Windows")
def test_a_benchmark_runs_on_the_event_loop_that_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on the quicker loop beside a floor on the slower one would flatter the server."""

    async def module_of_loop() -> str:
        return type(asyncio.get_running_loop()).__module__.partition(".")[0]

    monkeypatch.setenv(event_loop.VARIABLE, name)
    assert (event_loop.loop_name(), event_loop.run(module_of_loop())) == (name, name)


def test_so_does_every_process_that_it_starts() -> None:
    """But for the attacker, which is compared with nothing."""
    refuse(
        f"{path}: asyncio.run, which knows no other loop than its own"
        for path in files(".py", under=("bench/",))
        if "asyncio.run(" in text_of(path) and path != "bench/attacker.py"
    )


@pytest.mark.asyncio
async def test_a_peer_that_ends_before_it_answers_is_left_out_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A release may stop working when what it depends on goes on; the others are measured all the same.

    Finding house-H7: what a peer said last was what it had kept longest in its buffer.
    """
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    peer = PeerPackage("peer", "peer==1.0")
    peer.folder.mkdir(parents=True)
    (peer.folder / "installed").write_text(peer.requirement, encoding="utf-8")
    async with AsyncExitStack() as stack:
        assert await start_peer(stack, peer, run_ending(tmp_path)) is None
    said = capsys.readouterr().err
    assert "peer==1.0 is left out" in said
    assert "TypeError: no such option" in said
