"""`tool_servers` of a request: which servers' tools one request to a model has."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text, operation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge, products
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.models.stored_responses import wait_for_end
from tests.support.running_bridge import FakePage, page_of
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

HELLO: Any = [{"role": "user", "content": "Hi"}]
NONE: set[str] = set()
META = {"find_operations", "run_operation", "read_result"}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with model_bridge(tmp_path, provider) as running:
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncGenerator[FakePage]:
    async with page_of(bridge, bridge.local_user.id, products) as page:
        await add_servers(page)
        yield page


async def add_servers(page: FakePage) -> None:
    """Three servers of one operation each, accepted."""
    for title, name in (("Alpha", "getAlpha"), ("Beta", "getBeta"), ("Gamma API", "getGamma")):
        document = document_text(title, paths={f"/{name}": operation(name)})
        await page.post("/api/servers", {"text": document})
    await page.accept_everything()


def sent_names(provider: ScriptedProvider) -> set[str]:
    """Names of the tools that the provider's last request had."""
    body = provider.requests[-1].body
    assert "tool_servers" not in body
    return {tool["name"] for tool in body.get("tools", [])}


async def offered_in_chat(client: AsyncOpenAI, provider: ScriptedProvider, servers: Any) -> set[str]:
    provider.play(text("Hi."))
    await client.chat.completions.create(model=MODEL, messages=HELLO, extra_body={"tool_servers": servers})
    return sent_names(provider)


async def offered_in_response(client: AsyncOpenAI, provider: ScriptedProvider, servers: Any) -> set[str]:
    provider.play(text("Hi."))
    await client.responses.create(model=MODEL, input="Hi", extra_body={"tool_servers": servers})
    return sent_names(provider)


@pytest.mark.parametrize("offered", [offered_in_chat, offered_in_response])
@pytest.mark.parametrize(
    ("servers", "names"),
    [
        (["alpha"], {"getAlpha", "read_result"}),
        (["Gamma API", "beta"], {"getBeta", "getGamma", "read_result"}),
        ([], NONE),
        (None, {"getAlpha", "getBeta", "getGamma", "read_result"}),
    ],
)
@pytest.mark.usefixtures("page")
async def test_a_request_has_the_tools_of_the_servers_that_it_names(
    client: AsyncOpenAI, provider: ScriptedProvider, offered: Any, servers: Any, names: set[str]
) -> None:
    """S0-119: servers are chosen per chat, by id or by title; none is no tool, and without a choice all are.

    The provider never sees the member.
    """
    assert await offered(client, provider, servers) == names


@pytest.mark.usefixtures("page")
async def test_servers_that_a_request_names_need_not_be_among_those_shown_to_models(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """As at the address of one server: the name takes the place of the choice of servers in the page."""
    await page.request("PUT", "/api/selection", {"servers": ["alpha"], "max_tools": 3})
    assert await offered_in_chat(client, provider, None) == {"getAlpha", "read_result"}
    assert await offered_in_chat(client, provider, ["beta"]) == {"getBeta", "read_result"}


async def test_operations_are_found_and_run_on_these_servers_only(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-119: also where there are too many tools to offer, and of a server that is not shown otherwise."""
    many: JsonObject = {f"/b{number}": operation(f"beta{number}") for number in range(6)}
    async with page_of(bridge, bridge.local_user.id, products) as page:
        await add_servers(page)
        await page.post("/api/servers", {"text": document_text("Many", paths=many)})
        await page.accept_everything()
        await page.request("PUT", "/api/selection", {"servers": ["alpha"], "max_tools": 5})
        provider.play(
            calls(("find_operations", {"query": ""}), ("find_operations", {"query": "", "server": "alpha"})),
            calls(
                ("run_operation", {"name": "beta3", "arguments": {}}),
                ("run_operation", {"name": "getAlpha", "arguments": {}}),
            ),
            text("Done."),
        )
        await client.chat.completions.create(
            model=MODEL, messages=HELLO, extra_body={"tool_servers": ["many"]}
        )
        assert [call["name"] for call in page.calls] == ["GET /b3"]
    assert {tool["name"] for tool in provider.requests[0].body["tools"]} == META
    outputs = [
        item["output"]
        for item in provider.requests[2].body["input"]
        if item.get("type") == "function_call_output"
    ]
    assert "beta5" in outputs[0]
    assert "getAlpha" not in outputs[0]
    assert "There is no server 'alpha'. The servers are: many." in outputs[1]
    assert "There is no operation 'getAlpha'" in outputs[3]


@pytest.mark.parametrize(
    ("servers", "code", "param"),
    [
        (["alpha", "delta"], "invalid_value", "tool_servers[1]"),
        ("alpha", "invalid_type", "tool_servers"),
        ([{"url": "https://x.test"}], "invalid_type", "tool_servers[0]"),
    ],
)
@pytest.mark.usefixtures("page")
async def test_what_names_no_server_is_refused_before_the_model_is_asked(
    client: AsyncOpenAI, provider: ScriptedProvider, servers: Any, code: str, param: str
) -> None:
    """A tool that is missing in silence would be looked for in the wrong place."""
    for request in (
        client.responses.create(model=MODEL, input="Hi", extra_body={"tool_servers": servers}),
        client.chat.completions.create(model=MODEL, messages=HELLO, extra_body={"tool_servers": servers}),
    ):
        with pytest.raises(openai.BadRequestError) as refused:
            await request
        assert (refused.value.code, refused.value.param) == (code, param)
        if code == "invalid_value":
            known = "Your servers are: alpha (Alpha), beta (Beta), gamma-api (Gamma API)."
            assert f"There is no server 'delta'. {known}" in refused.value.message
    assert provider.requests == []


@pytest.mark.usefixtures("page")
async def test_a_choice_holds_for_its_request_and_not_for_what_continues_it(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """As with `tools`: who continues says again what the model may have."""
    provider.play(text("Hi."), text("Again."))
    body = {"tool_servers": ["alpha"]}
    first = await client.responses.create(model=MODEL, input="Hi", extra_body=body)
    assert sent_names(provider) == {"getAlpha", "read_result"}
    await client.responses.create(model=MODEL, input="On", previous_response_id=first.id)
    assert sent_names(provider) == {"getAlpha", "getBeta", "getGamma", "read_result"}


async def test_a_background_response_keeps_its_servers_across_a_restart(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """It is one request, whichever process ends it."""
    provider.play(script(text("One ", "two.")).held(asyncio.Event(), after=5))
    async with model_bridge(tmp_path, provider) as bridge, client_of(bridge) as client:
        async with page_of(bridge, bridge.local_user.id, products) as page:
            await add_servers(page)
            body = {"tool_servers": ["Beta"]}
            stream = await client.responses.create(
                model=MODEL, input="Count", background=True, stream=True, extra_body=body
            )
            seen: list[Any] = []
            async for event in stream:
                seen.append(event)
                if event.type == "response.output_text.delta":
                    break
        assert sent_names(provider) == {"getBeta", "read_result"}
    provider.play(text("One two."))
    async with (
        model_bridge(tmp_path, provider) as bridge,
        client_of(bridge) as client,
        page_of(bridge, bridge.local_user.id, products),
    ):
        whole = await wait_for_end(client, seen[0].response.id)
    assert (whole.status, whole.output_text) == ("completed", "One two.")
    assert sent_names(provider) == {"getBeta", "read_result"}
