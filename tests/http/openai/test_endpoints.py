"""The model routes as HTTP: the shape of errors, whose request it is, CORS, silence, many at once."""

import asyncio
import io
import json
import logging
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest
import pytest_asyncio
from aiohttp import web
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from bridge.app.server import Bridge
from bridge.http.streaming import event_stream
from bridge.models.agent.model import ModelEvent, ModelRequest
from bridge.models.providers.models import ResponsesModel
from tests.support.forwarded_users import SECRET, sign_token
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, fails, script
from tests.support.running_bridge import json_answer, page_of
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio

STREAMS = 60
"""Open at once in the test; the bench opens 500."""


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    allowed = ("https://chat.example",)
    async with shop_bridge(tmp_path, provider, user_jwt_secret=SECRET, allowed_origins=allowed) as running:
        yield running


class Caller:
    """Asks without the SDK, which would not send what is wrong."""

    def __init__(self, bridge: Bridge, http: aiohttp.ClientSession) -> None:
        self.bridge = bridge
        self.http = http

    async def error(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Any]:
        given = {"Authorization": f"Bearer {self.bridge.key}", **headers}
        url = self.bridge.base_url + path
        async with self.http.request(method, url, data=io.BytesIO(body), headers=given) as response:
            error = (await response.json())["error"]
            assert error.keys() == {"message", "type", "param", "code", "error_id"}
            assert error["error_id"] == response.headers["x-request-id"]
            assert error["error_id"] not in error["message"]
            return response.status, error


@pytest_asyncio.fixture
async def caller(bridge: Bridge, http: aiohttp.ClientSession) -> Caller:
    return Caller(bridge, http)


RESPONSES = "/v1/responses"


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "code"),
    [
        ("POST", RESPONSES, b"{", {}, 400, "invalid_json"),
        ("POST", RESPONSES, b'{"a":' + b"[" * 254 + b"]" * 254 + b"}", {}, 400, "invalid_value"),
        ("POST", RESPONSES, b"[]", {}, 400, "invalid_type"),
        ("POST", RESPONSES, b'{"model": 5}', {}, 400, "invalid_type"),
        ("POST", RESPONSES, b'{"model": "gone", "input": "x"}', {}, 404, "model_not_found"),
        ("POST", RESPONSES, b"{}", {"Authorization": "Bearer tbk_no"}, 401, "invalid_api_key"),
        ("POST", RESPONSES, b"{}", {"Authorization": ""}, 401, "invalid_api_key"),
        ("POST", RESPONSES, b"{}", {"Host": "evil.example"}, 421, "foreign_host"),
        ("OPTIONS", RESPONSES, b"", {"Origin": "https://evil.example"}, 403, "foreign_origin"),
        ("PUT", RESPONSES, b"", {}, 405, "method_not_allowed"),
        ("GET", "/v1/nothing", b"", {}, 404, "not_found"),
        ("POST", "/v1/responses/resp_0/cancel", b"", {}, 404, "not_found"),
    ],
)
async def test_every_error_has_openais_shape(
    caller: Caller, method: str, path: str, body: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    """S0-156: a client decides by these; the id leads from a user's screen to the log."""
    told, error = await caller.error(method, path, body, **headers)
    assert (told, error["code"]) == (status, code)


async def test_the_same_error_has_the_same_text(caller: Caller) -> None:
    """Finding I-L12: programs that collect errors group them by text; the id is a member of its own."""
    (_, first), (_, second) = [await caller.error("POST", RESPONSES, b"{") for _ in range(2)]
    assert first["message"] == second["message"]
    assert first["error_id"] != second["error_id"]


async def test_a_body_that_is_too_large_is_refused(caller: Caller) -> None:
    """32 MiB are room for images, not for everything."""
    status, error = await caller.error("POST", RESPONSES, b'"' + b"x" * (32 * 1024 * 1024) + b'"')
    assert (status, error["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("answered", "status", "code"),
    [
        (401, 502, "invalid_api_key"),
        (402, 402, "insufficient_credits"),
        (408, 504, "request_timeout"),
        (413, 413, "request_too_large"),
        (429, 429, "rate_limit_exceeded"),
        (500, 502, "server_error"),
        (418, 502, "upstream_error"),
    ],
)
async def test_each_status_of_a_provider_has_its_own_error(
    caller: Caller,
    provider: ScriptedProvider,
    caplog: pytest.LogCaptureFixture,
    answered: int,
    status: int,
    code: str,
) -> None:
    """S0-156: its words are passed on; the log has the same id."""
    provider.play(*[fails(answered, "Because.", retry_after="60")] * 3)
    with caplog.at_level(logging.INFO):
        told, error = await caller.error(
            "POST", RESPONSES, json.dumps({"model": MODEL, "input": "x"}).encode()
        )
    assert (told, error["code"]) == (status, code)
    assert "Because." in error["message"]
    assert error["error_id"] in caplog.text


async def test_a_provider_that_breaks_off_is_told_in_the_stream(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, http: aiohttp.ClientSession
) -> None:
    """S0-60, S2-04, W-22: what was said stays. `stop` would call it whole; only Open WebUI waits for it."""
    provider.play(script(text("Half", " more")).dropped(after=5))
    events: list[Any] = []
    stream = await client.responses.create(model=MODEL, input="x", stream=True)
    async for event in stream:
        events.append(event)
    assert events[-1].type == "response.failed"
    assert events[-1].response.output_text.startswith("Half")
    body = {"model": MODEL, "messages": [{"role": "user", "content": "x"}], "stream": True}
    headers = {"Authorization": f"Bearer {bridge.key}"}
    url = f"{bridge.base_url}/v1/chat/completions"
    for more, ending in (({}, []), ({"X-OpenWebUI-Chat-Id": "c1"}, ["stop"])):
        provider.play(script(text("Half", " more")).dropped(after=5))
        async with http.post(url, json=body, headers={**headers, **more}) as response:
            lines = [line async for line in response.content if line.startswith(b"data: ")]
        assert lines[-1] == b"data: [DONE]\n"
        chunks = [json.loads(line.removeprefix(b"data: ")) for line in lines[:-1]]
        assert sum("error_id" in chunk.get("error", {}) for chunk in chunks) == 1
        reasons = [choice["finish_reason"] for chunk in chunks for choice in chunk.get("choices", [])]
        assert [reason for reason in reasons if reason] == ending


async def test_a_bug_amid_an_answer_ends_its_stream_in_order(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2-04, W-31: callers are told, and what had come is kept; the connection is not just cut."""
    heard = ResponsesModel.stream_round

    async def stumbling(model: ResponsesModel, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        async for event in heard(model, request):
            yield event
            if event.type == "response.output_text.delta":
                raise RuntimeError("This is the bug.")

    monkeypatch.setattr(ResponsesModel, "stream_round", stumbling)
    provider.play(text("Half", " more"), text("Half", " more"))
    events = [event async for event in await client.responses.create(model=MODEL, input="x", stream=True)]
    assert events[-1].type == "response.failed"
    kept = await client.responses.retrieve(events[-1].response.id)
    assert (kept.status, kept.output_text) == ("failed", "Half")
    talk: Any = [{"role": "user", "content": "x"}]
    with pytest.raises(openai.APIError, match="has a bug"):
        async for _ in await client.chat.completions.create(model=MODEL, messages=talk, stream=True):
            pass


async def test_a_forwarder_speaks_for_the_user_it_names(bridge: Bridge, provider: ScriptedProvider) -> None:
    """S2-08, S2-13: Open WebUI's user gets his own tools, shown calls and a status that ends."""
    _, key = await bridge.components.users.add_key(bridge.local_user.id, "Open WebUI", forwarder=True)
    token = sign_token(sub="ann", name="Ann")
    async with client_of(bridge, key=key) as client:
        assert MODEL in [model.id async for model in client.models.list()]
        talk: Any = [{"role": "user", "content": "x"}]
        with pytest.raises(openai.PermissionDeniedError):
            await client.chat.completions.create(model=MODEL, messages=talk)
        provider.play(text("Hi."), calls(("listProducts", {})), text("Tea."))
        headers = {"X-OpenWebUI-User-Jwt": token, "X-OpenWebUI-Chat-Id": "c1"}
        await client.chat.completions.create(model=MODEL, messages=talk, extra_headers=headers)
        users = {user.name: user.id for user in await bridge.components.users.list_users()}
        async with page_of(bridge, users["open-webui:ann"], products):
            stream = await client.chat.completions.create(
                model=MODEL, messages=talk, stream=True, extra_headers=headers
            )
            chunks: list[Any] = [chunk.model_dump() async for chunk in stream]
    assert "tools" not in provider.requests[0].body
    said = "".join(chunk["choices"][0]["delta"]["content"] or "" for chunk in chunks if chunk.get("choices"))
    assert '<details type="tool_calls" done="true"' in said
    statuses = [chunk["event"]["data"] for chunk in chunks if chunk.get("event")]
    assert statuses[0]["done"] is False
    assert statuses[-1]["done"] is True


async def test_pages_of_allowed_origins_may_ask(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Ruling 12: with a key and without cookies, and they can read errors and ids."""
    headers = {"Origin": "https://chat.example", "Access-Control-Request-Headers": "x-stainless-os"}
    async with http.options(f"{bridge.base_url}{RESPONSES}", headers=headers) as preflight:
        assert preflight.status == 204
        assert "x-stainless-os" in preflight.headers["Access-Control-Allow-Headers"]
    async with http.get(
        f"{bridge.base_url}/v1/models", headers={"Origin": "https://chat.example"}
    ) as refused:
        assert refused.status == 401
        assert refused.headers["Access-Control-Allow-Origin"] == "https://chat.example"
        assert "x-request-id" in refused.headers["Access-Control-Expose-Headers"]


async def test_silence_is_filled_with_comments(http: aiohttp.ClientSession) -> None:
    """A proxy cuts a line that is silent for a minute, and a tool may run for ten."""
    release = asyncio.Event()

    async def handler(request: web.Request) -> web.StreamResponse:
        async with event_stream(request, {}, silence_s=0.01) as stream:
            await release.wait()
            await stream.send_frames(b"data: 1\n\n")
        return stream.response

    app = web.Application()
    app.router.add_get("/", handler)
    async with serving(app) as url, http.get(url) as response:
        assert response.headers["Content-Type"].startswith("text/event-stream")
        assert response.headers["X-Accel-Buffering"] == "no"
        assert await response.content.readline() == b": keep-alive\n"
        release.set()
        assert (await response.read()).endswith(b"data: 1\n\n")


async def test_pydantic_ai_works_as_a_client(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S2-07: another library than OpenAI's: its own tool, ours, and an answer."""
    agent = Agent(OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client)))
    asked: list[str] = []

    @agent.tool_plain
    def mine(city: str) -> str:
        """Say something of a city."""
        asked.append(city)
        return "rainy"

    provider.play(calls(("listProducts", {}), ("mine", {"city": "Bonn"})), text("Tea, and rain in Bonn."))
    async with page_of(bridge, bridge.local_user.id, products) as page:
        result = await agent.run("What is there, and how is Bonn?")
        assert len(page.calls) == 1
    assert result.output == "Tea, and rain in Bonn."
    assert asked == ["Bonn"]
    sent = json.dumps(provider.requests[1].body["input"])
    assert "rainy" in sent
    assert "tea" in sent


async def test_rounds_of_refused_calls_are_failed_requests(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-94: a model that insists on a broken tool uses up rounds for nothing."""

    async def broken(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({}, 500)

    again = calls(("listProducts", {}))
    async with page_of(bridge, bridge.local_user.id, broken) as page:
        provider.play(*[again] * 10, text("It is broken."))
        await client.responses.create(model=MODEL, input="Hi")
        assert len(page.calls) == 5
        with pytest.raises(openai.InternalServerError, match="Temporarily disabled"):
            await client.responses.create(model=MODEL, input="Hi")


@pytest.mark.slow
async def test_many_streams_run_at_once(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-154: all of them get their first delta before any of them may end, and every text is whole."""
    release = asyncio.Event()
    words = tuple(f"{number} " for number in range(50))
    limits = {"MAX_CONCURRENT_REQUESTS": STREAMS}
    async with model_bridge(tmp_path, provider, limits=limits) as bridge, client_of(bridge) as client:
        provider.play(*[script(text(*words)).held(release, after=5)] * STREAMS)
        begun = asyncio.Semaphore(0)

        async def read() -> str:
            said = ""
            async for event in await client.responses.create(model=MODEL, input="x", stream=True):
                if event.type == "response.output_text.delta":
                    said += event.delta
                    begun.release()
            return said

        tasks = [asyncio.create_task(read()) for _ in range(STREAMS)]
        for _ in range(STREAMS):
            await asyncio.wait_for(begun.acquire(), 20)
        release.set()
        assert {await task for task in tasks} == {"".join(words)}
