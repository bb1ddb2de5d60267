"""Answers longer than a caller reads: cut, kept, read on with `read_result`, and gone after a day."""

import os
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from bridge.app.server import Bridge
from bridge.calls.outcome import CallOutcome
from bridge.calls.state_machine import CallState
from bridge.errors import BridgeError, ErrorCode
from bridge.http.answer_files import AnswerFiles
from bridge.storage.answer_files import KEEP_SECONDS, KEPT_ANSWERS_PER_USER, KEPT_BYTES_PER_USER
from tests.support.cluster.bridge_pairs import home_url
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, page_of, running_bridge
from toolserver.answer.result import NOT_STORED, READ_ON, Answered, TextBody

pytestmark = pytest.mark.asyncio

CAP = 2000
LINE = "the café — 🐻 — stays lit\n"
LONG = LINE * 200
"""Characters of one to four bytes, so that a cut at any byte would split some."""


def long_bridge(folder: Path, **settings: Any) -> AbstractAsyncContextManager[Bridge]:
    return running_bridge(folder, max_answer_bytes=CAP, **settings)


async def answering(bridge: Bridge, page_text: str, content_type: str = "text/plain") -> dict[str, Any]:
    """What the caller reads when the API answers with that text, which the page uploads."""
    await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
    pages: list[FakePage] = []

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        headers = {"X-Result-Token": call["bridge"]["result_token"], "X-Result-Kind": "text"}
        url = f"{home_url(bridge.base_url)}/api/calls/{call['id']}/result"
        async with pages[0].http.put(url, data=page_text.encode(), headers=headers) as response:
            assert response.status == 200
        body = {"kind": "uploaded"}
        return {"status": "answered", "http_status": 200, "content_type": content_type, "body": body}

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        pages.append(page)
        return await call(bridge, page, "listProducts", {})


async def call(bridge: Bridge, page: FakePage, tool: str, arguments: object, key: str = "") -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key or bridge.key}"}
    async with page.http.post(f"{bridge.base_url}/tools/{tool}", json=arguments, headers=headers) as response:
        return await response.json()


async def read_on(bridge: Bridge, answer: dict[str, Any]) -> str:
    """The whole text, as a model puts it together."""
    files, user = bridge.components.calls.files, bridge.local_user.id
    text, offset = answer["text"], answer["next_offset"]
    while isinstance(offset, int):
        part = await files.read_page(user, answer["call_id"], offset)
        text += str(part["text"])
        assert len(str(part["text"]).encode()) <= CAP
        offset = part.get("next_offset")
    return text


async def test_a_long_text_is_read_in_parts_to_its_last_character(tmp_path: Path) -> None:
    """No character is lost, doubled or split at any seam, and a restart of the bridge loses nothing."""
    async with long_bridge(tmp_path) as bridge:
        answer = await answering(bridge, LONG)
        size = len(LONG.encode())
        assert answer["truncated"]["bytes_kept"] == answer["truncated"]["bytes_total"] == size
        assert CAP - 4 < answer["truncated"]["bytes_shown"] <= CAP
        assert answer["hint"] == READ_ON
        assert await read_on(bridge, answer) == LONG
    async with long_bridge(tmp_path) as again:
        assert await read_on(again, answer) == LONG


async def test_the_tool_read_result_reads_on_for_its_own_user_only(tmp_path: Path) -> None:
    """The id of a call is no secret; what it answered is."""
    async with long_bridge(tmp_path) as bridge:
        answer = await answering(bridge, LONG)
        other_client = await bridge.components.users.ensure_user("stranger")
        _, key = await bridge.components.users.add_key(other_client.id, "test")
        asked = {"call_id": answer["call_id"], "offset": answer["next_offset"]}

        async def never(_call: dict[str, Any]) -> None:
            raise AssertionError("reading on needs no page")

        async with page_of(bridge, bridge.local_user.id, never) as page:
            part = await call(bridge, page, "read_result", asked)
            refused = await call(bridge, page, "read_result", asked, key)
        assert LONG.startswith(answer["text"] + part["text"])
        assert part["total"] == len(LONG)
        assert refused["error"]["code"] == "not_found"


async def test_the_whole_answer_can_be_downloaded(tmp_path: Path) -> None:
    """A user may want the file though the model reads only its beginning; its text is UTF-8 now."""
    async with long_bridge(tmp_path) as bridge:
        answer = await answering(bridge, LONG, "text/csv; charset=shift_jis")

        async def never(_call: dict[str, Any]) -> None:
            raise AssertionError("nobody calls")

        async with page_of(bridge, bridge.local_user.id, never) as page:
            async with page.http.get(answer["file"]["url"]) as response:
                assert await response.read() == LONG.encode()
                assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
            address = f"{bridge.base_url}/api/calls/{answer['call_id']}/answer"
            query = {"content_type": "text/html", "disposition": 'attachment; filename="a.htm"'}
            auth = {"Authorization": f"Bearer {page.token}"}
            async with page.http.get(address, params=query, headers=auth) as response:
                found = await response.json()
            assert (found["filename"], found["bytes"]) == ("a.htm", len(LONG.encode()))
            async with page.http.get(bridge.base_url + found["url"]) as response:
                assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''a.htm"
            unknown = f"{bridge.base_url}/api/calls/call_{'0' * 32}/answer"
            async with page.http.get(unknown, headers=auth) as response:
                assert (response.status, (await response.json())["error"]["code"]) == (404, "not_found")


async def test_without_a_cap_all_that_is_stored_is_read(tmp_path: Path) -> None:
    """0 is for callers that cut by themselves."""
    async with running_bridge(tmp_path, max_answer_bytes=0) as bridge:
        assert (await answering(bridge, LONG * 100))["text"] == LONG * 100


async def test_a_full_disk_costs_the_rest_and_says_so(tmp_path: Path) -> None:
    """The answer has been paid for by a request; its beginning must not be lost with its end."""
    (tmp_path / "files").write_text("in the way")
    async with long_bridge(tmp_path) as bridge:
        answer = await answering(bridge, LONG)
        assert LONG.startswith(answer["text"])
        assert answer["hint"] == NOT_STORED
        assert "next_offset" not in answer


async def stream(content: bytes) -> AsyncIterator[bytes]:
    yield content


def an_id(number: int) -> str:
    return f"call_{number:032x}"


@pytest.fixture
def files(tmp_path: Path) -> AnswerFiles:
    """Of a bridge that nobody calls; its links are not used."""
    return AnswerFiles(tmp_path / "files", links=None, max_answer_bytes=CAP)  # type: ignore[arg-type]


@pytest.mark.parametrize("call_id", ["", "call_1", an_id(7), "../ann/" + an_id(1), f"{an_id(1)}.txt"])
async def test_an_answer_that_is_not_there_is_a_typed_error(files: AnswerFiles, call_id: str) -> None:
    """A model invents ids; none of them may lead anywhere else."""
    await files.receive_text("ann", an_id(1), stream(b"kept"))
    with pytest.raises(BridgeError) as raised:
        await files.read_page("ann", call_id, 0)
    assert raised.value.error.code is ErrorCode.NOT_FOUND


async def test_an_offset_beyond_the_end_is_told_with_the_length(files: AnswerFiles) -> None:
    """An empty part would read as the end of the answer."""
    await files.receive_text("ann", an_id(1), stream("é!".encode()))
    assert await files.read_page("ann", an_id(1), 2) == {"text": "", "offset": 2, "total": 2}
    with pytest.raises(BridgeError) as raised:
        await files.read_page("ann", an_id(1), 3)
    assert raised.value.error.code is ErrorCode.INVALID_ARGUMENTS
    assert raised.value.error.detail == {"argument": "offset", "total": 2}


async def test_a_file_is_not_read_as_text(files: AnswerFiles) -> None:
    """Its bytes would flood the model."""
    await files.receive_file("ann", an_id(1), stream(b"\x89PNG"))
    with pytest.raises(BridgeError) as raised:
        await files.read_page("ann", an_id(1), 0)
    assert raised.value.error.code is ErrorCode.INVALID_ARGUMENTS


def age(path: Path, seconds: float) -> None:
    os.utime(path, (0, time.time() - seconds))


async def test_an_answer_older_than_a_day_is_gone_before_it_is_swept(
    files: AnswerFiles, tmp_path: Path
) -> None:
    """What is promised to be deleted is not shown by accident."""
    await files.receive_text("ann", an_id(1), stream(b"old"))
    kept = tmp_path / "files" / "ann" / f"{an_id(1)}.txt"
    age(kept, KEEP_SECONDS + 1)
    with pytest.raises(BridgeError):
        await files.read_page("ann", an_id(1), 0)
    await files.receive_text("bob", an_id(2), stream(b"new"))
    assert not kept.exists()
    assert (await files.read_page("bob", an_id(2), 0))["text"] == "new"


async def test_a_user_who_stores_too_much_loses_the_oldest(files: AnswerFiles, tmp_path: Path) -> None:
    """The disk is everybody's: one user's answers never push out another's."""
    folder = tmp_path / "files" / "ann"
    await files.receive_text("bob", an_id(1), stream(b"of bob"))
    for number in (1, 2):
        await files.receive_text("ann", an_id(number), stream(b"x"))
        age(folder / f"{an_id(number)}.txt", 100 - number)
    os.truncate(folder / f"{an_id(2)}.txt", KEPT_BYTES_PER_USER - 2)
    age(folder / f"{an_id(2)}.txt", 98)
    await files.receive_text("ann", an_id(3), stream(b"xx"))
    assert {path.stem for path in folder.iterdir()} == {an_id(2), an_id(3)}
    assert (await files.read_page("bob", an_id(1), 0))["text"] == "of bob"


async def test_small_answers_are_counted_too(files: AnswerFiles, tmp_path: Path) -> None:
    """A million of them are a burden of another kind."""
    folder = tmp_path / "files" / "ann"
    folder.mkdir(parents=True)
    for number in range(KEPT_ANSWERS_PER_USER + 5):
        (folder / f"{an_id(number)}.txt").touch()
        age(folder / f"{an_id(number)}.txt", 5000 - number)
    await files.receive_text("ann", an_id(9999), stream(b"newest"))
    left = {path.stem for path in folder.iterdir()}
    assert len(left) == KEPT_ANSWERS_PER_USER
    assert an_id(9999) in left
    assert an_id(0) not in left


async def test_an_upload_that_breaks_off_leaves_nothing(files: AnswerFiles, tmp_path: Path) -> None:
    """Half an answer with a whole one's name would be read as whole."""

    async def broken() -> AsyncIterator[bytes]:
        yield b"half"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await files.receive_text("ann", an_id(1), broken())
    assert list((tmp_path / "files" / "ann").iterdir()) == []


async def test_an_answer_within_the_message_is_kept_when_a_caller_reads_less(files: AnswerFiles) -> None:
    """A cap below 256 KiB cuts answers that never were uploaded; what fits is left alone."""
    short = CallOutcome(an_id(1), CallState.SUCCEEDED, Answered(200, "", {}, TextBody("short")), None)
    assert await files.fit_answer("ann", short) is short
    long = CallOutcome(an_id(2), CallState.SUCCEEDED, Answered(200, "", {}, TextBody(LONG)), None)
    fitted = (await files.fit_answer("ann", long)).answered
    assert fitted is not None
    assert isinstance(fitted.body, TextBody)
    assert fitted.body.total_bytes == len(LONG.encode())
    assert LONG.startswith(fitted.body.text)
    part = await files.read_page("ann", an_id(2), len(fitted.body.text))
    assert LONG.startswith(fitted.body.text + str(part["text"]))


async def test_a_caller_that_reads_less_gets_less_of_what_is_stored_once(files: AnswerFiles) -> None:
    """Finding W-41: what was uploaded, or cut for everybody, is cut further; its file stays the same."""

    async def body() -> AsyncIterator[bytes]:
        yield LONG.encode()

    stored = await files.receive_text("ann", an_id(1), body())
    for text in (stored, TextBody(LONG[:1500], stored_file=stored.stored_file)):
        whole = CallOutcome(an_id(1), CallState.SUCCEEDED, Answered(200, "", {}, text), None)
        fitted = (await files.fit_answer("ann", whole, 1000)).answered
        assert fitted is not None
        assert isinstance(fitted.body, TextBody)
        assert 1000 - 4 < len(fitted.body.text.encode()) <= 1000
        assert fitted.body.stored_file == stored.stored_file
        assert fitted.body.total_bytes == (text.total_bytes or len(text.text.encode()))
        part = await files.read_page("ann", an_id(1), len(fitted.body.text), 1000)
        assert LONG.startswith(fitted.body.text + str(part["text"]))
        assert len(str(part["text"]).encode()) <= 1000
        assert await files.fit_answer("ann", whole, 10**9) is whole, (
            "no caller reads more than the bridge says"
        )
