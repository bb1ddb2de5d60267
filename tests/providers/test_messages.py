"""A provider of Anthropic's Messages API, against a real HTTP server that refuses what Anthropic refuses."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from bridge.models.agent.model import ModelError
from bridge.models.providers.http_provider import HttpProvider
from bridge.settings.chat.models import ProviderSettings
from tests.support.models.messages_answers import messages_frames
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import text
from tests.support.models.provider_harness import ending, joined_text, provider_harness
from tests.support.models.scripted_provider import KEY, answers, raw, scripted_provider
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio


def refuses(status: int, kind: str, *headers: tuple[str, str]) -> Any:
    """Anthropic's error object, with a status."""
    error = {"type": "error", "error": {"type": kind, "message": "No."}, "request_id": "req_1"}
    return answers(status, json.dumps(error).encode(), ("Content-Type", "application/json"), *headers)


def answering(handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> web.Application:
    """A server of which every request gets to one handler."""
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", handler)
    return app


async def test_the_key_and_the_version_have_headers_of_their_own() -> None:
    """Issue 42: `x-api-key` and `anthropic-version`; a bearer token beside them is refused."""
    async with provider_harness("messages") as now:
        now.server.play(text("Good ", "day").costing(30, 5))
        stream = await now.ask()
        headers = {name.lower(): value for name, value in now.server.requests[0].headers.items()}
        assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
        assert "authorization" not in headers
        assert (joined_text(stream), ending(stream)["usage"]["total_tokens"]) == ("Good day", 35)


@pytest.mark.parametrize(
    ("status", "kind", "code", "tries"),
    [
        (400, "invalid_request_error", "invalid_request", 1),
        (401, "authentication_error", "invalid_api_key", 1),
        (402, "billing_error", "insufficient_credits", 1),
        (403, "permission_error", "permission_denied", 1),
        (404, "not_found_error", "not_found", 1),
        (413, "request_too_large", "request_too_large", 1),
        (429, "rate_limit_error", "rate_limit_exceeded", 3),
        (500, "api_error", "server_error", 3),
        (529, "overloaded_error", "overloaded", 3),
    ],
)
async def test_each_error_has_its_code_and_is_tried_again_where_that_helps(
    status: int, kind: str, code: str, tries: int
) -> None:
    """Issue 42: errors mapped to the house's: overloaded 529, 429, invalid_request."""
    async with provider_harness("messages") as now:
        failure = await now.failure(*[refuses(status, kind)] * tries)
        assert (failure.code, failure.kind, failure.status) == (code, kind, status)
        assert "No." in failure.message
        assert len(now.server.requests) == tries


async def test_a_provider_with_too_many_requests_says_how_long_to_wait() -> None:
    """Issue 42: 429 with retry-after."""
    async with provider_harness("messages") as now:
        now.server.play(refuses(429, "rate_limit_error", ("retry-after", "3")), text("Hi"))
        assert joined_text(await now.ask()) == "Hi"
        assert now.rests == [3.0]
        failure = await now.failure(refuses(429, "rate_limit_error", ("retry-after", "60")))
        assert failure.retry_after_s == 60


@pytest.mark.parametrize(
    ("kind", "code"), [("overloaded_error", "overloaded"), ("api_error", "server_error")]
)
async def test_an_error_in_a_stream_says_the_same(kind: str, code: str) -> None:
    """Issue 42: the API sends `error` events once the status has gone."""
    frames = messages_frames(text("Good ", "day"), 0, "m")
    error = {"type": "error", "error": {"type": kind, "message": "Overloaded"}}
    async with provider_harness("messages") as now:
        failure = await now.failure(
            raw(*frames[:5], b"event: error\ndata: %b\n\n" % json.dumps(error).encode())
        )
        assert (failure.code, failure.kind) == (code, kind)
        assert "Overloaded" in failure.message


async def test_a_stream_that_breaks_before_its_reason_is_broken() -> None:
    """Issue 42: half an answer is none; one whose reason has come is whole, whatever follows."""
    frames = messages_frames(text("Good ", "day"), 0, "m")
    async with provider_harness("messages") as now:
        failure = await now.failure(raw(*frames[:-2]))
        assert failure.code == "upstream_disconnected"
        now.server.play(raw(*frames[:-1], None))
        assert ending(await now.ask())["status"] == "completed"


async def test_a_key_does_not_follow_a_redirect() -> None:
    """Issue 42: aiohttp forgets `Authorization` at another origin, and would take another header along."""
    heard: list[str | None] = []

    async def listen(request: web.Request) -> web.Response:
        heard.append(request.headers.get("x-api-key"))
        return web.json_response({})

    async with serving(answering(listen)) as elsewhere:

        async def point(request: web.Request) -> web.Response:
            raise web.HTTPTemporaryRedirect(f"{elsewhere}{request.path}")

        async with serving(answering(point)) as address:
            settings = ProviderSettings(name="Moved", base_url=f"{address}/v1", api="messages")
            provider = HttpProvider(settings, KEY)
            with pytest.raises(ModelError):
                await provider.request_models()
            with pytest.raises(ModelError):
                async for _ in provider.stream_events("/messages", {"model": "m"}):
                    pass
            await provider.close_client()
    assert heard == []


async def test_a_list_of_models_is_read_page_by_page() -> None:
    """Issue 42: the listing of Anthropic: `has_more`, `last_id`, dates, and what a model is able to."""
    able = {"thinking": {"supported": True}, "image_input": {"supported": False}}
    first = {
        "type": "model", "id": "claude-a", "display_name": "A", "created_at": "2026-08-01T00:00:00Z",
        "max_input_tokens": 200_000, "max_tokens": 64_000, "capabilities": able,
    }  # fmt: skip
    second = {"type": "model", "id": "claude/b", "display_name": "B", "created_at": "soon"}
    asked: list[dict[str, str]] = []

    async def list_models(request: web.Request) -> web.Response:
        asked.append(dict(request.query))
        rows = [second] if "after_id" in request.query else [first]
        more = "after_id" not in request.query
        return web.json_response({"data": rows, "has_more": more, "last_id": rows[-1]["id"]})

    async with serving(answering(list_models)) as address:
        provider = HttpProvider(ProviderSettings(name="A", base_url=f"{address}/v1", api="messages"), KEY)
        one, two = await provider.request_models()
        await provider.close_client()
    assert asked == [{"limit": "1000"}, {"limit": "1000", "after_id": "claude-a"}]
    assert (one.name, one.created, two.name, two.created) == ("claude-a", 1_785_542_400, "claude/b", 0)
    assert one.facts == {
        "reasons": True, "sees_images": False, "max_prompt_tokens": 200_000, "max_completion_tokens": 64_000,
    }  # fmt: skip


async def test_a_list_without_an_end_ends() -> None:
    """Issue 42: a provider of one user must not keep the bridge asking."""
    asked = 0

    async def list_models(_request: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        row = {"type": "model", "id": f"m{asked}"}
        return web.json_response({"data": [row], "has_more": True, "last_id": row["id"]})

    async with serving(answering(list_models)) as address:
        provider = HttpProvider(ProviderSettings(name="A", base_url=f"{address}/v1", api="messages"), KEY)
        assert len(await provider.request_models()) == asked == 10
        await provider.close_client()


async def test_the_ordinary_list_is_read_too() -> None:
    """Issue 42: gateways list models as OpenAI does, whichever protocol they were set up for."""
    async with scripted_provider(MESSAGES) as server:
        provider = HttpProvider(ProviderSettings(name="G", base_url=server.base_url, api="messages"), KEY)
        assert [model.name for model in await provider.request_models()] == [
            "scripted-small",
            "scripted-large",
        ]
        await provider.close_client()
