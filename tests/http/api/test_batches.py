"""`POST /api/batches`: several calls of one request, with a page that a test plays."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from tests.support.running_bridge import FakePage, json_answer, page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


class Api:
    """Answers each call with its arguments; those with a limit above 50 never."""

    def __init__(self) -> None:
        self.now = self.most = 0

    async def answer(self, call: dict[str, Any]) -> dict[str, Any] | None:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.02)
        self.now -= 1
        if '"limit":99' in call["params"]:
            return None
        return json_answer({"params": call["params"]})


@pytest.fixture
def api() -> Api:
    return Api()


@pytest_asyncio.fixture
async def page(bridge: Bridge, api: Api) -> AsyncIterator[FakePage]:
    async with page_of(bridge, bridge.local_user.id, api.answer) as page:
        yield page


def listing(name: str | None = None, **arguments: object) -> dict[str, Any]:
    return {"id": name, "tool": "listProducts", "arguments": arguments}


async def test_sixty_calls_of_one_batch_are_answered_in_call_order_five_at_a_time(
    bridge: Bridge, page: FakePage, api: Api
) -> None:
    """S0-70, S0-71, W-17: more than the queue holds, each answered exactly once."""
    status, told = await page.request(
        "POST", "/api/batches", {"calls": [listing(limit=n % 40 + 1) for n in range(60)]}
    )
    assert status == 200
    outputs = told["outputs"]
    assert [each["id"] for each in outputs] == [str(number) for number in range(1, 61)]
    assert {each["outcome"]["state"] for each in outputs} == {"succeeded"}
    assert len({each["call_id"] for each in outputs}) == 60
    assert api.most == 5


async def test_failures_are_those_of_their_call_alone(bridge: Bridge, page: FakePage) -> None:
    """W-15: a slow call, an unknown tool and wrong arguments leave the others as they are."""
    calls = [
        {**listing("slow", limit=99), "deadline_s": 1},
        listing("good", limit=1),
        {"id": "none", "tool": "noSuchTool"},
        listing("bad", limit="many"),
        listing("after", limit=2, depends_on="slow"),
        listing("then", limit=3, depends_on=["good"], sequential=True),
    ]
    outputs = (await page.post("/api/batches", {"calls": calls}))["outputs"]
    ends = {each["id"]: (each["outcome"]["error"] or {"code": None})["code"] for each in outputs}
    assert ends == {
        "slow": "timeout",
        "good": None,
        "none": "unknown_tool",
        "bad": "invalid_arguments",
        "after": "dependency_failed",
        "then": None,
    }
    assert [each["call_id"] is None for each in outputs] == [False, False, True, True, True, False]
    assert '{"limit":3}' in {call["params"] for call in page.calls}


async def test_a_batch_ends_what_has_not_ended_and_keeps_the_rest(bridge: Bridge, page: FakePage) -> None:
    """S0-76: the limit of the whole batch; the error names it."""
    limits = {"TOOL_BATCH_TIMEOUT_SECONDS": 3, "TOOL_TIMEOUT_SECONDS": 3, "MAX_PARALLEL_TOOLS_PER_REQUEST": 1}
    await page.request("PATCH", "/api/limits", {"limits": limits})
    calls = [listing("fast", limit=1), listing("slow", limit=99), listing("waits", limit=2)]
    outputs = (await page.post("/api/batches", {"calls": calls}))["outputs"]
    assert [each["outcome"]["state"] for each in outputs] == ["succeeded", "expired", "expired"]
    assert [each["outcome"]["error"]["detail"]["set_by"] for each in outputs[1:]] == [
        "TOOL_BATCH_TIMEOUT_SECONDS"
    ] * 2
    kept = {each["call_id"]: each["state"] for each in (await page.get("/api/calls"))["calls"]}
    assert kept[outputs[2]["call_id"]] == "expired"
    assert (await page.get("/api/breakers"))["breakers"] == []


async def test_a_caller_who_hangs_up_cancels_the_whole_batch(bridge: Bridge, page: FakePage) -> None:
    """Running calls are aborted in the page, waiting ones never sent."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    body = {"calls": [listing(limit=99) for _ in range(8)]}
    async with aiohttp.ClientSession() as http:
        posting = asyncio.create_task(http.post(bridge.base_url + "/api/batches", json=body, headers=headers))
        await eventually(lambda: len(page.calls) == 5)
        posting.cancel()
        await asyncio.wait([posting])
    await eventually(lambda: len(page.cancelled) == 5)
    assert len(page.calls) == 5


@pytest.mark.parametrize(
    "calls", [[], [listing("a"), listing("a")], [listing("2"), listing()], [listing()] * 201]
)
async def test_a_batch_that_makes_no_sense_is_refused_whole(
    page: FakePage, calls: list[dict[str, Any]]
) -> None:
    """Before anything is sent."""
    status, told = await page.request("POST", "/api/batches", {"calls": calls})
    assert (status, told["error"]["code"]) == (400, "invalid_request")
    assert page.calls == []


@pytest.mark.timings(silence_s=0.05, space_s=0.02)
async def test_a_slow_batch_is_kept_alive_by_white_space(bridge: Bridge, page: FakePage) -> None:
    """Proxies cut silent connections (ruling 9); the two waits are shortened, their order is the point."""
    calls = {"calls": [{**listing("slow", limit=99), "deadline_s": 1}, listing("good", limit=1)]}
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with page.http.post(f"{bridge.base_url}/api/batches", json=calls, headers=headers) as response:
        assert (response.status, response.content_type) == (200, "application/json")
        assert await response.content.readexactly(3) == b"   "
        outputs = json.loads(await response.content.read())["outputs"]
    assert [each["outcome"]["state"] for each in outputs] == ["expired", "succeeded"]
