"""Native tool search: OpenAI's own client before the bridge, and a provider that refuses wrong histories.

Issue 41, 6: search, load, call, replay, restart.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.catalog.server_view import UserSelection
from bridge.models.agent.searching_model import HINT
from tests.support.models.model_answers import calls, reasoning, searches, text
from tests.support.models.model_bridge import shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, fails, script
from tests.support.models.search_bridge import (
    KNOWN,
    LOADED,
    OTHER,
    PLAIN,
    SEARCHED,
    SEARCHER,
    STOCK,
    answer,
    asked,
    loaded_names,
    names_of,
    search_bridge,
    searching_models,
    sent,
)
from tests.support.models.stored_responses import read_stream, sequence_numbers, wait_for_end

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])
async def test_a_model_searches_loads_calls_and_goes_on_after_a_restart(
    tmp_path: Path, provider: ScriptedProvider, *, streams: bool
) -> None:
    """Issue 41, 6: the official client; what was loaded is callable in later answers without a search."""
    provider.play(*SEARCHED, LOADED, text("Tea again."))
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge) as client:
        first = await answer(client, streams=streams, input="What is there?")
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge) as client:
        second = await answer(client, streams=streams, input="Again?", previous_response_id=first.id)
    assert (first.output_text, second.output_text) == ("Tea.", "Tea again.")
    assert [item.type for item in first.output] == ["message"], "calls of the bridge are not shown by default"
    offered = sent(provider, 0)["tools"]
    assert names_of(offered) == ["read_result", "tool_search"]
    assert offered[1]["execution"] == "client"
    assert "- shop: Shop" in offered[1]["description"]
    assert "- zoo: Zoo" in offered[1]["description"]
    assert all(request.body["tools"] == offered for request in provider.requests), "the prefix stays"
    search, output = sent(provider, 1)["input"][-2:]
    assert (search["type"], search["arguments"]) == ("tool_search_call", STOCK)
    assert (output["call_id"], output["execution"], output["status"]) == ("call_0_0", "client", "completed")
    group = next(group for group in output["tools"] if group["name"] == "shop")
    assert (group["type"], group["description"]) == ("namespace", "Shop")
    function = next(tool for tool in group["tools"] if tool["name"] == "listProducts")
    assert (function["strict"], function["defer_loading"]) == (True, True)
    assert function["parameters"]["required"] == ["limit"]
    replayed = sent(provider, 3)["input"]
    assert replayed[: len(sent(provider, 2)["input"])] == sent(provider, 2)["input"], (
        "item by item, as it was"
    )
    assert json.loads(sent(provider, 4)["input"][-1]["output"]) == {"products": ["tea"]}


async def test_a_caller_who_is_shown_calls_as_items_is_shown_searches(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Each event once and in order, and both items in the types of the official client."""
    provider.play(*SEARCHED)
    headers = {"X-Tool-Bridge-Calls": "items"}
    events: list[Any] = [
        event
        async for event in await client.responses.create(
            model=SEARCHER, input="What is there?", stream=True, extra_headers=headers
        )
    ]
    final = events[-1].response
    kinds = ["tool_search_call", "tool_search_output", "function_call", "function_call_output", "message"]
    assert [item.type for item in final.output] == kinds
    done = [event.item.type for event in events if event.type == "response.output_item.done"]
    added = [event.item.type for event in events if event.type == "response.output_item.added"]
    assert done == added == kinds
    assert [event.sequence_number for event in events] == list(range(len(events)))
    assert final.output[1].tools[0].tools[0].strict
    assert final.output[2].namespace == "shop"


async def test_several_searches_of_a_round_are_each_answered_in_their_order(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """One may name a namespace; what was found before is found again."""
    zoo_only = {"query": "list animal7 products", "namespace": "zoo"}
    provider.play(searches(STOCK, zoo_only), searches({"query": "animal3", "namespace": None}), text("Yes."))
    assert (await answer(client, input="What is there?")).output_text == "Yes."
    first, second, *outputs = sent(provider, 1)["input"][-4:]
    assert [first["type"], second["type"]] == ["tool_search_call"] * 2
    assert [output["call_id"] for output in outputs] == [first["call_id"], second["call_id"]]
    assert "listProducts" in loaded_names(outputs[0])["shop"]
    assert list(loaded_names(outputs[1])) == ["zoo"]
    assert loaded_names(sent(provider, 2)["input"][-1])["zoo"][0] == "animal3"


@pytest.mark.parametrize(
    ("arguments", "finds"),
    [
        ({}, False),
        ({"query": 7}, False),
        ({"query": "  ", "namespace": None}, False),
        ({"query": "zebra crossing xylophone", "namespace": None}, False),
        ({"goal": "list products"}, True),
        ({"paths": ["shop.listProducts"]}, True),
        ('{"query": "list products"}', True),
        ("list products", True),
        ({"query": "list products", "namespace": "nowhere"}, True),
    ],
)
async def test_a_search_with_odd_arguments_is_answered(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, arguments: Any, *, finds: bool
) -> None:
    """An output of a search has no room for an error, so that what can be meant is looked for.

    An operator sees by a metric how many searches found nothing.
    """
    provider.play(searches(arguments), text("Well."))
    assert (await answer(client, input="What is there?")).output_text == "Well."
    output = sent(provider, 1)["input"][-1]
    assert bool(output["tools"]) == finds
    assert not finds or "listProducts" in loaded_names(output)["shop"]
    counted = bridge.components.metrics.instruments.registry.collect()
    samples = [sample for family in counted for sample in family.samples]
    (searched,) = [each for each in samples if each.name == "tool_bridge_model_tool_searches_total"]
    assert (searched.labels["ending"], searched.value) == ("loaded" if finds else "nothing", 1)


def nested(levels: int) -> Any:
    """Words that stand under so many members."""
    arguments: Any = "list products"
    for _ in range(levels):
        arguments = {"goal": arguments}
    return arguments


@pytest.mark.parametrize(
    ("arguments", "finds"),
    [
        ({"query": "list products" + " x" * 100_000}, True),
        ({"goals": ["list products"] * 15_000}, True),
        ({f"goal{number}": "list products" for number in range(6_000)}, True),
        ({"query": "list products", "namespace": "n" * 200_000}, True),
        ({"goals": [[["list products"]] * 12_000]}, False),
        (nested(100), False),
    ],
    ids=["a query", "a list", "members", "a namespace", "lists in lists", "levels"],
)
async def test_a_search_of_huge_arguments_is_cut_and_answered(
    client: AsyncOpenAI, provider: ScriptedProvider, arguments: Any, *, finds: bool
) -> None:
    """A model writes whatever it is talked into; what is searched for stays a query."""
    provider.play(searches(arguments), text("Well."))
    assert (await answer(client, input="What is there?")).output_text == "Well."
    output = sent(provider, 1)["input"][-1]
    assert bool(output["tools"]) == finds


async def test_a_search_loads_no_more_than_a_model_can_read(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """As many functions as `find_operations` describes, however many match."""
    provider.play(searches({"query": "animals", "namespace": "zoo"}), text("Many."))
    await answer(client, input="What is there?")
    assert len(loaded_names(sent(provider, 1)["input"][-1])["zoo"]) == 8


async def test_what_is_listed_is_not_loaded(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The model has it before its eyes, in the default namespace."""
    await bridge.components.registry.save_selection(bridge.local_user.id, UserSelection(searched=("zoo",)))
    provider.play(searches(STOCK), calls(("listProducts", {"limit": 1})), text("Tea."))
    await answer(client, input="What is there?")
    assert names_of(sent(provider, 0)["tools"]) == [
        "listProducts",
        "addProduct",
        "read_result",
        "tool_search",
    ]
    assert "- shop" not in sent(provider, 0)["tools"][-1]["description"]
    assert "shop" not in loaded_names(sent(provider, 1)["input"][-1])


async def test_without_anything_to_search_no_search_is_offered(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """A list that has everything is as it was."""
    provider.play(text("Hi."))
    models = searching_models(provider)
    async with shop_bridge(tmp_path, provider, models=models) as bridge, asked(bridge) as client:
        await answer(client, input="Hi")
    assert "tool_search" not in names_of(sent(provider, 0)["tools"])


async def test_a_tool_that_is_declined_after_it_was_loaded_is_refused_to_the_model(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """It reads why, and the next request still has search, output and call as they were."""
    provider.play(*SEARCHED, LOADED, text("Gone."))
    first = await answer(client, input="What is there?")
    registry, user = bridge.components.registry, bridge.local_user.id
    await registry.accept_operations(user, "shop", {})
    second = await answer(client, input="Again?", previous_response_id=first.id)
    assert second.output_text == "Gone."
    refusal = json.loads(sent(provider, 4)["input"][-1]["output"])
    assert refusal["error"]["code"] == "unknown_tool"
    assert "tool_search" in refusal["error"]["message"]


@pytest.mark.parametrize(("model", "is_native"), [(KNOWN, True), (PLAIN, False), (SEARCHER, True)])
async def test_models_are_known_by_name_or_setting(
    client: AsyncOpenAI, provider: ScriptedProvider, model: str, *, is_native: bool
) -> None:
    """All others get `find_operations` and `run_operation`, as before."""
    provider.play(text("Hi."))
    await answer(client, model=model, input="Hi")
    own = ["read_result", "tool_search"] if is_native else ["find_operations", "run_operation", "read_result"]
    assert names_of(sent(provider, 0)["tools"]) == own


@pytest.mark.parametrize("model", [OTHER, PLAIN])
async def test_another_model_reads_the_calls_without_the_searches(
    client: AsyncOpenAI, provider: ScriptedProvider, model: str
) -> None:
    """Items belong to the model that made them: a search goes with its output, calls stay."""
    provider.play(*SEARCHED, text("Still tea."))
    first = await answer(client, input="What is there?")
    await answer(client, model=model, input="Sure?", previous_response_id=first.id)
    replayed = sent(provider, 3)["input"]
    kinds = ["message", "function_call", "function_call_output", "message", "message"]
    assert [item.get("type", "message") for item in replayed] == kinds
    assert "namespace" not in replayed[1]


async def test_searches_are_left_out_once_the_setting_is_off(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """It is switched off where a provider refuses them, so that an old chat must not bring them back."""
    hm = reasoning("Hm.")
    provider.play(hm + searches(STOCK), hm + LOADED, text("Tea."), text("Still tea."))
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge) as client:
        first = await answer(client, input="What is there?")
    async with search_bridge(tmp_path, provider, tool_search=False) as bridge, asked(bridge) as client:
        await answer(client, input="Sure?", previous_response_id=first.id)
    kinds = ["message", "reasoning", "function_call", "function_call_output", "message", "message"]
    assert [item.get("type", "message") for item in sent(provider, 3)["input"]] == kinds
    assert "namespace" not in json.dumps(sent(provider, 3)["input"])
    assert "find_operations" in names_of(sent(provider, 3)["tools"])


async def test_a_function_that_was_called_before_it_was_loaded_is_listed_again(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """A provider refuses a history with a call of a loaded function that names no namespace."""
    provider.play(calls(("listProducts", {"limit": 1})), *SEARCHED)
    assert (await answer(client, input="What is there?")).output_text == "Tea."
    made = [item for item in sent(provider, 3)["input"] if item.get("type") == "function_call"]
    assert [call.get("namespace") for call in made] == [None, "shop"]
    assert names_of(sent(provider, 3)["tools"]) == ["read_result", "tool_search", "listProducts"]
    assert sent(provider, 2)["tools"] == sent(provider, 3)["tools"], "from then on the prefix stays"


async def test_a_callers_function_of_the_same_name_stays_the_callers(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The namespace tells them apart."""
    mine: Any = {
        "type": "function",
        "name": "listProducts",
        "parameters": {"type": "object"},
        "strict": False,
    }
    provider.play(searches(STOCK), LOADED, calls(("listProducts", {})))
    response = await answer(client, input="What is there?", tools=[mine])
    assert [(item.type, item.name) for item in response.output] == [("function_call", "listProducts")]
    assert json.loads(sent(provider, 2)["input"][-1]["output"]) == {"products": ["tea"]}


async def test_a_provider_that_does_not_know_it_is_explained_by_the_setting(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Its own words alone would not tell an operator what to change."""
    provider.play(fails(400, "Tool 'tool_search' is not supported with this model."), fails(400, "No."))
    with pytest.raises(openai.BadRequestError) as refused:
        await answer(client, input="Hi")
    assert HINT in refused.value.message
    assert "`tool_search = false`" in refused.value.message
    with pytest.raises(openai.BadRequestError) as refused:
        await answer(client, input="Hi")
    assert HINT not in refused.value.message


async def test_searches_count_as_tool_calls(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """`max_tool_calls` leaves the second one without tools, and both with an output."""
    provider.play(searches(STOCK, STOCK), text("One."))
    await answer(client, input="What is there?", max_tool_calls=1)
    outputs = sent(provider, 1)["input"][-2:]
    assert [bool(output["tools"]) for output in outputs] == [True, False]


@pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])
async def test_chat_completions_show_a_search_as_any_call(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, *, streams: bool
) -> None:
    """Its caller speaks no Responses; the model behind it does."""
    provider.play(*SEARCHED)
    asking: Any = {"model": SEARCHER, "messages": [{"role": "user", "content": "What is there?"}]}
    create: Any = client.chat.completions.create
    if streams:
        chunks: list[Any] = [chunk async for chunk in await create(stream=True, **asking)]
        words = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert not any(chunk.choices[0].delta.tool_calls for chunk in chunks if chunk.choices)
    else:
        words = (await create(**asking)).choices[0].message.content
    assert words.endswith("Tea.")
    assert names_of(sent(provider, 0)["tools"]) == ["read_result", "tool_search"]


async def test_an_answer_that_stops_after_a_search_goes_on_after_a_restart(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Nothing is searched for again, and its listener misses and repeats nothing."""
    seen: list[Any] = []
    provider.play(searches(STOCK), script(text("One ", "two.")).held(asyncio.Event(), after=5))
    asking: Any = {"model": SEARCHER, "input": "What is there?", "background": True, "stream": True}
    shown = {"X-Tool-Bridge-Calls": "items"}
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge) as client:
        create: Any = client.responses.create
        async for event in await create(extra_headers=shown, **asking):
            seen.append(event)
            if event.type == "response.output_text.delta":
                break
    provider.play(LOADED, text("Tea."))
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge) as client:
        whole = await wait_for_end(client, seen[0].response.id)
        again = await read_stream(client, seen[0].response.id)
    assert whole.output_text == "Tea."
    assert [item.type for item in whole.output if item.type != "message"] == [
        "tool_search_call",
        "tool_search_output",
        "function_call",
        "function_call_output",
    ]
    numbers = sequence_numbers(again)
    assert numbers == sorted(set(numbers))
    assert sent(provider, 2)["input"] == sent(provider, 1)["input"]
