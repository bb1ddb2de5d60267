"""A caller who sends `tool_search` or `defer_loading` itself is served unchanged (issue 41, 6)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI

from tests.support.models.model_answers import calls, loaded_call, searches, text
from tests.support.models.model_bridge import client_of
from tests.support.models.scripted_provider import ScriptedProvider, events
from tests.support.models.search_bridge import (
    LOADED,
    PLAIN,
    SEARCHED,
    SEARCHER,
    answer,
    asked,
    names_of,
    search_bridge,
    sent,
)
from tests.support.models.stored_responses import wait_for_end
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

SCHEMA: Any = {
    "type": "object",
    "properties": {"id": {"type": "string"}},
    "required": ["id"],
    "additionalProperties": False,
}
SEARCH: Any = {
    "type": "tool_search",
    "execution": "client",
    "description": "Find the caller's functions.",
    "parameters": {"type": "object", "properties": {"goal": {"type": "string"}}},
}


def function(name: str, **more: Any) -> Any:
    return {
        "type": "function",
        "name": name,
        "description": name,
        "parameters": SCHEMA,
        "strict": True,
        **more,
    }


def group(*tools: Any) -> Any:
    return {"type": "namespace", "name": "crm", "description": "Customers.", "tools": [*tools]}


@pytest.mark.parametrize("model", [SEARCHER, PLAIN])
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])
async def test_a_caller_searches_loads_and_runs_its_own_functions(
    client: AsyncOpenAI, provider: ScriptedProvider, model: str, *, streams: bool
) -> None:
    """The bridge offers its own search as to any model, and hands back what is not its own."""
    loaded = [
        group(function("get_customer", defer_loading=True)),
        function("listProducts", defer_loading=True),
    ]
    provider.play(
        searches({"goal": "customer"}),
        loaded_call("crm", "get_customer", {"id": "7"})
        + loaded_call("listProducts", "listProducts", {"id": "8"}),
        text("Ann."),
        text("Still Ann."),
    )
    asking: Any = {"model": model, "tools": [SEARCH], "streams": streams}
    first = await answer(client, input="Who is 7?", **asking)
    [search] = first.output
    assert (search.type, search.execution, search.arguments) == (
        "tool_search_call",
        "client",
        {"goal": "customer"},
    )
    assert names_of(sent(provider, 0)["tools"]) == [
        "find_operations",
        "run_operation",
        "read_result",
        "tool_search",
    ]
    assert sent(provider, 0)["tools"][-1] == SEARCH
    found: Any = {
        "type": "tool_search_output",
        "call_id": search.call_id,
        "execution": "client",
        "status": "completed",
        "tools": loaded,
    }
    second = await answer(client, input=[found], previous_response_id=first.id, **asking)
    assert [(item.type, item.name, item.namespace) for item in second.output] == [
        ("function_call", "get_customer", "crm"),
        ("function_call", "listProducts", "listProducts"),
    ]
    assert sent(provider, 1)["input"][-1] == found
    ran: Any = [
        {"type": "function_call_output", "call_id": call.call_id, "output": "Ann"} for call in second.output
    ]
    third = await answer(client, input=ran, previous_response_id=second.id, **asking)
    assert third.output_text == "Ann."
    again = await answer(client, input="Sure?", previous_response_id=third.id, **asking)
    assert again.output_text == "Still Ann."
    assert sent(provider, 3)["input"][: len(sent(provider, 2)["input"])] == sent(provider, 2)["input"]


async def test_what_the_bridge_has_loaded_stays_its_own_when_a_caller_searches(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Issue 42: its calls were handed back to a caller that had never heard of the function."""
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge) as client:
        provider.play(*SEARCHED, LOADED, text("Still tea."))
        first = await answer(client, input="What is there?")
        again = await answer(client, input="And now?", previous_response_id=first.id, tools=[SEARCH])
    assert again.output_text == "Still tea."
    assert "tea" in str(sent(provider, 4)["input"][-1]["output"])


async def test_functions_that_load_later_are_searched_by_the_provider(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Its searches have no id of a call; they are passed on, stored and sent again as they are."""
    call: Any = {
        "type": "tool_search_call",
        "id": "tsc_1",
        "call_id": None,
        "execution": "server",
        "arguments": {"paths": ["crm"]},
        "status": "completed",
    }
    deferred = function("get_customer", defer_loading=True)
    output = {**call, "type": "tool_search_output", "id": "tso_1", "tools": [group(deferred)]}
    del output["arguments"]
    wanted: Any = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "namespace": "crm",
        "name": "get_customer",
        "arguments": '{"id": "7"}',
        "status": "completed",
    }
    told = [call, output, wanted]
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": told, "usage": None}
    done = [
        {"type": f"response.output_item.{kind}", "output_index": place, "item": item}
        for place, item in enumerate(told)
        for kind in ("added", "done")
    ]
    provider.play(events(*done, {"type": "response.completed", "response": response}), text("Ann."))
    tools: Any = [{"type": "tool_search"}, group(deferred)]
    first = await answer(client, input="Who is 7?", tools=tools)
    assert [item.type for item in first.output] == ["tool_search_call", "tool_search_output", "function_call"]
    assert sent(provider, 0)["tools"][-2:] == tools
    ran: Any = [{"type": "function_call_output", "call_id": "call_1", "output": "Ann"}]
    second = await answer(client, input=ran, previous_response_id=first.id, tools=tools)
    assert second.output_text == "Ann."
    assert sent(provider, 1)["input"][1:4] == told


async def test_namespaces_that_load_at_once_are_the_callers_beside_the_models_own_search(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """They load nothing later, so that the bridge's servers are searched natively."""
    provider.play(loaded_call("crm", "get_customer", {"id": "7"}))
    response = await answer(client, input="Who is 7?", tools=[group(function("get_customer"))])
    assert [(item.name, item.namespace) for item in response.output] == [("get_customer", "crm")]
    assert names_of(sent(provider, 0)["tools"]) == ["read_result", "tool_search", "crm"]


async def test_a_namespace_of_the_callers_that_is_named_like_a_server_stays_the_only_one(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Two of one name would be mixed up, so that the bridge's servers are searched as for other models."""
    mine = {**group(function("listProducts")), "name": "shop"}
    provider.play(loaded_call("shop", "listProducts", {"id": "7"}))
    response = await answer(client, input="Who is 7?", tools=[mine])
    assert [(item.name, item.namespace) for item in response.output] == [("listProducts", "shop")]
    assert names_of(sent(provider, 0)["tools"])[-2:] == ["read_result", "shop"]


async def test_a_search_of_the_callers_beside_calls_of_the_bridge_is_answered_together(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """What the bridge ran in that round is neither lost nor run again."""
    provider.play(calls(("listProducts", {"limit": 2})) + searches({"goal": "customer"}), text("None."))
    first = await answer(client, input="Who is 7?", tools=[SEARCH])
    [search] = first.output
    nothing: Any = {
        "type": "tool_search_output",
        "call_id": search.call_id,
        "execution": "client",
        "status": "completed",
        "tools": [],
    }
    second = await answer(client, input=[nothing], previous_response_id=first.id, tools=[SEARCH])
    assert second.output_text == "None."
    kinds = ["message", "function_call", "tool_search_call", "function_call_output", "tool_search_output"]
    assert [item.get("type", "message") for item in sent(provider, 1)["input"]] == kinds
    assert json.loads(sent(provider, 1)["input"][3]["output"]) == {"products": ["tea"]}


async def test_an_output_of_a_search_that_is_not_known_is_refused(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """As that of any call: the model would go on without it."""
    lost: Any = {"type": "tool_search_output", "call_id": "call_lost", "execution": "client", "tools": []}
    with pytest.raises(openai.BadRequestError) as refused:
        await answer(client, input=[lost], tools=[SEARCH])
    assert "call_lost" in refused.value.message
    assert provider.requests == []


async def test_a_call_of_what_the_caller_loaded_stays_the_callers_after_a_restart(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Its function is in no namespace, so that only the stored history says whose it is."""
    provider.play(
        searches({"goal": "customer"}),
        calls(("listProducts", {"limit": 2})) + loaded_call("getCustomer", "getCustomer", {"id": "7"}),
    )
    asking: Any = {"model": SEARCHER, "tools": [SEARCH], "extra_headers": {"X-Tool-Bridge-Calls": "items"}}
    is_running = asyncio.Event()

    async def hang(_call: dict[str, Any]) -> dict[str, Any]:
        is_running.set()
        return await asyncio.Future()

    async with search_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        first = await answer(client, input="Who is 7?", **asking)
        found: Any = {
            "type": "tool_search_output",
            "call_id": first.output[0].call_id,
            "execution": "client",
            "status": "completed",
            "tools": [function("getCustomer", defer_loading=True)],
        }
        asking |= {"input": [found], "previous_response_id": first.id}
        async with page_of(bridge, bridge.local_user.id, hang):
            create: Any = client.responses.create
            begun = await create(background=True, **asking)
            await is_running.wait()
    provider.play(text("None."))
    async with search_bridge(tmp_path, provider) as bridge, asked(bridge) as client:
        whole = await wait_for_end(client, begun.id)
        ran: Any = {"type": "function_call_output", "call_id": "call_1_1", "output": "Ann"}
        asking |= {"input": [ran], "previous_response_id": whole.id}
        provider.play(text("Ann."))
        await answer(client, **asking)
    outputs = [item for item in sent(provider, -1)["input"] if item.get("call_id") == "call_1_1"]
    assert [item["type"] for item in outputs] == ["function_call", "function_call_output"]
    assert outputs[-1]["output"] == "Ann"


@pytest.mark.parametrize("member", ["tools", "extra_tools"])
@pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])
async def test_a_search_that_the_caller_runs_is_refused_in_a_chat(
    client: AsyncOpenAI, provider: ScriptedProvider, member: str, *, streams: bool
) -> None:
    """No message could answer it, so that the model would wait in vain; the other endpoint is named."""
    with pytest.raises(openai.BadRequestError) as refused:
        await client.chat.completions.create(
            model=SEARCHER,
            messages=[{"role": "user", "content": "Who is 7?"}],
            stream=streams,
            extra_body={member: [SEARCH]},
        )
    assert "/v1/responses" in refused.value.message
    assert (refused.value.code, refused.value.param) == ("unsupported_value", "tools")
    assert provider.requests == []


async def test_a_search_that_the_provider_runs_passes_in_a_chat(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Its caller has nothing to answer."""
    tools: Any = [{"type": "tool_search"}, function("getCustomer", defer_loading=True)]
    provider.play(text("Ann."))
    await client.chat.completions.create(
        model=SEARCHER,
        messages=[{"role": "user", "content": "Who is 7?"}],
        extra_body={"extra_tools": tools},
    )
    assert sent(provider, 0)["tools"][-2:] == tools
