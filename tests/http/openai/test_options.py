"""Options of a request on their way to a provider: in its words, or named as left out."""

from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest

from tests.support.models.model_answers import text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge
from tests.support.models.scripted_provider import ScriptedProvider

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "Which products are there?"}]


async def test_options_that_responses_lack_are_left_out_and_reported(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-15: in a header, as a completion has no place for it; what nobody knows is passed on."""
    provider.play(text("Hi."))
    async with model_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        raw = await client.chat.completions.with_raw_response.create(
            model=MODEL,
            messages=HELLO,
            seed=1,
            stop=["x"],
            n=1,
            logit_bias={"1": 2},
            frequency_penalty=0.5,
            presence_penalty=0.5,
            logprobs=True,
            top_logprobs=2,
            max_completion_tokens=9,
            reasoning_effort="low",
            response_format={"type": "json_object"},
            extra_body={"prompt": "p", "x_new": 1},
        )
    left_out = "prompt, seed, stop, logit_bias, frequency_penalty, presence_penalty"
    assert sorted(raw.headers["X-Tool-Bridge-Dropped"].split(", ")) == sorted(left_out.split(", "))
    asked = provider.requests[0].body
    assert not {*left_out.split(", "), "n", "logprobs"} & asked.keys()
    assert (asked["x_new"], asked["max_output_tokens"], asked["top_logprobs"]) == (1, 9, 2)
    assert asked["text"] == {"format": {"type": "json_object"}}
    assert asked["reasoning"] == {"effort": "low"}
    assert "message.output_text.logprobs" in asked["include"]


async def test_a_provider_of_chat_is_told_the_options_of_chat(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-15: nothing is lost on a way that speaks one language all along."""
    options: dict[str, Any] = {
        "seed": 1,
        "stop": ["x"],
        "logit_bias": {"1": 2},
        "frequency_penalty": 0.5,
        "presence_penalty": 0.5,
        "logprobs": True,
        "top_logprobs": 2,
        "response_format": {"type": "json_object"},
        "max_completion_tokens": 9,
        "reasoning_effort": "low",
    }
    async with model_bridge(tmp_path, provider, "chat") as bridge, client_of(bridge) as client:
        provider.play(text("Hi."))
        asking: Any = client.chat.completions.with_raw_response
        raw = await asking.create(model=MODEL, messages=HELLO, **options)
    assert "X-Tool-Bridge-Dropped" not in raw.headers
    asked = provider.requests[0].body
    assert {name: asked[name] for name in options} == options


async def test_several_answers_to_one_request_are_refused(tmp_path: Path, provider: ScriptedProvider) -> None:
    """One answer in place of three would be a wrong answer, and each would run its calls."""
    async with model_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        with pytest.raises(openai.BadRequestError, match="'n' must be 1, not 3") as refused:
            await client.chat.completions.create(model=MODEL, messages=HELLO, n=3)
    assert (refused.value.param, refused.value.code) == ("n", "unsupported_value")
    assert provider.requests == []


async def test_what_the_provider_cannot_be_told_is_reported(
    tmp_path: Path, http: aiohttp.ClientSession, provider: ScriptedProvider
) -> None:
    """S4-15: Chat Completions lack words for some of Responses; names in a header are the caller's text."""
    body = {"model": MODEL, "input": "Hi", "truncation": "auto", "text": {"a\r\nB: c,": 1}, "temperature": 1}
    async with model_bridge(tmp_path, provider, "chat") as bridge:
        provider.play(text("Hi."))
        headers = {"Authorization": f"Bearer {bridge.key}"}
        async with http.post(f"{bridge.base_url}/v1/responses", json=body, headers=headers) as response:
            assert response.headers["X-Tool-Bridge-Dropped"] == "truncation, text.a??B:?c?"
    assert provider.requests[0].body["temperature"] == 1
