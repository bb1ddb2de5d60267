"""Answers that another replica keeps: copied here when they are asked for, lost with that replica."""

import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bridge.calls.call_ids import CallIds, made_at
from bridge.errors import BridgeError, ErrorCode
from bridge.http.answer_files import AnswerFiles
from bridge.http.answers_elsewhere import KeeperGone
from bridge.http.file_links import FileLinks

pytestmark = pytest.mark.asyncio

ANN = "a" * 32
SECRET = b"of all replicas"
KEEPER = CallIds(SECRET, "beef" * 4)


@dataclass
class Others:
    """The other replicas, of which one keeps answers."""

    kept: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Texts by call."""
    is_gone: bool = False
    breaks_off: bool = False
    asked: list[str] = field(default_factory=list[str])
    links: FileLinks = field(default_factory=lambda: FileLinks(SECRET, None))  # type: ignore[arg-type]

    @asynccontextmanager
    async def open_answer(
        self, user_id: str, call_id: str, path: str
    ) -> AsyncGenerator[AsyncIterator[bytes] | None]:
        self.asked.append(call_id)
        if self.is_gone:
            raise KeeperGone
        linked = self.links.read_link(path.removeprefix("/files/"))
        assert linked.file_id.startswith(f"{user_id}/{call_id}.")
        is_kept = linked.file_id.endswith(".txt") and call_id in self.kept
        yield self._pieces(self.kept[call_id]) if is_kept else None

    async def _pieces(self, content: bytes) -> AsyncIterator[bytes]:
        yield content[:3]
        if self.breaks_off:
            raise BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, "It broke off.", retryable=True)
        yield content[3:]


@pytest.fixture
def others() -> Others:
    return Others()


@pytest.fixture
def files(tmp_path: Path, others: Others) -> AnswerFiles:
    """Of a replica whose folder is its own."""
    ids = CallIds(SECRET, "0123" * 4)
    return AnswerFiles(tmp_path, others.links, 1000, of_replica=ids, replicas=others)


async def refused_code(files: AnswerFiles, call_id: str) -> ErrorCode:
    with pytest.raises(BridgeError) as refused:
        await files.read_page(ANN, call_id, 0)
    return refused.value.error.code


async def test_an_answer_is_got_from_the_replica_that_its_id_names(
    files: AnswerFiles, others: Others, tmp_path: Path
) -> None:
    """Once: after that it is here, and expires with the original."""
    call_id = KEEPER.make_id(ANN)
    others.kept[call_id] = b"whole answer"
    assert (await files.read_page(ANN, call_id, 0))["text"] == "whole answer"
    assert await files.sign_link(ANN, call_id, "text/plain") is not None
    assert others.asked == [call_id]
    assert os.stat(tmp_path / ANN / f"{call_id}.txt").st_mtime == pytest.approx(made_at(call_id), abs=0.01)


async def test_a_link_leads_to_the_replica_that_keeps_the_answer(files: AnswerFiles, others: Others) -> None:
    """Whoever signed it; its text says what is asked for."""
    call_id = KEEPER.make_id(ANN)
    others.kept[call_id] = b"whole answer"
    path = files.url_path(f"{ANN}/{call_id}.txt", "text/plain", "list.txt")
    stored = await files.open_file(path.removeprefix("/files/"))
    assert stored is not None
    assert (stored.path.read_bytes(), stored.filename) == (b"whole answer", "list.txt")


async def test_what_a_replica_kept_is_lost_with_it(files: AnswerFiles, others: Others) -> None:
    """`not_found` would say that there was none; a model is told not to repeat what may have changed."""
    others.is_gone = True
    call_id = KEEPER.make_id(ANN)
    assert await refused_code(files, call_id) is ErrorCode.ANSWER_LOST
    with pytest.raises(BridgeError) as refused:
        await files.sign_link(ANN, call_id, "text/plain")
    assert refused.value.error.detail == {"call_id": call_id}
    assert "Do not repeat" in refused.value.error.message


async def test_what_a_live_replica_does_not_have_was_never_kept(files: AnswerFiles) -> None:
    """Or it has expired; either way nothing is lost."""
    assert await refused_code(files, KEEPER.make_id(ANN)) is ErrorCode.NOT_FOUND


async def test_nobody_is_asked_for_what_nobody_else_can_have(files: AnswerFiles, others: Others) -> None:
    """Ids that a model invents, another user's, this replica's own, and a bridge's that was alone."""
    own = CallIds(SECRET, "0123" * 4).make_id(ANN)
    for call_id in (f"call_{'0' * 32}", KEEPER.make_id("b" * 32), own):
        assert await refused_code(files, call_id) is ErrorCode.NOT_FOUND
    assert others.asked == []


async def test_a_copy_that_breaks_off_leaves_nothing(
    files: AnswerFiles, others: Others, tmp_path: Path
) -> None:
    """Half of it would be read as the whole from then on."""
    call_id = KEEPER.make_id(ANN)
    others.kept[call_id], others.breaks_off = b"whole answer", True
    assert await refused_code(files, call_id) is ErrorCode.CLUSTER_UNAVAILABLE
    assert list((tmp_path / ANN).iterdir()) == []
    others.breaks_off = False
    assert (await files.read_page(ANN, call_id, 0))["text"] == "whole answer"
