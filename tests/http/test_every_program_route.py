"""Every route that our own API document leaves out, once: those of programs, probes and the page's files."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.http_application import ROUTES
from bridge.app.server import Bridge
from bridge.http.routing import ApiRoute
from plugins.open_webui.assemble import PLUGINS
from tests.support.mcp_messages import modern_request
from tests.support.models.model_answers import text
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, script
from tests.support.running_bridge import FakePage, page_of

pytestmark = [pytest.mark.asyncio, pytest.mark.two_replicas]

METADATA = "/.well-known/oauth-protected-resource"
SHOP, TOOL = "shop", "listProducts"
CHAT = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}]}
ASKED = {"model": MODEL, "input": "Hello"}


@dataclass
class Witness:
    """Asks, and notes the routes that have answered as they should."""

    bridge: Bridge
    page: FakePage
    seen: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    async def ask(
        self,
        method: str,
        template: str,
        body: Any = None,
        *,
        headers: Mapping[str, str] | None = None,
        query: str = "",
        status: int = 200,
        **parts: str,
    ) -> aiohttp.ClientResponse:
        """The answer that must have this status, with its body read. `parts`: of the path's braces."""
        path = template.replace(":.+}", "}").format(**parts) + query
        sent = {"Authorization": f"Bearer {self.bridge.key}", **(headers or {})}
        async with self.page.http.request(
            method, self.bridge.base_url + path, json=body, headers=sent
        ) as answer:
            content = await answer.read()
        assert answer.status == status, (method, path, content)
        self.seen.add((method, template))
        return answer


@pytest_asyncio.fixture
async def witness(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Witness]:
    """Of a bridge with a shop, a model and an authorization server that nobody asks, and of an open page."""
    async with (
        shop_bridge(tmp_path, provider, oauth_issuer="https://issuer.example") as bridge,
        page_of(bridge, bridge.local_user.id, products) as page,
    ):
        yield Witness(bridge, page)


async def test_every_route_of_programs_and_files_answers(
    witness: Witness, provider: ScriptedProvider
) -> None:
    """A caller meets them in any replica; one that this walk leaves out is asked by no test of two."""
    for path in ("/api/openapi.json", "/healthz", "/metrics", "/readyz", METADATA, f"{METADATA}/mcp"):
        await witness.ask("GET", path)
    await witness.ask("GET", f"{METADATA}/servers/{{server}}/mcp", server=SHOP)
    await _walk_tools(witness)
    await _walk_models(witness, provider)
    await _walk_responses(witness, provider)
    await _walk_files(witness)
    table = {(route.method, route.path) for route in _routes(witness.bridge)}
    assert witness.seen == table


def _routes(bridge: Bridge) -> list[Any]:
    return [route for route in bridge.runner.app[ROUTES] if not isinstance(route, ApiRoute)]


async def _walk_tools(witness: Witness) -> None:
    for server in ("", "/servers/{server}"):
        for extra in ("", "/"):
            for path in ("/openapi.json", "/api/config", "/system"):
                await witness.ask("GET", f"{server}{extra}{path}", server=SHOP)
            called = await witness.ask("POST", f"{server}{extra}/tools/{{tool}}", {}, server=SHOP, tool=TOOL)
            assert await called.json() == {"products": ["tea"]}
        body, headers = modern_request("tools/list")
        listed = await witness.ask("POST", f"{server}/mcp", body, headers=headers, server=SHOP)
        assert TOOL in await listed.text()


async def _walk_models(witness: Witness, provider: ScriptedProvider) -> None:
    await witness.ask("GET", "/v1/models")
    await witness.ask("GET", "/v1/models/{model:.+}", model=MODEL)
    provider.play(text("Hello."))
    asked = await witness.ask("POST", "/v1/chat/completions", CHAT, headers={"X-Tool-Bridge-Debug": "1"})
    await witness.ask("GET", "/v1/requests/{id}/log", id=asked.headers["x-request-id"])


async def _walk_responses(witness: Witness, provider: ScriptedProvider) -> None:
    provider.play(script(text("Hello ", "there.")).held(asyncio.Event(), after=4))
    made = await (await witness.ask("POST", "/v1/responses", {**ASKED, "background": True})).json()
    await witness.ask("GET", "/v1/responses/{id}", id=made["id"])
    await witness.ask("GET", "/v1/responses/{id}/input_items", id=made["id"])
    await witness.ask("POST", "/v1/responses/{id}/cancel", id=made["id"])
    await witness.ask("DELETE", "/v1/responses/{id}", id=made["id"])


async def _walk_files(witness: Witness) -> None:
    document = await (await witness.ask("GET", "/")).text()
    digest = document.partition("/static/")[2].partition("/")[0]
    await witness.ask("GET", "/static/{digest}/{path:.+}", digest=digest, path="app.js")
    await witness.ask("GET", "/document-worker/{digest}.js", digest=digest)
    await witness.ask("GET", "/probe", query="?origin=http://localhost:8080")
    for path in ("/login", "/login/callback", "/logout"):
        await witness.ask("GET", path, status=404)  # no provider is set
    plugins = [f"/plugins/{file}" for file in PLUGINS.values()]
    for path in ("/oauth/callback", "/oauth/client.json", "/companion.zip", *plugins):
        await witness.ask("GET", path)
    script_url: str = (await witness.page.post("/api/executor", {}))["script_url"]
    path, _, query = script_url.partition("?")
    token = path.rpartition("/")[2].removesuffix(".js")
    await witness.ask("GET", "/executor/{token}.js", token=token, query=query and f"?{query}")
