"""A bridge that stops in order, and the next one on the same folder."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.store import DATABASE
from bridge.endpoints.openai.responses_api import resume
from bridge.storage.chat.items import ItemTables
from bridge.timings import Timings
from tests.support.models.model_answers import Answer, calls, reasoning, text
from tests.support.models.model_bridge import MODEL, client_of, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.models.stored_responses import read_stream, sequence_numbers, wait_for_end
from tests.support.models.wing import wing_of
from tests.support.running_bridge import page_of
from tests.support.stores.databases import execute

pytestmark = pytest.mark.asyncio

ONE_TWO = text("One ", "two.")


async def stopped_amid_an_answer(
    folder: Path, provider: ScriptedProvider, first: Answer = ONE_TWO, *, after: int = 5
) -> list[Any]:
    """What a listener heard until the bridge was stopped, after so many frames of the provider."""
    events: list[Any] = []
    provider.play(script(first).held(asyncio.Event(), after=after))
    async with shop_bridge(folder, provider) as bridge, client_of(bridge) as client:
        stream = await client.responses.create(model=MODEL, input="Count", background=True, stream=True)
        async for event in stream:
            events.append(event)
            if event.type == "response.output_text.delta":
                break
    return events


NO_PAGE_COMES = Timings(page_wait_s=0.2)
"""What waits for a page of the user gives up sooner."""


async def test_a_response_goes_on_after_a_restart(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Its listener comes back to the same response, and so does `previous_response_id`."""
    seen = await stopped_amid_an_answer(tmp_path, provider)
    response_id = seen[0].response.id
    provider.play(text("One two."), text("Three."))
    async with shop_bridge(tmp_path, provider, timings=NO_PAGE_COMES) as bridge, client_of(bridge) as client:
        whole = await wait_for_end(client, response_id)
        rest = await read_stream(client, response_id, starting_after=seen[-1].sequence_number)
        again = await read_stream(client, response_id)
        async with client.responses.stream(response_id=response_id) as stream:
            final = await stream.get_final_response()
        after = await client.responses.create(model=MODEL, input="On", previous_response_id=response_id)
    assert (whole.status, whole.output_text, final.output_text) == ("completed", "One two.", "One two.")
    assert sequence_numbers([*seen, *rest]) == sequence_numbers(again)
    closed = [event for event in rest if event.type == "response.output_item.done"]
    assert [event.item.status for event in closed] == ["incomplete", "completed"]
    assert [event.output_index for event in closed] == [0, 1]
    assert after.output_text == "Three."


async def test_a_round_that_was_under_way_is_asked_for_as_it_was(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Half a round is no history: a thought without its answer is refused by providers, and ends nothing."""
    seen = await stopped_amid_an_answer(tmp_path, provider, reasoning("Hm.") + ONE_TWO, after=11)
    provider.play(text("One two."))
    async with shop_bridge(tmp_path, provider, timings=NO_PAGE_COMES) as bridge, client_of(bridge) as client:
        whole = await wait_for_end(client, seen[0].response.id)
    assert (whole.status, whole.output_text) == ("completed", "One two.")
    assert provider.requests[1].body["input"] == provider.requests[0].body["input"]


async def test_what_a_model_said_is_not_lost_with_the_process_that_stored_it(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """A process may be killed between storing items and storing that their events were sent."""
    provider.play(reasoning("Hm.") + text("One ", "two."))
    async with shop_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        response = await client.responses.create(model=MODEL, input="Count", background=True)
        whole = await wait_for_end(client, response.id)
        items = ItemTables(bridge.components.store)
        stored = await items.find_response(bridge.local_user.id, response.id)
        assert stored is not None
        request = {name: value for name, value in stored.request.items() if name != "progress"}
        body = {**stored.body, "status": "in_progress", "output": []}
        await items.save_response(
            replace(stored, status="in_progress", request=request, body=body, ended_at=None)
        )
    execute(tmp_path / DATABASE, "DELETE FROM kept_events")
    async with shop_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        again = await wait_for_end(client, response.id)
        events = await read_stream(client, response.id)
    assert (again.status, again.output_text) == ("completed", "One two.")
    assert [item.type for item in again.output] == [item.type for item in whole.output]
    done = [event.item for event in events if event.type == "response.output_item.done"]
    assert [item.type for item in done] == [item.type for item in whole.output]
    assert len(provider.requests) == 1


async def test_a_response_is_not_tried_for_ever(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What kills the bridge each time it is gone on with must not kill it each time it starts."""
    seen = await stopped_amid_an_answer(tmp_path, provider)
    asked = len(provider.requests)
    monkeypatch.setattr(resume, "MAX_ATTEMPTS", 0)
    async with shop_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        whole = await wait_for_end(client, seen[0].response.id)
        rest = await read_stream(client, seen[0].response.id, starting_after=seen[-1].sequence_number)
    assert (whole.status, whole.error.code) == ("failed", "interrupted")
    assert rest[-1].type == "response.failed"
    assert len(provider.requests) == asked


async def test_a_response_that_a_call_was_stopped_in_goes_on_with_what_is_known(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """It waits for the page, so that the model has its tools when it is asked again."""
    begun = asyncio.Event()

    async def never(_call: dict[str, Any]) -> None:
        begun.set()

    provider.play(calls(("listProducts", {"limit": 1})))
    async with shop_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        user_id = bridge.local_user.id
        async with page_of(bridge, user_id, never):
            response = await client.responses.create(model=MODEL, input="What is there?", background=True)
            async with asyncio.timeout(10):
                await begun.wait()
            await wing_of(bridge.components).responses.running.stop_background()
    provider.play(calls(("listProducts", {"limit": 1})), text("Tea."))
    async with (
        shop_bridge(tmp_path, provider) as bridge,
        client_of(bridge) as client,
        page_of(bridge, bridge.local_user.id, products) as page,
    ):
        whole = await wait_for_end(client, response.id)
        assert len(page.calls) == 1
    assert whole.output_text == "Tea."
    told = provider.requests[1].body["input"][-1]
    assert "You may call it again." in told["output"]
    assert provider.requests[1].body["tools"][0]["name"] == "listProducts"
