"""The clients of a provider, against a real HTTP server that plays scripts."""

import asyncio
import re
from contextlib import aclosing
from typing import Any

import pytest

from bridge.models.agent.model import ModelError, ModelRequest
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.models import ResponsesModel
from bridge.settings.chat.models import ProviderApi, ProviderSettings
from tests.support.models.model_answers import calls, reasoning, refusal, text
from tests.support.models.provider_harness import (
    FRAMES_OF_FIRST_DELTA,
    HELLO,
    both_protocols,
    ending,
    expected,
    first_delta,
    joined_text,
    provider_harness,
)
from tests.support.models.scripted_provider import (
    KEY,
    Script,
    answers,
    events,
    raw,
    script,
    scripted_provider,
)
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject

PATHS = {"responses": "/v1/responses", "chat": "/v1/chat/completions", "messages": "/v1/messages"}

# What is sent and read


@pytest.mark.asyncio
async def test_events_of_responses_come_as_the_provider_wrote_them() -> None:
    """S4-07: what a model said must go back to it verbatim, so nothing between may add or lose a member."""
    answer = reasoning("Hm") + text("Good ", "day") + calls(("search", {"q": "x"}), ("pay", "{broken"))
    async with provider_harness() as now:
        now.server.play(answer)
        assert await now.ask() == expected(answer)


@pytest.mark.asyncio
async def test_members_and_events_that_nobody_knows_are_passed_on() -> None:
    """S4-07: providers add some every month; typed models would drop, add or round."""
    strange = {
        "type": "response.future_thing.delta",
        "precise": 0.1234567890123456789,
        "large": 123456789012345678901234567890,
        "none": None,
        "nested": {"": [1.0, -0.0, True]},
    }
    done = {"type": "response.completed", "response": {"status": "completed", "new": {"x": None}}}
    async with provider_harness() as now:
        now.server.play(events(strange, done))
        assert [event.body for event in await now.ask()] == [strange, done]


@pytest.mark.asyncio
async def test_a_responses_request_is_sent_as_the_loop_made_it() -> None:
    """S4-09, S4-13: `truncation`, `parallel_tool_calls` and unknown options are the provider's to judge."""
    item: JsonObject = {
        "type": "reasoning",
        "id": "rs_1",
        "encrypted_content": "abc",
        "unknown": [None, 10**20],
    }
    tool: JsonObject = {"type": "function", "name": "a", "parameters": {}, "strict": False}
    options: JsonObject = {
        "truncation": "auto",
        "parallel_tool_calls": False,
        "metadata": None,
        "future": {"x": 1},
    }
    async with provider_harness() as now:
        now.server.play(text("Hi"))
        await now.ask(ModelRequest("m", (item,), "Be brief.", (tool,), options))
        [asked] = now.server.requests
        assert asked.body == {
            **options,
            "model": "m",
            "input": [item],
            "instructions": "Be brief.",
            "tools": [tool],
            "stream": True,
        }


@pytest.mark.asyncio
@both_protocols
async def test_a_request_without_tools_has_no_tools_at_all(api: ProviderApi) -> None:
    """Some providers refuse an empty list."""
    async with provider_harness(api) as now:
        now.server.play(text("Hi"))
        await now.ask()
        [asked] = now.server.requests
        assert not {"tools", "instructions"} & asked.body.keys()
        key = ("x-api-key", KEY) if api == "messages" else ("Authorization", f"Bearer {KEY}")
        assert key in asked.headers.items()
        assert asked.path == PATHS[api]


@pytest.mark.asyncio
async def test_chat_is_heard_as_responses_with_its_usage() -> None:
    """S4-07, S0-62: the loop knows one language; the count comes after the model has finished."""
    answer = reasoning("Hm") + text("Good ", "day") + calls(("search", {"q": "x"}))
    async with provider_harness("chat") as now:
        now.server.play(answer.costing(30, 5))
        stream = await now.ask()
        response = ending(stream)
        assert [item["type"] for item in response["output"]] == ["reasoning", "message", "function_call"]
        assert (joined_text(stream), response["usage"]["total_tokens"]) == ("Good day", 35)
        assert now.server.requests[0].body["stream_options"] == {"include_usage": True}


@pytest.mark.asyncio
async def test_nobody_elses_settings_reach_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK reads keys and accounts from the environment; they are OpenAI's, not every provider's."""
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "sk-of-another-account")
    async with scripted_provider() as server:
        provider = HttpProvider(ProviderSettings(name="Local", base_url=server.base_url), None)
        server.play(text("Hi"))
        async with aclosing(ResponsesModel(provider).stream_round(HELLO)) as stream:
            assert [event.type async for event in stream][-1] == "response.completed"
        await provider.close_client()
        assert "sk-of-another-account" not in str(server.requests[0].headers)
        assert "Authorization" not in server.requests[0].headers


# The stream


@pytest.mark.asyncio
@both_protocols
@pytest.mark.parametrize("size", [1, 7, 100])
async def test_a_stream_may_be_cut_anywhere_and_have_crlf_and_comments(api: ProviderApi, size: int) -> None:
    """S0-151: the network cuts where it likes, and gateways keep lines open with comments."""
    answer = text("Grüße, ", "👋🏽") + calls(("search", {"q": "é"}))
    async with provider_harness(api) as now:
        now.server.play(script(answer).with_comments().with_crlf().cut(size), answer)
        stream = await now.ask()
        assert joined_text(stream) == "Grüße, 👋🏽"
        assert [event.type for event in stream] == [event.type for event in await now.ask()]
        if api == "responses":
            assert stream == expected(answer)


@pytest.mark.asyncio
@both_protocols
async def test_the_first_delta_comes_before_the_provider_has_finished(api: ProviderApi) -> None:
    """S4-07: whoever waits for a model wants to see it begin."""
    gate = asyncio.Event()
    async with provider_harness(api) as now:
        now.server.play(script(text("Good ", "day")).held(gate, after=FRAMES_OF_FIRST_DELTA[api]))
        async with aclosing(now.model.stream_round(HELLO)) as stream:
            assert await first_delta(stream) == "Good "
            gate.set()
            assert [event.type async for event in stream][-1] == "response.completed"


@pytest.mark.asyncio
@both_protocols
async def test_whoever_stops_listening_hangs_up(api: ProviderApi) -> None:
    """W-23: a model that nobody hears must not go on to write, and to cost."""
    async with provider_harness(api) as now:
        now.server.play(script(text("Good ", "day")).held(asyncio.Event(), after=FRAMES_OF_FIRST_DELTA[api]))
        async with aclosing(now.model.stream_round(HELLO)) as stream:
            async for event in stream:
                if event.type == "response.output_text.delta":
                    break
        await asyncio.wait_for(now.server.requests[0].hung_up.wait(), 20)


@pytest.mark.asyncio
@both_protocols
async def test_a_cancelled_round_hangs_up_before_its_first_event_too(api: ProviderApi) -> None:
    """W-23: models think for minutes before they say anything."""
    async with provider_harness(api) as now:
        now.server.play(raw(asyncio.Event()))
        asking = asyncio.create_task(now.ask())
        await eventually(lambda: now.server.requests)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(now.server.requests[0].hung_up.wait(), 20)


@pytest.mark.asyncio
@both_protocols
async def test_a_character_that_a_provider_split_comes_whole(api: ProviderApi) -> None:
    """S0-155: two halves of an emoji in two deltas, in the text and in what is whole at the end."""
    async with provider_harness(api) as now:
        now.server.play(text("a\ud83d", "\ude00b"))
        stream = await now.ask()
        [message] = ending(stream)["output"]
        assert (joined_text(stream), message["content"][0]["text"]) == ("a😀b", "a😀b")


@pytest.mark.asyncio
@both_protocols
@pytest.mark.parametrize(
    ("how", "status", "reason"),
    [
        ("length", "incomplete", "max_output_tokens"),
        ("content_filter", "incomplete", "content_filter"),
    ],
)
async def test_an_answer_that_was_cut_off_ends_as_one(
    api: ProviderApi, how: Any, status: str, reason: str
) -> None:
    """S0-60, W-22: what there is of it is kept."""
    async with provider_harness(api) as now:
        now.server.play(text("Good").ending_in(how))
        stream = await now.ask()
        response = ending(stream)
        assert (joined_text(stream), response["status"]) == ("Good", status)
        assert response["incomplete_details"] == {"reason": reason}


@pytest.mark.asyncio
async def test_a_round_that_failed_ends_as_one() -> None:
    """S0-60, W-22: the provider's own words about it are in the response."""
    async with provider_harness() as now:
        now.server.play(text("Good").ending_in("failed"))
        stream = await now.ask()
        assert (stream[-1].type, ending(stream)["error"]["code"]) == ("response.failed", "server_error")


@pytest.mark.asyncio
@both_protocols
async def test_a_refusal_passes(api: ProviderApi) -> None:
    """W-22: it is an answer."""
    async with provider_harness(api) as now:
        now.server.play(refusal("I will ", "not."))
        stream = await now.ask()
        [message] = ending(stream)["output"]
        assert message["content"] == [{"type": "refusal", "refusal": "I will not."}]


NOT_FOUND = b'{"detail": "Not Found"}'
NO_MODEL = b'{"error": {"message": "The model `x` does not exist.", "code": 404}}'


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("api", "status", "body", "is_helped"),
    [
        ("responses", 404, NOT_FOUND, True),
        ("responses", 405, b"<h1>Method Not Allowed</h1>", True),
        ("responses", 404, NO_MODEL, False),
        ("responses", 400, NOT_FOUND, False),
        ("chat", 404, NOT_FOUND, False),
        ("messages", 404, NOT_FOUND, False),
    ],
)
async def test_a_provider_without_the_responses_api_is_asked_for_its_setting(
    api: ProviderApi, status: int, body: bytes, *, is_helped: bool
) -> None:
    """Issue 42: most servers speak Chat Completions alone, and a bare 404 says nothing of a setting."""
    async with provider_harness(api) as now:
        failure = await now.failure(answers(status, body))
        assert ('settings need `api = "chat"`.' in failure.message) is is_helped
        assert ".." not in failure.message


@pytest.mark.asyncio
@both_protocols
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (raw(b"data: error code: 524 for sk-scripted-4f1c9a\n\n"), "not JSON, but 'error code: 524 for …'."),
        (events({"error": {"code": 400}, "message": "No room."}), "failed: No room."),
        (answers(400, b"<html><title>Sign in</title>", ("Content-Type", "text/html")), "request: Sign in"),
    ],
)
async def test_a_providers_words_come_with_the_error(api: ProviderApi, answer: Script, words: str) -> None:
    """Finding I-L4: sibling. A proxy's words in a stream, beside an empty error, in a page; never the key."""
    async with provider_harness(api) as now:
        now.server.play(answer)
        with pytest.raises(ModelError, match=re.escape(words)):
            await now.ask()
