"""Outlines of long answers, and queries of them: through `/tools`, by forwarders, with a call."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.answer_queries.queries import QueryWorker
from bridge.app.server import Bridge
from bridge.calls.reading import KeptText, QueryRefused
from bridge.documents.piped_child import Child, spawn_child
from bridge.timings import Timings
from tests.support.cluster.bridge_pairs import home_url
from tests.support.documents.compiled import document_text
from tests.support.running_bridge import FakePage, page_of, running_bridge

pytestmark = pytest.mark.asyncio

ROWS = "".join(f'{{"n":{number},"price":{number}.50,"text":"{"x" * 60}"}},' for number in range(1000))
LONG = f'{{"rows":[{ROWS[:-1]}],"next":9007199254740993}}'
"""Some 90 KB: more than models of the bridge read, less than other callers do."""

LINES = "".join(f'{{"n":{number},"text":"{"x" * 99}"}}\n' for number in range(900))


class Asked:
    """A bridge whose API answers with one text, and who calls it."""

    def __init__(self, bridge: Bridge, page: FakePage) -> None:
        self._bridge, self._page = bridge, page
        self.sent: list[dict[str, Any]] = []

    async def call(self, tool: str, arguments: object, **headers: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await self.call_raw(tool, arguments, **headers))
        return answer

    async def call_raw(self, tool: str, arguments: object, **headers: str) -> bytes:
        url = f"{self._bridge.base_url}/tools/{tool}"
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        auth = {"Authorization": f"Bearer {self._bridge.key}"} | named
        async with self._page.http.post(url, json=arguments, headers=auth) as response:
            return await response.read()

    async def read(self, answer: dict[str, Any]) -> str:
        async with self._page.http.get(answer["file"]["url"]) as response:
            return await response.text()


@asynccontextmanager
async def asked_of(
    folder: Path,
    text: str,
    content_type: str = "application/json",
    *,
    truncated: bool = False,
    **settings: Any,
) -> AsyncGenerator[Asked]:
    async with running_bridge(folder, **settings) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        made: list[Asked] = []
        pages: list[FakePage] = []

        async def answer(call: dict[str, Any]) -> dict[str, Any]:
            made[0].sent.append(call)
            headers = {"X-Result-Token": call["bridge"]["result_token"], "X-Result-Kind": "text"}
            url = f"{home_url(bridge.base_url)}/api/calls/{call['id']}/result"
            async with pages[0].http.put(url, data=text.encode(), headers=headers) as response:
                assert response.status == 200
            facts = {"content_type": content_type, "body": {"kind": "uploaded"}, "truncated": truncated}
            return {"status": "answered", "http_status": 200, **facts}

        async with page_of(bridge, bridge.local_user.id, answer) as page:
            pages.append(page)
            made.append(Asked(bridge, page))
            yield made[0]


async def test_an_own_key_reads_an_outline_only_of_what_is_longer_than_it_reads(tmp_path: Path) -> None:
    """Ruling 55: programs that count on whole answers go on reading them, unless they ask for outlines."""
    async with asked_of(tmp_path, LONG) as asked:
        assert len((await asked.call("listProducts", {}))["rows"]) == 1000
        early = await asked.call("listProducts", {}, X_Tool_Outline="true")
        assert early["outline"]["shape"] == (
            "{rows: [1,000 of {n: integer, price: number, text: string}], next: integer}"
        )
    async with asked_of(tmp_path, LONG, max_answer_bytes=20_000) as asked:
        assert "outline" in await asked.call("listProducts", {})


async def test_an_outline_keeps_what_a_cut_answer_has_and_the_link_to_the_whole(tmp_path: Path) -> None:
    """Ruling 55: who read on by offset, or gave the link to a user, still can."""
    async with asked_of(tmp_path, LONG) as asked:
        outline = await asked.call("listProducts", {}, X_Tool_Outline="true")
        size = len(LONG)
        assert outline["truncated"] == {"bytes_shown": 0, "bytes_kept": size, "bytes_total": size}
        assert await asked.read(outline) == LONG
        part = await asked.call(
            "read_result", {"call_id": outline["call_id"], "offset": outline["next_offset"]}
        )
        assert LONG.startswith(part["text"])
        assert len(json.dumps(outline)) < 8 * 1024


async def test_read_result_selects_and_numbers_keep_their_text(tmp_path: Path) -> None:
    """Ruling 56: 9.50 leaves as 9.50, and no digit of a long integer is lost."""
    async with asked_of(tmp_path, LONG) as asked:
        call_id = (await asked.call("listProducts", {}, X_Tool_Outline="true"))["call_id"]
        selected = await asked.call("read_result", {"call_id": call_id, "select": "[rows[9].price, next]"})
        assert selected == {"selected": [9.5, 9007199254740993]}
        wanted = {"call_id": call_id, "select": "rows[?n == `9`].price"}
        assert await asked.call_raw("read_result", wanted) == b'{"selected":[9.50]}'


@pytest.mark.parametrize(
    ("select", "reason"),
    [
        ("rows[", None),
        ("foo(rows)", "query"),
        ("sum(rows)", "query"),
        ("(" * 300 + "rows" + ")" * 300, None),
        ("rows | [@, @, @, @, @, @, @, @, @, @]", "too_long"),
    ],
)
async def test_a_query_that_cannot_be_run_says_why(tmp_path: Path, select: str, reason: str | None) -> None:
    """A model repairs what it can read: each is the error of an argument."""
    async with asked_of(tmp_path, LONG) as asked:
        call_id = (await asked.call("listProducts", {}, X_Tool_Outline="true"))["call_id"]
        error = (await asked.call("read_result", {"call_id": call_id, "select": select}))["error"]
    assert (error["code"], error["detail"]["argument"]) == ("invalid_arguments", "select")
    assert error["detail"].get("reason") == reason


async def test_what_is_not_json_is_cut_as_before_and_says_that_it_cannot_be_selected(tmp_path: Path) -> None:
    """Ruling 56: an empty selection would say that there is nothing."""
    async with asked_of(tmp_path, "id,name\n" * 9000, "text/csv", max_answer_bytes=20_000) as asked:
        cut = await asked.call("listProducts", {}, X_Tool_Outline="true")
        assert cut["text"].startswith("id,name")
        assert "outline" not in cut
        error = (await asked.call("read_result", {"call_id": cut["call_id"], "select": "rows"}))["error"]
        assert error["detail"]["reason"] == "not_json"


@pytest.mark.parametrize(
    ("text", "content_type", "count"),
    [
        (
            "".join(f'{{"n":{n},"t":"{"x" * 99}"}}\n' for n in range(900)) + '{"n":90',
            "application/x-ndjson",
            "items",
        ),
        (LONG[:60_000], "application/json", "rows"),
    ],
)
async def test_of_a_cut_answer_the_whole_items_are_queried_and_it_says_so(
    tmp_path: Path, text: str, content_type: str, count: str
) -> None:
    """Ruling 56: a count over what came must not be taken for the count of all."""
    async with asked_of(tmp_path, text, content_type, truncated=True) as asked:
        outline = await asked.call("listProducts", {}, X_Tool_Outline="true")
        assert outline["outline"]["complete"] is False
        assert "its end is missing" in outline["hint"]
        wanted = {"call_id": outline["call_id"], "select": f"length({count})"}
        selected = await asked.call("read_result", wanted)
        assert selected["complete"] is False
        assert selected["selected"] == text.count('"n":') - 1


async def test_a_call_can_carry_its_query(tmp_path: Path) -> None:
    """Ruling 57: the API does not see it, the whole answer is stored, and its link comes along."""
    async with asked_of(tmp_path, LONG) as asked:
        answer = await asked.call("listProducts", {"result_select": "rows[?n > `997`].price", "limit": 3})
        assert answer["selected"] == [998.5, 999.5]
        assert json.loads(
            asked.sent[0]["data"]["params"] if "data" in asked.sent[0] else asked.sent[0]["params"]
        ) == {"limit": 3}
        assert await asked.read(answer) == LONG
        again = await asked.call("read_result", {"call_id": answer["call_id"], "select": "next"})
        assert again == {"selected": 9007199254740993}


async def test_a_query_with_a_syntax_error_sends_nothing(tmp_path: Path) -> None:
    """Ruling 57: a call that changes something is not made for an answer that cannot be read."""
    async with asked_of(tmp_path, LONG) as asked:
        error = (await asked.call("listProducts", {"result_select": "rows["}))["error"]
        assert (error["code"], error["detail"]["argument"]) == ("invalid_arguments", "result_select")
        assert asked.sent == []


@pytest.mark.parametrize("select", ["sum(rows)", "[@, @, @, @, @, @]"])
async def test_once_the_api_answered_no_query_changes_the_ending(tmp_path: Path, select: str) -> None:
    """Ruling 57: an error instead of a success would have a model repeat an order."""
    async with asked_of(tmp_path, LONG) as asked:
        answer = await asked.call("listProducts", {"result_select": select})
        assert "error" not in answer
        assert answer["outline"]["first"]["rows[0]"]["n"] == 0
        assert answer["select_error"]


ENOUGH_CALLS = 20
"""Of other callers; the answers of a hundred need the space of the one that is asked."""

_TEN = "[@,@,@,@,@,@,@,@,@,@]"
BOMBS = {
    "text": "'" + "x" * 47 + "'" + "|[@,@,@,@,@,@,@,@]|join('',@)" * 8,
    "items": "rows" + f"|{_TEN}[]" * 6,
    "shared parts": "rows" + f"|{_TEN}" * 12,
    "filters": "rows" + f"|{_TEN}[]" * 3 + "|[?n!=`1`]" * 9,
    "sorting": "rows" + f"|{_TEN}[]" * 3 + "|sort_by(@,&text)" * 5,
}
"""Expressions of at most 300 characters; which limit ends one first depends on the machine."""


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
async def test_expressions_of_an_attacker_end_with_an_error_and_disturb_no_call(
    tmp_path: Path, bomb: str
) -> None:
    """Ruling 56: 155 characters make 470 MB, others millions of items; meanwhile others call."""
    async with asked_of(tmp_path, LONG) as asked:
        call_id = (await asked.call("listProducts", {}, X_Tool_Outline="true"))["call_id"]
        attack = asyncio.create_task(asked.call("read_result", {"call_id": call_id, "select": bomb}))
        others = 0
        while not attack.done() and others < ENOUGH_CALLS:
            async with asyncio.timeout(30):
                assert len((await asked.call("listProducts", {}))["rows"]) == 1000
            others += 1
        error = (await attack)["error"]
        assert error["code"] == "invalid_arguments"
        assert error["detail"]["reason"] in {"too_slow", "too_large", "too_long"}
        assert others > 1
        again = await asked.call("read_result", {"call_id": call_id, "select": "next"})
        assert again == {"selected": 9007199254740993}


@pytest.mark.parametrize(("bomb", "reason"), [("text", "too_large"), ("shared parts", "too_long")])
async def test_a_query_that_takes_too_much_memory_or_makes_too_much_ends_by_that(
    bomb: str, reason: str
) -> None:
    """Ruling 56: 512 MB of memory, and bytes of the answer counted while they are written."""
    worker = QueryWorker(query_s=14)
    try:
        with pytest.raises(QueryRefused) as refused:
            await worker.select_from(KeptText(LONG), BOMBS[bomb], 1000)
        assert refused.value.reason == reason
    finally:
        await worker.close()


async def test_a_process_that_stops_answering_and_does_not_end_is_ended() -> None:
    """Issue 42: a query waited for good, in one of two places, for a process that had closed its pipe."""
    started: list[Child] = []

    async def spawn() -> Child:
        mute = "import os, signal; os.close(1); signal.pause()"
        started.append(await spawn_child((sys.executable, "-c", mute), os.environ))
        return started[0]

    worker = QueryWorker(Timings(query_wait_s=0.1), spawn=spawn)
    with pytest.raises(QueryRefused) as refused:
        await worker.select_from(KeptText("{}"), "a", 1000)
    assert refused.value.reason == "too_slow"
    assert started[0].returncode is not None


async def test_a_query_that_takes_too_long_ends_its_process_and_not_the_next_query() -> None:
    """Ruling 56: two seconds of processor time; here a tenth."""
    worker = QueryWorker(query_s=0.1)
    try:
        with pytest.raises(QueryRefused) as refused:
            await worker.select_from(KeptText(LONG), BOMBS["sorting"], 1000)
        assert refused.value.reason == "too_slow"
        assert (await worker.select_from(KeptText('{"a":1.10}'), "a", 1000)).json == b"1.10"
    finally:
        await worker.close()
