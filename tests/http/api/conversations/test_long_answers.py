"""Long answers in conversations: outlines, of which their model selects."""

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from bridge.timings import Timings
from tests.support.cluster.bridge_pairs import home_url
from tests.support.conversation_client import open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import shop_bridge
from tests.support.models.scripted_provider import ProviderRequest, Script, ScriptedProvider, Step, script
from tests.support.running_bridge import FakePage, json_answer, page_of

pytestmark = pytest.mark.asyncio

LIST = calls(("listProducts", {"limit": 2}))


async def test_a_long_answer_is_an_outline_of_which_the_model_selects_in_the_same_turn(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Ruling 55: what a conversation keeps is short, and all of the answer is within reach at once."""
    products = [{"id": number, "price": number / 4, "text": "green " * 40} for number in range(1, 400)]

    async def long(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"products": products})

    def select(asked: ProviderRequest, number: int) -> Sequence[Step]:
        output = json.loads(next(each for each in asked.body["input"] if "output" in each)["output"])
        arguments = {"call_id": output["call_id"], "select": "products[?price == `20.25`].id"}
        return script(calls(("read_result", arguments))).write(asked, number)

    provider.play(LIST, Script(select), text("Number 81."))
    async with (
        shop_bridge(tmp_path, provider) as bridge,
        page_of(bridge, bridge.local_user.id, long),
        open_conversation(bridge) as client,
    ):
        await client.say("What costs 20.25?")
    outline, selected = [each["output"] for each in provider.requests[-1].body["input"] if "output" in each]
    assert len(outline) < 8 * 1024
    shape = "{products: [399 of {id: integer, price: number, text: string}]}"
    assert json.loads(outline)["outline"]["shape"] == shape
    assert json.loads(selected) == {"selected": [81]}
    offered = {tuple(tool["name"] for tool in asked.body["tools"]) for asked in provider.requests}
    assert len(offered) == 1, "no answer changes what a model is offered"


ROW = '{"n":%d,"text":"' + "x" * 990 + '"}'
MOST = 16 * 1024 * 1024
"""Bytes that a page reads of an answer."""


@pytest.mark.timings(query_wait_s=300, query_read_s=300)
@pytest.mark.parametrize(
    ("size", "is_cut"), [(15_000_000, False), (36_000_000, True)], ids=["15 MB", "36 MB"]
)
async def test_an_answer_of_megabytes_leaves_a_few_kilobytes_and_all_that_came_within_reach(
    tmp_path: Path, provider: ScriptedProvider, timings: Timings, size: int, is_cut: bool
) -> None:
    """open-webui#30110: one result of 36 MB stayed in a chat for ever."""
    rows = size // (len(ROW) + 4)
    content = ('{"rows":[' + ",".join(ROW % number for number in range(rows)) + "]}").encode()[:MOST]
    pages: list[FakePage] = []

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        headers = {"X-Result-Token": call["bridge"]["result_token"], "X-Result-Kind": "text"}
        url = f"{home_url(bridge.base_url)}/api/calls/{call['id']}/result"
        async with pages[0].http.put(url, data=BytesIO(content), headers=headers) as response:
            assert response.status == 200
        cut = {"truncated": True, "cut_by": "size"} if is_cut else {}
        facts = {"content_type": "application/json", "body": {"kind": "uploaded"}, **cut}
        return {"status": "answered", "http_status": 200, **facts}

    def select(asked: ProviderRequest, number: int) -> Sequence[Step]:
        output = json.loads(next(each for each in asked.body["input"] if "output" in each)["output"])
        query = {"call_id": output["call_id"], "select": "{count: length(rows), last: rows[-1].n}"}
        return script(calls(("read_result", query))).write(asked, number)

    provider.play(LIST, Script(select), text("Many."))
    async with (
        shop_bridge(tmp_path, provider, timings=timings) as bridge,
        page_of(bridge, bridge.local_user.id, answer) as page,
        open_conversation(bridge) as client,
    ):
        pages.append(page)
        await client.say("How many?")
        outline, selected = [
            each["output"] for each in provider.requests[-1].body["input"] if "output" in each
        ]
        async with page.http.get(json.loads(outline)["file"]["url"]) as response:
            assert await response.read() == content
        kept = json.dumps(await client.messages())
    assert len(outline) + len(selected) < 8 * 1024
    assert len(kept) < 2 * 8 * 1024
    whole = content.count(b'"n":') - is_cut
    complete = {"complete": False} if is_cut else {}
    assert json.loads(selected) == {"selected": {"count": whole, "last": whole - 1}, **complete}
    assert json.loads(outline)["outline"].get("complete", True) is not is_cut
    assert ("its end is missing" in outline) is is_cut
