"""When a chat stream that stays open after its finish reason is taken for ended."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from bridge.models.agent.model import ModelRequest
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.models import ChatModel
from bridge.settings.chat.models import ProviderSettings
from tests.support.models.provider_quirks import OTHER, TWO, WHOLE, Json, chunk

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

USAGE: Json = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}


class OpenProvider(HttpProvider):
    """Sends chunks at their times, and never ends its stream."""

    def __init__(self, *chunks: float | Json) -> None:
        """`chunks`: a number is that many seconds of silence."""
        super().__init__(ProviderSettings(name="Open", base_url="http://127.0.0.1:9/v1", api="chat"), None)
        self._chunks = chunks

    async def stream_events(self, *_: Any, **__: Any) -> AsyncGenerator[Json]:
        for each in self._chunks:
            if isinstance(each, dict):
                yield each
            else:
                await asyncio.sleep(each)
        await asyncio.Event().wait()


async def ask(*chunks: float | Json) -> tuple[Json, float]:
    """The response, and after how many seconds it was there."""
    began = asyncio.get_running_loop().time()
    model = ChatModel(OpenProvider(*chunks))
    *_, last = [event async for event in model.stream_round(ModelRequest("m", ()))]
    response: Any = last.body["response"]
    return response, asyncio.get_running_loop().time() - began


def calls_of(response: Json) -> tuple[tuple[str, str], ...]:
    return tuple((item["name"], item["arguments"]) for item in response["output"])


async def test_a_text_with_its_usage_does_not_wait_for_an_end() -> None:
    """Finding W-12: nothing follows the usage, so nobody waits for seconds at the end of each round."""
    response, took_s = await ask(chunk("stop", content="Hi"), USAGE)
    assert response["usage"]["total_tokens"] == 5
    assert took_s < 0.5


async def test_calls_with_their_usage_do_not_wait_for_an_end() -> None:
    """Finding W-12: a turn of ten rounds would wait ten times."""
    response, took_s = await ask(chunk("tool_calls", tool_calls=[WHOLE, OTHER]), USAGE)
    assert calls_of(response) == TWO
    assert took_s < 0.5


@pytest.mark.parametrize("output", [chunk(content="Hi"), chunk(tool_calls=[WHOLE])], ids=["text", "call"])
async def test_after_a_finish_reason_that_came_alone_the_usage_is_waited_for(output: Json) -> None:
    """Finding W-12: by the protocol nothing but the usage follows, which some count late and others never."""
    response, took_s = await ask(output, chunk("stop"), 0.8, USAGE)
    assert response["usage"]["total_tokens"] == 5
    _, took_s = await ask(output, chunk("stop"))
    assert took_s < 1.5


async def test_text_goes_on_after_a_finish_reason_as_slowly_as_a_model_writes() -> None:
    """Finding W-12: where each chunk has a finish reason, none of them ends the text."""
    slow = (chunk("stop", content="Good "), 4.0, chunk("stop", content="day"))
    response, _ = await ask(*slow)
    assert response["output"][0]["content"][0]["text"] == "Good day"


async def test_a_second_call_is_waited_for_as_long_as_a_model_writes_it() -> None:
    """Finding W-12: a call comes whole, so that seconds may lie between two of them."""
    first, second = chunk("tool_calls", tool_calls=[WHOLE]), chunk("tool_calls", tool_calls=[OTHER])
    assert calls_of((await ask(first, 4.0, second))[0]) == TWO
    used = {**first, "usage": USAGE["usage"]}
    assert calls_of((await ask(used, 4.0, second))[0]) == TWO, "usage in each chunk ends nothing"


async def test_what_comes_at_once_after_the_usage_is_read() -> None:
    """Finding W-12: usage in chunks of its own, after each call."""
    first, second = chunk("tool_calls", tool_calls=[WHOLE]), chunk("tool_calls", tool_calls=[OTHER])
    assert calls_of((await ask(first, USAGE, second, USAGE))[0]) == TWO
