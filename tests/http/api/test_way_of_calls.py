"""What calls and audit log say of the way of a request: by the page or the companion, with a login or not."""

from typing import Any

import aiohttp
import pytest

from tests.support.documents.compiled import document_text
from tests.support.running_bridge import json_answer, page_of, running_bridge
from tests.support.stores.databases import Where
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]

BY_COMPANION = {"transport": "companion", "login": False}
AS_THE_USER = {"transport": "companion", "login": True}


def failed(code: str, **detail: Any) -> dict[str, Any]:
    """The outcome a page reports of a request that got no answer."""
    error = {"code": code, "message": "It failed.", "detail": detail, "retryable": False}
    return {"status": "failed", "error": error, "delivered": "no"}


@pytest.mark.parametrize(
    ("outcome", "transport", "login"),
    [
        (json_answer([]), "page", False),
        (json_answer({"error": "gone"}, 404), "page", False),
        (json_answer([]) | BY_COMPANION, "companion", False),
        (json_answer([]) | AS_THE_USER, "companion", True),
        (json_answer({"error": "gone"}, 404) | AS_THE_USER, "companion", True),
        (failed("network", **AS_THE_USER), "companion", True),
        (failed("companion_refused", **BY_COMPANION), "companion", False),
        (failed("cors"), None, None),
    ],
)
@pytest.mark.parametrize("tool", ["listProducts", "addProduct"])
async def test_a_call_says_by_what_it_was_sent_and_with_whose_login(
    tmp_path: Any,
    database: Where,
    tool: str,
    outcome: dict[str, Any],
    transport: str | None,
    login: bool | None,
) -> None:
    """Finding P-M4: whoever looks afterwards has to find what was done as the user, successes above all."""

    async def answer(_call: object) -> dict[str, Any]:
        return outcome

    async with running_bridge(tmp_path, approve="all", database=database) as bridge:
        await bridge.components.registry.share_document("shop", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, answer) as page:
            headers = {"Authorization": f"Bearer {bridge.key}"}
            async with aiohttp.ClientSession(headers=headers) as http:
                arguments = {"name": "tea"} if tool == "addProduct" else {}
                (await http.post(f"{bridge.base_url}/tools/{tool}", json=arguments)).close()
            (called,) = page.calls

            async def stored() -> Any:
                found = await page.get(f"/api/calls/{called['id']}")
                return found if found["ended_at"] else None

            one = await eventually(stored)
            (listed,) = (await page.get("/api/calls"))["calls"]
            (audited,) = [each["detail"] for each in (await page.get("/api/audit?kind=call"))["entries"]]
    expected = {"transport": transport, "login": login}
    assert {name: one[name] for name in expected} == expected
    assert {name: listed[name] for name in expected} == expected
    assert {name: audited.get(name) for name in expected} == expected


async def test_a_late_answer_says_it_too(tmp_path: Any, database: Where) -> None:
    """Finding P-M4: it is what really happened, and nobody else was told."""
    late = {"call_id": "", "outcome": json_answer({"id": 1}) | AS_THE_USER}

    async def never(_call: object) -> None:
        return None

    async with running_bridge(
        tmp_path, approve="all", database=database, limits={"TOOL_TIMEOUT_SECONDS": 1}
    ) as bridge:
        await bridge.components.registry.share_document("shop", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, never) as page:
            headers = {"Authorization": f"Bearer {bridge.key}"}
            async with aiohttp.ClientSession(headers=headers) as http:
                (await http.post(f"{bridge.base_url}/tools/addProduct", json={"name": "tea"})).close()
            late["call_id"] = page.calls[0]["id"]
            await page.socket.emit("bridge:result", late)

            async def told() -> Any:
                return (await page.get(f"/api/calls/{late['call_id']}"))["late"]

            reported = await eventually(told)
    assert (reported["transport"], reported["login"]) == ("companion", True)
