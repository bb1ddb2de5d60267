"""What a page is sent of a call, and what becomes of whatever it says about it."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import Answer, json_answer, page_of

pytestmark = [pytest.mark.asyncio, pytest.mark.both_event_loops, pytest.mark.wide]

LIST = calls(("listProducts", {"limit": 2}))
NETWORK = {
    "status": "failed",
    "error": {"code": "network", "message": "Nobody answers at api.example."},
    "delivered": "no",
}


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider, deadline_s=5) as running:
        yield running


def always(outcome: Any) -> Answer:
    async def answer(_call: dict[str, Any]) -> Any:
        return outcome

    return answer


async def asked(client: AsyncOpenAI) -> str:
    return (await client.responses.create(model=MODEL, input="Which products are there?")).output_text


def output(provider: ScriptedProvider) -> Any:
    """What the model was told of its call."""
    item = provider.requests[1].body["input"][-1]
    assert (item["type"], item["status"]) == ("function_call_output", "completed")
    return item["output"]


async def test_a_call_comes_in_open_webuis_envelope_to_one_page_that_acknowledges_it(bridge: Bridge) -> None:
    """S0-110, W-25, W-28: id, name, arguments, session and no document; the ack comes before the result."""
    envelopes: list[dict[str, Any]] = []
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:

        async def received(envelope: dict[str, Any]) -> dict[str, Any]:
            envelopes.append(envelope)
            call_id = envelope["data"]["data"]["id"]
            result = {"call_id": call_id, "outcome": json_answer({"ok": 1})}
            page.socket.start_background_task(page.socket.emit, "bridge:result", result)
            return {"call_id": call_id}

        page.socket.on("events", received)
        headers = {
            "Authorization": f"Bearer {bridge.key}",
            "X-OpenWebUI-Chat-Id": "chat-1",
            "X-OpenWebUI-Message-Id": "message-1",
        }
        url = f"{bridge.base_url}/tools/listProducts"
        async with page.http.post(url, json={"limit": 2}, headers=headers) as response:
            assert await response.json() == {"ok": 1}
        (envelope,) = envelopes
        assert (envelope["chat_id"], envelope["message_id"]) == ("chat-1", "message-1")
        assert envelope["data"]["type"] == "execute:tool"
        call = envelope["data"]["data"]
        assert (call["name"], json.loads(call["params"])) == ("GET /products", {"limit": 2})
        assert set(call["server"]) == {"id", "digest"}
        chosen = bridge.components.gateway.pages.newest_page(bridge.local_user.id)
        assert chosen is not None
        assert call["session_id"] == chosen.sid


async def test_a_page_that_refuses_a_call_ends_it_at_once(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-112: a server that this browser does not know is said in the ack, and nothing is waited for."""
    provider.play(LIST, text("It is not there."))
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:

        async def refused(envelope: dict[str, Any]) -> dict[str, Any]:
            error = {"code": "not_accepted", "message": "This browser does not know the server."}
            return {"call_id": envelope["data"]["data"]["id"], "error": error}

        page.socket.on("events", refused)
        assert await asked(client) == "It is not there."
    assert "This browser does not know the server." in output(provider)


ACKS: list[tuple[Any, str]] = [
    ([{"products": ["tea"]}, {"content-type": "application/json"}], '{"products":["tea"]}'),
    ([[1, 2], None], "[1,2]"),
    (["tea", {}], "tea"),
    ({"error": "Tool Server Not Found"}, "The page refused the call: Tool Server Not Found"),
    ([{"error": "Failed to fetch"}, None], "The page could not make the call: Failed to fetch"),
    ("nonsense", "in a form that the bridge cannot read"),
    (5, "in a form that the bridge cannot read"),
    ([1, 2, 3], "in a form that the bridge cannot read"),
    ({"call_id": "another"}, "in a form that the bridge cannot read"),
    (None, "in a form that the bridge cannot read"),
]


@pytest.mark.parametrize(("ack", "words"), ACKS)
async def test_an_ack_in_open_webuis_form_or_in_none_ends_the_call_at_once(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, ack: Any, words: str
) -> None:
    """S0-112, S0-114: whoever answered so reports nothing later, and a deadline has no reason to tell."""
    provider.play(LIST, text("Done."))
    async with page_of(bridge, bridge.local_user.id, always(None)) as page:

        async def answered(_envelope: dict[str, Any]) -> Any:
            return ack

        page.socket.on("events", answered)
        assert await asked(client) == "Done."
    assert words in output(provider)
    assert "No answer within" not in output(provider)


async def test_a_failure_of_the_page_is_told_to_the_model_and_the_answer_goes_on(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-52, S0-54, S0-113, W-06: with its code, to be told from an answer; and the breaker counts it."""
    provider.play(LIST, text("The shop is closed."))
    async with page_of(bridge, bridge.local_user.id, always(NETWORK)) as page:
        assert await asked(client) == "The shop is closed."
        error = json.loads(output(provider))["error"]
        assert (error["code"], error["message"]) == ("network", "Tool error: Nobody answers at api.example.")
        for _ in range(4):
            provider.play(LIST, text("Closed."))
            await asked(client)
        states = {each["tool"]: each["state"] for each in (await page.get("/api/breakers"))["breakers"]}
        assert states["listProducts"] == "open"


async def test_open_webuis_user_is_told_which_tool_failed_and_why(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-113: a toast, and no status that says the tool had finished; the run continues."""
    provider.play(LIST, text("The shop is closed."))
    chunks: list[Any] = []
    async with page_of(bridge, bridge.local_user.id, always(NETWORK)):
        stream = await client.chat.completions.create(
            model=MODEL,
            messages=[{"role": "user", "content": "Which?"}],
            stream=True,
            extra_headers={"X-OpenWebUI-Chat-Id": "chat-1"},
        )
        chunks = [chunk.model_dump() async for chunk in stream]
    events = [chunk["event"] for chunk in chunks if chunk.get("event")]
    assert [event["data"] for event in events if event["type"] == "notification"] == [
        {
            "type": "warning",
            "content": "Tool 'List products' failed: Tool error: Nobody answers at api.example.",
        }
    ]
    assert [event["data"]["description"] for event in events if event["type"] == "status"] == [
        "Running List products…",
        "Tool failed.",
        "",
    ]
    assert chunks[-1]["choices"][0]["finish_reason"] == "stop"


@pytest.mark.parametrize(("tool", "sent"), [("listProducts", 2), ("addProduct", 1)])
async def test_what_only_reads_is_tried_twice_and_what_may_change_something_once(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, tool: str, sent: int
) -> None:
    """S0-78, S0-79, W-10: the page could not say whether the API got the request."""
    error = {"code": "network", "message": "The connection broke.", "retryable": True}
    broken = {"status": "failed", "error": error, "delivered": "unknown"}
    provider.play(calls((tool, {"name": "tea"} if tool == "addProduct" else {})), text("It broke."))
    async with page_of(bridge, bridge.local_user.id, always(broken)) as page:
        assert await asked(client) == "It broke."
        assert len(page.calls) == sent
    assert json.loads(output(provider))["error"]["code"] == ("network" if sent == 2 else "outcome_unknown")


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else "deep"


@pytest.mark.parametrize(
    "garbage",
    ["a text", 7, True, [], [1, 2], {}, {"status": "answered"}, nested(50), {"status": nested(50)}],
    ids=lambda value: str(value)[:20],
)
async def test_garbage_of_a_page_is_a_failed_call_and_no_failed_answer(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, garbage: object
) -> None:
    """S0-114: a string, a number, half a report, fifty levels of nothing: the run comes to its end."""
    provider.play(LIST, text("That went wrong."))
    async with page_of(bridge, bridge.local_user.id, always(garbage)) as page:
        assert await asked(client) == "That went wrong."
        assert "cannot read" in output(provider)
        assert len(page.calls) == 1


async def test_json_of_any_depth_in_an_answer_ends_its_call(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-114: an API may nest as it likes; the model gets it as it is."""
    provider.play(LIST, text("Deep."))
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"a": nested(50)}))):
        assert await asked(client) == "Deep."
    assert json.loads(output(provider)) == {"a": nested(50)}


async def test_a_server_behind_mcpo_works_like_any_other(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-120: one path below the proxy's address for each MCP server, operations named by FastAPI."""
    form: dict[str, Any] = {
        "type": "object",
        "title": "get_current_time_form_model",
        "required": ["timezone"],
        "properties": {"timezone": {"type": "string", "title": "Timezone"}},
    }
    posted: dict[str, Any] = {
        "summary": "Get Current Time",
        "operationId": "tool_get_current_time_post",
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {"schema": {"$ref": "#/components/schemas/get_current_time_form_model"}}
            },
        },
        "responses": {"200": {"description": "Successful Response"}},
        "security": [{"HTTPBearer": []}],
    }
    document = json.loads(document_text("mcp-time", paths={"/get_current_time": {"post": posted}}))
    document["servers"] = [{"url": "/time"}]
    document["components"] = {
        "schemas": {"get_current_time_form_model": form},
        "securitySchemes": {"HTTPBearer": {"type": "http", "scheme": "bearer"}},
    }
    await bridge.components.registry.share_document(
        "time.json", json.dumps(document), source_url="http://127.0.0.1:8000/time/openapi.json"
    )
    provider.play(calls(("tool_get_current_time_post", {"timezone": "UTC"})), text("Noon."))
    async with page_of(bridge, bridge.local_user.id, always(json_answer({"time": "12:00"}))) as page:
        assert await asked(client) == "Noon."
        assert [(each["name"], json.loads(each["params"])) for each in page.calls] == [
            ("POST /get_current_time", {"timezone": "UTC"})
        ]
        (server,) = [each for each in (await page.get("/api/servers"))["servers"] if "time" in each["id"]]
        assert server["base_url"] == "http://127.0.0.1:8000/time"
    assert json.loads(output(provider)) == {"time": "12:00"}
