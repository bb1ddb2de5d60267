"""What imitators send, each row of the table over HTTP and cut at random bytes."""

import random
from typing import Any

import pytest

from bridge.models.agent.loop.rounds import ModelCallIds, RoundReader
from bridge.models.agent.model import ModelError, ModelEvent, ModelRequest
from bridge.settings.chat.models import ProviderApi
from tests.support.models.model_answers import text
from tests.support.models.provider_harness import ending, joined_text, provider_harness
from tests.support.models.provider_quirks import OF_OPEN_WEBUI, TOOLS, Quirk
from tests.support.models.reported_quirks import CHAT_QUIRKS
from tests.support.models.responses_quirks import RESPONSES_QUIRKS
from tests.support.models.scripted_provider import Script

REQUEST = ModelRequest("scripted-small", ({"role": "user", "content": "Hello"},), tools=TOOLS)


def cut(answer: bytes, source: random.Random) -> list[bytes]:
    """The answer in pieces; the network cuts where it likes."""
    places = sorted(source.sample(range(len(answer)), k=min(len(answer), source.choice([0, 1, 3, 12]))))
    return [answer[start:end] for start, end in zip([0, *places], [*places, None], strict=True)]


def script_of(quirk: Quirk, source: random.Random) -> Script:
    pieces = [piece for piece in cut(quirk.answer, source) if piece]
    return Script(lambda asked, number: pieces, quirk.http_status, quirk.headers)


def items_of(events: list[ModelEvent]) -> list[dict[str, Any]]:
    """The items as the loop reads them."""
    reader = RoundReader(0, lambda name: False, ModelCallIds(()))
    for event in events:
        reader.read_event(event)
    return [dict(item) for item in reader.finish_round().items]


def check_round(quirk: Quirk, events: list[ModelEvent]) -> None:
    """What came is what the row says, in the deltas as in the whole items."""
    output = items_of(events)
    assert ending(events)["status"] == quirk.status
    calls = [item for item in output if item["type"] == "function_call"]
    assert tuple((call["name"], call["arguments"]) for call in calls) == quirk.calls
    doubted = quirk.is_in_doubt or quirk.status == "incomplete"
    assert {call["status"] for call in calls} <= {"incomplete" if doubted else "completed"}
    assert len({call["call_id"] for call in calls} - {""}) == len(calls)
    assert joined_text(events) == quirk.text
    parts = [part for item in output if item["type"] == "message" for part in item["content"]]
    assert "".join(part.get("text", "") for part in parts) == quirk.text
    assert "".join(part.get("refusal", "") for part in parts) == quirk.refusal
    thoughts = [part for item in output if item["type"] == "reasoning" for part in item["content"]]
    assert "".join(part["text"] for part in thoughts) == quirk.reasoning


def check_deltas(events: list[ModelEvent]) -> None:
    """What a caller read of each call while it came is what the call has at the end."""
    for place, item in enumerate(ending(events)["output"]):
        told = [
            str(event.body["delta"])
            for event in events
            if event.type == "response.function_call_arguments.delta" and event.body["output_index"] == place
        ]
        assert item["type"] != "function_call" or "".join(told) == item["arguments"]


def test_every_quirk_of_the_report_has_a_row() -> None:
    """Finding I-L4, I-L5, I-L6, I-L7, I-L8: the report counts 57, and the names of the rows are theirs."""
    assert len(OF_OPEN_WEBUI) == 57
    assert len({quirk.name for quirk in CHAT_QUIRKS}) == len(CHAT_QUIRKS)


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quirk", CHAT_QUIRKS, ids=str)
async def test_a_chat_stream_is_read_as_the_imitators_send_it(quirk: Quirk, seed: int) -> None:
    """Finding W-1, W-2, W-12, W-13, W-14, W-15, W-43, W-44, W-45, I-L4, I-L5, I-L6, I-L7, I-L8: by row."""
    await check_quirk("chat", quirk, seed)


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quirk", RESPONSES_QUIRKS, ids=str)
async def test_a_responses_stream_is_read_as_the_imitators_send_it(quirk: Quirk, seed: int) -> None:
    """Finding W-1, W-13, W-15, W-43, I-L4, I-L5: the same kinds, in the other protocol."""
    await check_quirk("responses", quirk, seed)


async def check_quirk(api: ProviderApi, quirk: Quirk, seed: int) -> None:
    async with provider_harness(api) as now:
        now.server.play(script_of(quirk, random.Random(f"{quirk.name} {seed}")), text("Hi"))
        if quirk.error:
            with pytest.raises(ModelError, match=quirk.error):
                await now.ask(REQUEST)
        else:
            events = await now.ask(REQUEST)
            check_round(quirk, events)
            if api == "chat":
                check_deltas(events)
        assert len(now.server.requests) == 1 + quirk.is_tried_again
