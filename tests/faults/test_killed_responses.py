"""The bridge is killed with -9 in the middle of a model's answer, and started again on the same folder."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
import pytest_asyncio

from tests.faults.killed_bridge import KillableBridge, killable_bridge
from tests.support.models.model_answers import Answer, calls, text
from tests.support.models.model_bridge import MODEL
from tests.support.models.scripted_provider import Script, ScriptedProvider, script, scripted_provider
from tests.support.models.stored_responses import joined_text, read_stream, sequence_numbers, wait_for_end
from tests.support.running_bridge import json_answer
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(180), pytest.mark.slow]

WRITE = "POST /products"
ADD = calls(("addProduct", {"name": "tea"}))
BROKEN = (openai.APIError, httpx2.HTTPError)
"""What a client sees of a connection that a killed process leaves behind."""


@pytest_asyncio.fixture
async def provider() -> AsyncGenerator[ScriptedProvider]:
    async with scripted_provider() as running:
        yield running


async def answered(_tool: str) -> dict[str, Any]:
    return json_answer({"products": ["tea"]}, 201)


async def silent(_tool: str) -> None:
    return None


def held(answer: Answer, after: int) -> Script:
    """Says so much of it and then nothing more."""
    return script(answer).held(asyncio.Event(), after=after)


async def begun(bridge: KillableBridge, until: str, **request: Any) -> list[Any]:
    """The events of a new stream, up to one of that type; the bridge is killed then."""
    events: list[Any] = []
    async with bridge.client() as client:
        stream = await client.responses.create(model=MODEL, input="Add tea.", stream=True, **request)
        with suppress(*BROKEN):
            async for event in stream:
                events.append(event)
                if event.type == until:
                    await bridge.kill()
    return events


def inputs(provider: ScriptedProvider) -> list[list[Any]]:
    """What the model was sent, round by round, in the protocol of the provider."""
    return [asked.body["messages"] for asked in provider.requests]


async def test_a_response_killed_amid_a_round_is_gone_on_with_where_its_listener_left_it(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """The round that was under way is asked for again; who listened gets each number once, and an end."""
    provider.play(held(text("One ", "two ", "three."), after=3), text("Once more."), text("And on."))
    async with killable_bridge(tmp_path, provider) as bridge:
        seen = await begun(bridge, "response.output_text.delta", background=True)
        response_id = seen[0].response.id
        await bridge.start()
        async with bridge.client() as client:
            rest = await read_stream(client, response_id, starting_after=seen[-1].sequence_number)
            whole = await wait_for_end(client, response_id)
            after = await client.responses.create(
                model=MODEL, input="Well?", previous_response_id=response_id
            )
    together = sequence_numbers([*seen, *rest])
    assert together == sorted(set(together))
    assert (whole.status, whole.output_text) == ("completed", "Once more.")
    assert rest[-1].type == "response.completed"
    assert joined_text(rest).endswith("Once more.")
    first, again, then = inputs(provider)
    assert again == first
    assert [message["role"] for message in then] == ["user", "assistant", "user"]
    assert after.output_text == "And on."


@pytest.mark.parametrize("background", [True, False])
async def test_a_call_that_ran_when_the_bridge_was_killed_is_never_run_again(
    tmp_path: Path, provider: ScriptedProvider, background: bool
) -> None:
    """The ledger has it once; the model is told that nobody knows, and the history is whole."""
    provider.play(ADD, text("I will look first."), text("And on."))
    async with killable_bridge(tmp_path, provider) as bridge:
        await bridge.open_page(silent)
        asking = asyncio.create_task(begun(bridge, "never", background=background))
        await eventually(lambda: bridge.ledger, within_s=20)
        await bridge.kill()
        response_id = (await asking)[0].response.id
        await bridge.start()
        await bridge.open_page(answered)
        async with bridge.client() as client:
            whole = await wait_for_end(client, response_id)
            await client.responses.create(model=MODEL, input="Well?", previous_response_id=response_id)
    assert bridge.ledger == [WRITE]
    if background:
        assert (whole.status, whole.output_text) == ("completed", "I will look first.")
    else:
        assert (whole.status, whole.error.code) == ("failed", "interrupted")
    told = inputs(provider)[1]
    assert [message["role"] for message in told[:3]] == ["user", "assistant", "tool"]
    assert "It may or may not have been performed." in told[2]["content"]


async def test_a_call_that_had_not_begun_when_the_bridge_was_killed_is_said_not_to_have(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """The round had ended, its call waited for its user: the model may ask for it again, and nothing ran."""
    provider.play(ADD, text("Shall I?"))
    async with killable_bridge(tmp_path, provider, approve="ask") as bridge:
        await bridge.open_page(silent, asks_user=True)
        asking = asyncio.create_task(begun(bridge, "never", background=True))
        await eventually(lambda: bridge.ledger, within_s=20)
        assert bridge.page is not None
        assert [call["bridge"]["approval"] for call in bridge.page.calls] == ["needed"]
        await bridge.kill()
        response_id = (await asking)[0].response.id
        await bridge.start()
        await bridge.open_page(silent, asks_user=True)
        async with bridge.client() as client:
            assert (await wait_for_end(client, response_id)).output_text == "Shall I?"
    assert bridge.ledger == [WRITE]  # asked for once, and never allowed
    assert "You may call it again." in inputs(provider)[1][2]["content"]


async def test_what_was_done_before_the_last_round_is_not_done_again(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Killed amid the second round: the call of the first has run, its output and usage are kept."""
    provider.play(ADD, held(text("There ", "is tea."), after=3), text("There is tea."))
    async with killable_bridge(tmp_path, provider) as bridge:
        await bridge.open_page(answered)
        seen = await begun(bridge, "response.output_text.delta", background=True)
        await bridge.start()
        await bridge.open_page(answered)
        async with bridge.client() as client:
            whole = await wait_for_end(client, seen[0].response.id)
    assert bridge.ledger == [WRITE]
    assert (whole.status, whole.output_text) == ("completed", "There is tea.")
    assert inputs(provider)[2] == inputs(provider)[1]
    assert whole.usage.total_tokens == 36
