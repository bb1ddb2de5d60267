"""`python -m bench peers`: other projects' servers, which this project cannot mend."""

import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from bench.peers.environments import PeerPackage
from bench.peers.servers import run_program, start_peer
from bench.servers import Server

pytestmark = pytest.mark.asyncio
ENDING = "import sys; print('Traceback'); sys.exit('TypeError: no such option')"
NOWHERE = "http://127.0.0.1:9/"


@asynccontextmanager
async def run_ending(folder: Path) -> AsyncGenerator[Server]:
    """A server that ends at once."""
    async with run_program((sys.executable, "-c", ENDING), str(folder), NOWHERE) as pid:
        yield Server("peer", NOWHERE, "", pid)


async def test_a_peer_that_ends_before_it_answers_is_left_out_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A release may stop working when what it depends on goes on; the others are measured all the same."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    peer = PeerPackage("peer", "peer==1.0")
    peer.folder.mkdir(parents=True)
    (peer.folder / "installed").write_text(peer.requirement, encoding="utf-8")
    async with AsyncExitStack() as stack:
        assert await start_peer(stack, peer, run_ending(tmp_path)) is None
    said = capsys.readouterr().err
    assert "peer==1.0 is left out" in said
    assert "TypeError: no such option" in said
