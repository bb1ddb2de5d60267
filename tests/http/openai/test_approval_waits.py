"""A call of a model that waits for its user, told where the user is: in Open WebUI."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import FakePage, json_answer, page_of
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

WAITING = "Waiting for your approval in the bridge page: Add product"
RUNNING = "Running Add product…"


async def statuses_of(stream: Any, seen: list[str]) -> None:
    """Read a stream to its end; `seen` gets the status lines that are shown."""
    async for chunk in stream:
        event: dict[str, Any] = chunk.to_dict().get("event") or {}
        if event.get("type") == "status":
            seen.append(event["data"]["description"])


async def decide(page: FakePage, decision: str) -> None:
    """Say what the user of the page says of the one call; allowed, it runs."""
    call_id = page.calls[0]["id"]
    reply = await page.socket.call("bridge:decision", {"call_id": call_id, "decision": decision}, timeout=20)
    if reply["may_begin"]:
        await page.socket.emit("bridge:result", {"call_id": call_id, "outcome": json_answer({"ok": True})})


@pytest.mark.parametrize("decision", ["once", "denied"])
@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_open_webui_shows_that_a_call_waits_and_for_what(
    tmp_path: Path, provider: ScriptedProvider, api: str, decision: str
) -> None:
    """Whoever looks at the chat sees "Running…" for two minutes otherwise, and then a denial."""
    provider.play(calls(("addProduct", {"name": "tea"})), text("Done."))
    async with shop_bridge(tmp_path, provider, approve="safe") as bridge:
        headers = {"X-OpenWebUI-Chat-Id": "chat-1"}
        async with (
            page_of(bridge, bridge.local_user.id, lambda _call: asyncio.sleep(0)) as page,
            client_of(bridge, default_headers=headers) as client,
        ):

            async def received(envelope: dict[str, Any]) -> dict[str, Any]:
                page.calls.append(envelope["data"]["data"])
                return {"call_id": page.calls[0]["id"], "awaiting_approval": True}

            page.socket.on("events", received)
            if api == "chat":
                stream: Any = await client.chat.completions.create(
                    model=MODEL, messages=[{"role": "user", "content": "Add tea."}], stream=True
                )
            else:
                stream = await client.responses.create(model=MODEL, input="Add tea.", stream=True)
            seen: list[str] = []
            async with asyncio.TaskGroup() as group:
                group.create_task(statuses_of(stream, seen))
                await eventually(lambda: WAITING in seen)
                await decide(page, decision)
    ended = "Tool failed." if decision == "denied" else "Tool finished."
    assert [shown for shown in seen if shown != RUNNING] == [WAITING, ended, ""]
    assert seen[:3] == [RUNNING, WAITING, RUNNING]
