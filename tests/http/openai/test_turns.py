"""Turns through the model routes with a page: what the provider is sent, what runs, what callers see."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.settings.chat.models import ModelSettings, ModelsFile
from tests.support.documents.compiled import document_text
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import (
    MODEL,
    client_of,
    model_bridge,
    models_file,
    products,
    shop_bridge,
)
from tests.support.models.scripted_provider import ScriptedProvider, fails, script, scripted_provider
from tests.support.models.wing import wing_of
from tests.support.running_bridge import Answer, json_answer, page_of, running_bridge
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "Which products are there?"}]
LIST = calls(("listProducts", {"limit": 2}))


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider) as running:
        yield running


def blocking(begun: asyncio.Event) -> Answer:
    """A page that never ends what it has begun."""

    async def answer(_call: dict[str, Any]) -> None:
        begun.set()

    return answer


def tool_names(provider: ScriptedProvider, request: int = 0) -> list[str]:
    return [tool.get("name", tool["type"]) for tool in provider.requests[request].body.get("tools", [])]


async def test_the_page_runs_the_call_and_the_model_reads_it(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-50, S0-51, S2-05, S2-06: run once, in the page; the answer has no trace of a call for the client."""
    provider.play(LIST, text("There is tea."))
    async with page_of(bridge, bridge.local_user.id, products) as page:
        stream = await client.chat.completions.create(model=MODEL, messages=HELLO, stream=True)
        chunks = [chunk async for chunk in stream]
        assert len(page.calls) == 1
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == "There is tea."
    assert all(chunk.choices[0].delta.tool_calls is None for chunk in chunks)
    assert [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices[0].finish_reason] == ["stop"]
    last = provider.requests[1].body["input"][-2:]
    assert [item["type"] for item in last] == ["function_call", "function_call_output"]
    assert last[0]["call_id"] == last[1]["call_id"]
    assert json.loads(last[1]["output"]) == {"products": ["tea"]}


async def test_tools_come_in_their_order_and_only_with_a_page(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-02, S0-07, S0-10, S4-05: the user's, then the caller's; without a page the caller's alone."""
    extra = {"type": "web_search", "search_context_size": "low"}
    own: Any = [{"type": "function", "name": "mine", "parameters": {"type": "object", "properties": {}}}]
    provider.play(text("One."), text("Two."))
    async with page_of(bridge, bridge.local_user.id, products):
        await client.responses.create(model=MODEL, input="Hi", tools=own)
    names = tool_names(provider)
    assert names[-1] == "mine"
    assert "listProducts" in names
    await eventually(lambda: bridge.components.gateway.pages.count_pages(bridge.local_user.id) == 0)
    await client.responses.create(model=MODEL, input="Hi", tools=own, extra_body={"extra_tools": [5, extra]})
    assert tool_names(provider, 1) == ["mine", "web_search"]
    assert provider.requests[1].body["tools"][1] == extra


async def test_without_any_tool_the_request_has_none(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """S0-01: an empty `tools` is refused by several providers."""
    provider.play(text("Hi."))
    await client.responses.create(model=MODEL, input="Hi")
    assert "tools" not in provider.requests[0].body


@pytest.mark.parametrize("task", ["header", "choice", "metadata"])
async def test_a_task_gets_no_tools(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, task: str
) -> None:
    """S4-06: a title is one round, whatever page is open."""
    ways: dict[str, Any] = {
        "header": {"extra_headers": {"X-Tool-Bridge-Task": "title_generation"}},
        "choice": {"tool_choice": "none"},
        "metadata": {"metadata": {"task": "title_generation"}},
    }
    provider.play(text("Tea"))
    async with page_of(bridge, bridge.local_user.id, products):
        await client.chat.completions.create(model=MODEL, messages=HELLO, **ways[task])
    assert "tools" not in provider.requests[0].body
    assert len(provider.requests) == 1


async def test_a_model_without_function_calling_gets_no_tools(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-01, S4-01: as its settings say; tools of the caller are refused before the provider is asked."""
    named = ModelSettings(id="plain", provider="scripted", model=MODEL, can_call_functions=False)
    async with shop_bridge(tmp_path, provider, models=models_file(provider, model=(named,))) as bridge:
        provider.play(text("Hi."))
        async with client_of(bridge) as client, page_of(bridge, bridge.local_user.id, products):
            await client.chat.completions.create(model="plain", messages=HELLO)
            assert "tools" not in provider.requests[0].body
            own: Any = [{"type": "function", "function": {"name": "mine"}}]
            with pytest.raises(openai.BadRequestError, match="does not support tools"):
                await client.chat.completions.create(model="plain", messages=HELLO, tools=own)
    assert len(provider.requests) == 1


async def test_mixed_rounds_run_ours_and_hand_theirs_back(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-45, S2-07: what the bridge ran is not run again when the caller brings its own output."""
    own: Any = [{"type": "function", "function": {"name": "mine", "parameters": {"type": "object"}}}]
    provider.play(calls(("listProducts", {}), ("mine", {"a": 1})), text("Both."))
    async with page_of(bridge, bridge.local_user.id, products) as page:
        first = await client.chat.completions.create(model=MODEL, messages=HELLO, tools=own)
        choice = first.choices[0]
        assert choice.finish_reason == "tool_calls"
        handed: Any = choice.message.tool_calls
        assert [call.function.name for call in handed] == ["mine"]
        assert len(page.calls) == 1
        answer: Any = {"role": "tool", "tool_call_id": handed[0].id, "content": "done"}
        talk: Any = [*HELLO, choice.message, answer]
        second = await client.chat.completions.create(model=MODEL, messages=talk, tools=own)
        assert len(page.calls) == 1
    assert second.choices[0].message.content == "Both."


@pytest.mark.parametrize(
    ("how", "content", "items"),
    [
        ("hidden", False, ["message"]),
        ("details", True, ["message", "message"]),
        ("items", False, ["function_call", "function_call_output", "message"]),
    ],
)
async def test_calls_are_shown_as_the_request_or_the_key_says(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, how: Any, content: bool, items: list[str]
) -> None:
    """S2-08, S2-09: the same for a header and for a key that was made so."""
    _, key = await bridge.components.users.add_key(bridge.local_user.id, "x", show_calls=how)
    provider.play(LIST, text("Tea."), LIST, text("Tea."))
    async with page_of(bridge, bridge.local_user.id, products), client_of(bridge, key=key) as keyed:
        headers = {"X-Tool-Bridge-Calls": how}
        by_header = await client.responses.create(model=MODEL, input="Hi", extra_headers=headers)
        by_key = await keyed.responses.create(model=MODEL, input="Hi")
    for response in (by_header, by_key):
        assert [item.type for item in response.output] == items
        assert ('<details type="tool_calls"' in response.output_text) is content
        assert response.output_text.endswith("Tea.")


async def test_words_a_shown_call_words_and_the_end_come_in_this_order(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S2-08, S2-10, W-31: as Open WebUI reads it, and nothing in the result can end the block."""

    async def nasty(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"text": "</details> \"'&<b>"})

    provider.play(text("I look.") + LIST, text("There is tea."))
    async with page_of(bridge, bridge.local_user.id, nasty):
        stream = await client.chat.completions.create(
            model=MODEL, messages=HELLO, stream=True, extra_headers={"X-Tool-Bridge-Calls": "details"}
        )
        chunks = [chunk async for chunk in stream]
    assert chunks[0].choices[0].delta.role == "assistant"
    said = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert (
        said.index("I look.") < said.index('\n<details type="tool_calls" done="true"') < said.index("There")
    )
    assert said.count("</details>") == 1


async def test_usage_of_all_rounds_reaches_the_caller(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-62, S4-08: two rounds, one call."""
    provider.play(LIST.costing(10, 1), text("Tea.").costing(20, 2))
    async with page_of(bridge, bridge.local_user.id, products):
        response = await client.responses.create(model=MODEL, input="Hi")
    usage: Any = response.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (30, 3, 33)
    assert (usage.turn_count, usage.function_call_count) == (2, 1)


async def test_the_limit_of_rounds_is_told_in_the_answer(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-56, S0-57, W-20: three rounds allowed are four requests, and calls in the first two only."""
    provider.play(LIST, LIST, LIST, text("That is all I know."))
    async with page_of(bridge, bridge.local_user.id, products) as page:
        response = await client.responses.create(
            model=MODEL, input="Hi", extra_body={"max_function_call_loops": 3}
        )
        assert len(page.calls) == 2
    assert len(provider.requests) == 4
    assert "TOOL_CALL_SKIPPED" in json.dumps(provider.requests[3].body["input"][-1])
    assert provider.requests[3].body["tool_choice"] == "none"
    assert "That is all I know." in response.output_text
    assert "Tool step limit reached" in response.output_text


async def test_the_first_delta_comes_before_the_model_has_ended(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-07, S2-02: a stream that is collected first is none."""
    gate = asyncio.Event()

    provider.play(script(text("First", " second")).held(gate, after=5))
    stream = await client.responses.create(model=MODEL, input="Hi", stream=True)
    async for event in stream:
        if event.type == "response.output_text.delta":
            assert not gate.is_set()
            gate.set()
            break
    rest = [event async for event in stream]
    assert rest[-1].type == "response.completed"


async def test_a_caller_that_goes_away_cancels_everything(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-80, W-23: the page aborts the call long before its deadline, and nothing waits for its end."""
    begun = asyncio.Event()
    provider.play(LIST)
    async with page_of(bridge, bridge.local_user.id, blocking(begun)) as page:
        stream = await client.chat.completions.create(model=MODEL, messages=HELLO, stream=True)
        await begun.wait()
        await stream.close()
        await eventually(lambda: page.cancelled, what="the abort of the call")
    await eventually(lambda: wing_of(bridge.components).models.requests.running == 0)


async def test_a_caller_that_goes_away_hangs_up_on_the_provider(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-80: tokens nobody reads are not paid for."""
    provider.play(script(text("First", " second")).held(asyncio.Event(), after=5))
    stream = await client.responses.create(model=MODEL, input="Hi", stream=True)
    async for event in stream:
        if event.type == "response.output_text.delta":
            break
    await stream.close()
    await asyncio.wait_for(provider.requests[0].hung_up.wait(), 20)


async def test_a_running_response_is_cancelled_by_its_id(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """From another connection, by its user alone; its own stream ends, with what was said."""
    begun = asyncio.Event()
    provider.play(text("I look.") + LIST)
    bob = await bridge.components.users.ensure_user("bob")
    _, bobs_key = await bridge.components.users.add_key(bob.id, "x")
    async with (
        page_of(bridge, bridge.local_user.id, blocking(begun)) as page,
        client_of(bridge, key=bobs_key) as other,
    ):
        stream = await client.responses.create(model=MODEL, input="Hi", stream=True)
        created: Any = await anext(aiter(stream))
        await begun.wait()
        with pytest.raises(openai.NotFoundError):
            await other.responses.cancel(created.response.id)
        cancelled = await client.responses.cancel(created.response.id)
        assert (cancelled.status, cancelled.output_text) == ("cancelled", "I look.")
        events: list[Any] = [event async for event in stream]
        assert events[-1].response.status == "cancelled"
        await eventually(lambda: page.cancelled)
        again = await client.responses.cancel(created.response.id)
        assert again.status == "cancelled"  # it is kept, and stays as it ended


async def test_a_page_that_goes_away_does_not_end_the_turn(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-153, S2-14: the model learns that the browser is gone, and answers."""
    begun = asyncio.Event()
    provider.play(LIST, text("Your page is closed."))
    async with page_of(bridge, bridge.local_user.id, blocking(begun)) as page:
        asking = asyncio.create_task(client.responses.create(model=MODEL, input="Hi"))
        await begun.wait()
        await page.close()
        response = await asyncio.wait_for(asking, 30)
    assert response.output_text == "Your page is closed."
    assert "browser" in provider.requests[1].body["input"][-1]["output"]


async def test_requests_that_fail_again_and_again_are_refused(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-91: five failures, then a refusal without asking the provider; another user goes on."""
    broken = text("Hm").ending_in("failed")
    provider.play(*[fails(402, "Pay.")] * 3, broken, broken, text("Hi."))
    for _ in range(3):
        with pytest.raises(openai.APIStatusError, match="Pay"):
            await client.responses.create(model=MODEL, input="Hi")
    for _ in range(2):
        assert (await client.responses.create(model=MODEL, input="Hi")).status == "failed"
    async with client_of(bridge, max_retries=2) as patient:
        with pytest.raises(openai.InternalServerError, match="Temporarily disabled") as refused:
            await patient.responses.create(model=MODEL, input="Hi")
    error: Any = refused.value
    assert (error.status_code, error.code) == (503, "breaker_open")
    assert len(provider.requests) == 5
    bob = await bridge.components.users.ensure_user("bob")
    _, key = await bridge.components.users.add_key(bob.id, "x")
    async with client_of(bridge, key=key) as other:
        assert (await other.responses.create(model=MODEL, input="Hi")).output_text == "Hi."


async def test_a_provider_that_fails_costs_its_user_no_other_provider(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-91, W-08: a user whose account at one provider is empty can ask another one."""
    async with scripted_provider() as other:
        (broken,) = models_file(provider).provider
        fine = broken.model_copy(update={"name": "other", "base_url": other.base_url})
        models = ModelsFile(provider=(broken, fine))
        async with model_bridge(tmp_path, provider, models=models) as bridge, client_of(bridge) as client:
            provider.play(*[fails(402, "Pay.")] * 5)
            other.play(text("Hi."))
            for _ in range(5):
                with pytest.raises(openai.APIStatusError, match="Pay"):
                    await client.responses.create(model=f"scripted/{MODEL}", input="Hi")
            with pytest.raises(openai.InternalServerError, match="Temporarily disabled"):
                await client.responses.create(model=f"scripted/{MODEL}", input="Hi")
            answer = await client.responses.create(model=f"other/{MODEL}", input="Hi")
            assert answer.output_text == "Hi."


async def test_a_success_forgets_failures(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """S0-91: four failures now and then must never add up to a refusal."""
    for _ in range(2):
        provider.play(*[fails(402)] * 4, text("Hi."))
        for _ in range(4):
            with pytest.raises(openai.APIStatusError):
                await client.responses.create(model=MODEL, input="Hi")
        await client.responses.create(model=MODEL, input="Hi")
    assert len(provider.requests) == 10


@pytest.mark.parametrize("status", [400, 404, 413, 422])
async def test_a_request_that_is_wrong_itself_opens_no_breaker(
    client: AsyncOpenAI, provider: ScriptedProvider, status: int
) -> None:
    """S0-91: a chat that is too long fails each time; the user's other chats have nothing to do with it."""
    provider.play(*[fails(status)] * 6, text("Hi."))
    for _ in range(6):
        with pytest.raises(openai.APIStatusError):
            await client.responses.create(model=MODEL, input="Hi")
    assert (await client.responses.create(model=MODEL, input="Hi")).output_text == "Hi."


async def test_a_busy_bridge_says_so_and_may_be_asked_again(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-82: one request runs, one waits, the third is 503; OpenAI's client asks again by itself."""
    gate = asyncio.Event()
    limits = {"MAX_CONCURRENT_REQUESTS": 1, "REQUEST_QUEUE_SIZE": 1}
    async with model_bridge(tmp_path, provider, limits=limits) as bridge, client_of(bridge) as client:
        provider.play(script(text("Hi.")).held(gate, after=1), text("Hi."))
        tasks = [asyncio.create_task(client.responses.create(model=MODEL, input="Hi")) for _ in range(2)]
        await eventually(lambda: wing_of(bridge.components).models.requests.waiting == 1)
        with pytest.raises(openai.InternalServerError, match="Server busy") as refused:
            await client.responses.create(model=MODEL, input="Hi")
        assert refused.value.status_code == 503
        assert refused.value.response.headers["retry-after"] == "1"
        gate.set()
        assert [(await task).output_text for task in tasks] == ["Hi.", "Hi."]


async def test_the_demo_model_answers_without_any_provider(tmp_path: Path) -> None:
    """The first run needs no account: the model, the page and the loop are all there."""
    async with running_bridge(tmp_path, models=ModelsFile()) as bridge, client_of(bridge) as client:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        assert [model.id async for model in client.models.list()] == ["demo"]
        talk: Any = [{"role": "user", "content": 'CALL listProducts {"limit": 1}'}]
        async with page_of(bridge, bridge.local_user.id, products) as page:
            completion = await client.chat.completions.create(model="demo", messages=talk)
            assert len(page.calls) == 1
        assert "tea" in str(completion.choices[0].message.content)


async def test_a_model_has_several_names_with_other_options(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-11, S4-03: an alias that thinks more; where nothing is stored its thoughts come back encrypted."""
    options: dict[str, Any] = {"reasoning": {"effort": "high"}}
    named = ModelSettings(id="small-high", provider="scripted", model=MODEL, options=options)
    models = models_file(provider, model=(named,))
    async with model_bridge(tmp_path, provider, models=models) as bridge, client_of(bridge) as client:
        provider.play(text("Hi."), text("Hi."))
        response = await client.responses.create(model="small-high", input="Hi")
        await client.responses.create(
            model="small-high", input="Hi", store=True, reasoning={"summary": "auto"}
        )
    first, second = (asked.body for asked in provider.requests)
    assert response.model == "small-high"
    assert (first["model"], first["reasoning"]) == (MODEL, {"effort": "high"})
    assert (first["store"], first["include"]) == (False, ["reasoning.encrypted_content"])
    assert second["reasoning"] == {"effort": "high", "summary": "auto"}
    assert second["store"] is False  # `store` asks this bridge, and nobody behind it
    assert second["include"] == ["reasoning.encrypted_content"]


async def test_the_next_round_begins_with_exactly_what_the_last_one_was_sent(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-04: providers cache identical beginnings; half of the price of a long talk hangs on it."""
    provider.play(LIST, LIST, text("Tea."))
    async with page_of(bridge, bridge.local_user.id, products):
        await client.chat.completions.create(model=MODEL, messages=HELLO)
    first, second, third = (asked.body for asked in provider.requests)
    assert second["input"][: len(first["input"])] == first["input"]
    assert third["input"][: len(second["input"])] == second["input"]
    assert first["tools"] == second["tools"] == third["tools"]


async def test_the_log_of_a_request_is_found_by_its_id(
    client: AsyncOpenAI, provider: ScriptedProvider, caplog: pytest.LogCaptureFixture
) -> None:
    """S4-12: what a user sees in an answer leads to the line, with model, rounds and calls."""
    provider.play(text("Hi."))
    with caplog.at_level(logging.INFO):
        raw = await client.responses.with_raw_response.create(model=MODEL, input="Hi")
    lines = [line for line in caplog.messages if raw.headers["x-request-id"] in line]
    assert len(lines) == 1
    assert f"model {MODEL} completed" in lines[0]
    assert "1 rounds, 0 calls" in lines[0]


async def test_arguments_may_have_any_name(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S1-15: a parameter called `user` or `sequential` is the tool's, and reaches it."""
    names = ("user", "__user__", "chat_id", "session_id", "sequential")
    parameters: Any = [{"name": name, "in": "query", "schema": {"type": "string"}} for name in names]
    odd: Any = {
        "get": {"operationId": "odd", "parameters": parameters, "responses": {"200": {"description": "ok"}}}
    }
    await bridge.components.registry.share_document(
        "odd", document_text("Odd", paths={"/odd": odd}), source_url=None
    )
    arguments = dict.fromkeys(names, "mine")
    provider.play(calls(("odd", arguments)), text("Done."))
    async with page_of(bridge, bridge.local_user.id, products) as page:
        await client.responses.create(model=MODEL, input="Hi")
        assert json.loads(page.calls[0]["params"]) == arguments
