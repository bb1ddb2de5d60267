"""OpenAI's own client works unmodified against the bridge: text, tools, mixed tools, cancel, errors."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

from bridge.app.server import Bridge
from bridge.settings.chat.models import ProviderApi
from tests.support.models.model_answers import calls, responses_events, text
from tests.support.models.model_bridge import MODEL, model_bridge
from tests.support.models.scripted_provider import ScriptedProvider, events, fails

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "Hello"}]


@pytest_asyncio.fixture(params=["responses", "chat"])
async def api(request: pytest.FixtureRequest) -> ProviderApi:
    """What the provider speaks: the caller must not notice."""
    return request.param


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider, api: ProviderApi) -> AsyncGenerator[Bridge]:
    async with model_bridge(tmp_path, provider, api) as running:
        yield running


class Weather(BaseModel):
    city: str
    celsius: int


async def test_models_are_listed_and_found_by_name(client: AsyncOpenAI) -> None:
    """The first thing every program asks."""
    listed = [model.id async for model in client.models.list()]
    assert MODEL in listed
    assert (await client.models.retrieve(MODEL)).id == MODEL
    with pytest.raises(openai.NotFoundError) as refused:
        await client.models.retrieve("no/such/model")
    assert refused.value.code == "model_not_found"


async def test_a_chat_completion_without_streaming(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """S2-01, S4-08: the whole answer and what it cost."""
    provider.play(text("Hi ", "there"))
    completion = await client.chat.completions.create(model=MODEL, messages=HELLO)
    assert completion.choices[0].message.content == "Hi there"
    assert completion.choices[0].finish_reason == "stop"
    assert completion.usage is not None
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (11, 7)
    assert completion.object == "chat.completion"
    assert completion.model == MODEL


async def test_a_chat_stream_is_chunks_with_one_end(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """S2-02, S2-03, S2-04: text as it comes, one finish reason in the last chunk, then the usage."""
    provider.play(text("Hi ", "there"))
    stream = await client.chat.completions.create(
        model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices) == "Hi there"
    reasons = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices]
    assert [reason for reason in reasons if reason] == ["stop"]
    assert reasons[-1] == "stop"
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.total_tokens == 18
    assert len({chunk.id for chunk in chunks}) == 1
    assert {chunk.object for chunk in chunks} == {"chat.completion.chunk"}
    assert {chunk.model for chunk in chunks} == {MODEL}
    assert all(chunk.choices[0].index == 0 for chunk in chunks[:-1])


@pytest.mark.parametrize("api", ["responses"], indirect=True)
async def test_an_answer_that_a_provider_sends_in_one_piece_is_streamed_all_the_same(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Some servers of Responses stream nothing but the ending."""
    ending = list(responses_events(text("Good day"), 0, MODEL))[-1]
    provider.play(events(ending), events(ending))

    said = ""
    async for chunk in await client.chat.completions.create(model=MODEL, messages=HELLO, stream=True):
        said += chunk.choices[0].delta.content or ""
    async with client.responses.stream(model=MODEL, input="Hello") as stream:
        deltas = [event.delta async for event in stream if event.type == "response.output_text.delta"]
        response = await stream.get_final_response()

    assert said == response.output_text == "Good day"
    assert deltas == ["Good day"]


async def test_images_and_files_of_the_user_reach_the_model(
    client: AsyncOpenAI, provider: ScriptedProvider, api: ProviderApi
) -> None:
    """S4-10, S1-07: whatever the provider speaks, it gets them in its own words."""
    image = {"url": "data:image/png;base64,iVBORw0KGgo=", "detail": "low"}
    file = {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBERi0="}
    words = {"type": "text", "text": "What is this?"}
    content: Any = [words, {"type": "image_url", "image_url": image}, {"type": "file", "file": file}]
    provider.play(text("A cat."))
    await client.chat.completions.create(model=MODEL, messages=[{"role": "user", "content": content}])
    asked = provider.requests[0].body
    if api == "chat":
        assert asked["messages"][-1]["content"] == content
    else:
        assert asked["input"][-1]["content"] == [
            {"type": "input_text", "text": "What is this?"},
            {"type": "input_image", "image_url": image["url"], "detail": "low"},
            {"type": "input_file", **file},
        ]


async def test_the_chat_stream_helper_and_parsing(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """The SDK's own accumulation is the strictest reader of chunks there is."""
    provider.play(text('{"city": "Bonn", ', '"celsius": 21}'), text('{"city": "Bonn", "celsius": 21}'))
    async with client.chat.completions.stream(model=MODEL, messages=HELLO, response_format=Weather) as stream:
        kinds = [event.type async for event in stream]
        final = await stream.get_final_completion()
    assert final.choices[0].message.parsed == Weather(city="Bonn", celsius=21)
    assert kinds.count("content.done") == 1
    parsed = await client.chat.completions.parse(model=MODEL, messages=HELLO, response_format=Weather)
    assert parsed.choices[0].message.parsed == Weather(city="Bonn", celsius=21)


async def test_a_response_without_streaming(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """S0-63: the same loop, the answer as one object."""
    provider.play(text("Hi ", "there"))
    response = await client.responses.create(model=MODEL, input="Hello", instructions="Be kind.")
    assert (response.status, response.output_text) == ("completed", "Hi there")
    assert response.instructions == "Be kind."
    assert response.usage is not None
    assert response.usage.total_tokens == 18


async def test_a_response_stream_has_openais_events(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """S0-150, S4-07: one created, deltas, one ending; numbered without a gap."""
    provider.play(text("Hi ", "there"))
    stream = await client.responses.create(model=MODEL, input="Hello", stream=True)
    events: list[Any] = [event async for event in stream]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert [event.type for event in events] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert events[-1].response.id == events[0].response.id


async def test_the_responses_stream_helper_and_parsing(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The SDK rebuilds the response from the events; they must fit each other."""
    provider.play(text('{"city": "Bonn", ', '"celsius": 21}'), text('{"city": "Bonn", "celsius": 21}'))
    async with client.responses.stream(model=MODEL, input="Hello", text_format=Weather) as stream:
        async for _ in stream:
            pass
        final = await stream.get_final_response()
    assert final.output_parsed == Weather(city="Bonn", celsius=21)
    parsed = await client.responses.parse(model=MODEL, input="Hello", text_format=Weather)
    assert parsed.output_parsed == Weather(city="Bonn", celsius=21)


async def test_the_synchronous_client(bridge: Bridge, provider: ScriptedProvider) -> None:
    """Most programs are synchronous."""
    provider.play(text("One"), text("Two"))

    def ask() -> list[str | None]:
        with OpenAI(base_url=f"{bridge.base_url}/v1", api_key=bridge.key, max_retries=0) as client:
            whole = client.chat.completions.create(model=MODEL, messages=HELLO)
            with client.responses.create(model=MODEL, input="Hello", stream=True) as stream:
                said = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
            return [whole.choices[0].message.content, said]

    assert await asyncio.to_thread(ask) == ["One", "Two"]


async def test_callers_own_tools_are_handed_back(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """S0-45, S2-07: the call comes in the protocol's shape, and its output is accepted."""
    tool: Any = {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}}
    provider.play(calls(("search", {"q": "x"})), text("Found."))
    first = await client.chat.completions.create(model=MODEL, messages=HELLO, tools=[tool])
    choice = first.choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.tool_calls is not None
    call: Any = choice.message.tool_calls[0]
    assert (call.function.name, json.loads(call.function.arguments)) == ("search", {"q": "x"})
    answer: Any = {"role": "tool", "tool_call_id": call.id, "content": "one hit"}
    talk: Any = [*HELLO, choice.message, answer]
    second = await client.chat.completions.create(model=MODEL, messages=talk, tools=[tool])
    assert second.choices[0].message.content == "Found."
    assert "one hit" in json.dumps(provider.requests[1].body)


@pytest.mark.parametrize(
    ("status", "raised"),
    [
        (400, openai.BadRequestError),
        (404, openai.NotFoundError),
        (422, openai.UnprocessableEntityError),
        (429, openai.RateLimitError),
        (401, openai.InternalServerError),
        (500, openai.InternalServerError),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_errors_are_the_exceptions_of_the_sdk(
    client: AsyncOpenAI,
    provider: ScriptedProvider,
    status: int,
    raised: type[openai.APIStatusError],
    stream: bool,
) -> None:
    """S0-156: a stream that has not begun fails as any request does."""
    provider.play(*[fails(status, "Not so.", retry_after="30")] * 3)
    with pytest.raises(raised) as refused:
        await client.responses.create(model=MODEL, input="Hello", stream=stream)
    error: Any = refused.value
    assert "Not so." in error.message
    assert error.request_id is not None
    assert error.request_id not in error.message
    assert error.body["error_id"] == error.request_id
