"""What Connect prints for MCP clients: read as their settings are read, and run where the client is here."""

import asyncio
import json
import re
import shlex
import sys
import tomllib
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml
from aiohttp import web

from bridge.app.server import Bridge
from tests.clients.environments import AGENTS, MCP_1, ClientEnvironment
from tests.clients.running_client import loopback_environ
from tests.support.documents.compiled import document_text
from tests.support.programs import needs
from tests.support.running_bridge import FakePage, json_answer, page_of, running_bridge
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio

PRINTER = Path(__file__).parents[1] / "page" / "support" / "mcp_snippets.js"
WAIT_S = 60
HEADERS = {"Authorization": "Bearer tbk_1"}
URL = "http://127.0.0.1:8765/mcp"


async def printed_clients(base_url: str, key: str) -> list[dict[str, Any]]:
    """All that Connect prints, client by client."""
    node = Path(sys.executable).with_name("node")
    return json.loads(await output_of(node, PRINTER, base_url, key))


async def snippets_for(base_url: str, key: str) -> dict[str, list[str]]:
    """What is to be pasted, by client."""
    clients = await printed_clients(base_url, key)
    return {client["name"]: [snippet["text"] for snippet in client["snippets"]] for client in clients}


async def output_of(*command: str | Path, environ: Mapping[str, str] | None = None) -> str:
    """What a program prints, as its user runs it."""
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, env=environ)
    output, _ = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 0
    return output.decode()


@pytest_asyncio.fixture
async def printed() -> dict[str, list[str]]:
    return await snippets_for("http://127.0.0.1:8765", "tbk_1")


async def test_the_settings_of_desktop_programs_are_json_in_the_form_of_each(
    printed: dict[str, list[str]],
) -> None:
    """One word differs from program to program, and the wrong one is ignored without a message."""
    entry = {"type": "http", "url": URL, "headers": HEADERS}
    assert json.loads(printed["Claude Code"][1]) == {"mcpServers": {"tool-bridge": entry}}
    assert json.loads(printed["Cursor"][0]) == {
        "mcpServers": {"tool-bridge": {"url": URL, "headers": HEADERS}}
    }
    assert json.loads(printed["VS Code"][0]) == {"servers": {"tool-bridge": entry}}
    shim = json.loads(printed["Claude Desktop"][0])["mcpServers"]["tool-bridge"]
    assert (shim["command"], shim["args"][:3]) == ("npx", ["-y", "mcp-remote", URL])
    assert shim["args"][4].replace("${AUTHORIZATION}", shim["env"]["AUTHORIZATION"]) == (
        f"Authorization:{HEADERS['Authorization']}"
    )
    connection = json.loads(printed["Open WebUI"][0])
    assert (connection["type"], connection["url"], connection["key"]) == ("mcp", f"{URL}?names=48", "tbk_1")


async def test_the_settings_of_codex_are_toml_with_its_own_name_for_headers(
    printed: dict[str, list[str]],
) -> None:
    """Codex reads `http_headers` and ignores `headers`."""
    [server] = tomllib.loads(printed["Codex"][0])["mcp_servers"].values()
    assert server == {"url": URL, "http_headers": HEADERS, "tool_timeout_sec": 300}


async def test_the_command_for_claude_code_is_one_line_of_a_shell(printed: dict[str, list[str]]) -> None:
    """It is pasted into a terminal."""
    words = shlex.split(printed["Claude Code"][0])
    assert words[:5] == ["claude", "mcp", "add", "--transport", "http"]
    assert words[5:] == ["tool-bridge", URL, "--header", "Authorization: Bearer tbk_1"]


async def test_what_no_reader_of_its_client_has_read_says_so() -> None:
    """The client's own code reads four in this file; three were tried by hand, each with the release."""
    tried = {client["name"]: client["tried"] for client in await printed_clients(URL, "tbk_1")}
    untried = {name for name, said in tried.items() if said == "Not tried."}
    assert untried == {"Cursor", "VS Code", "Open WebUI", "Gemini CLI", "LibreChat", "n8n"}
    by_hand = {name for name, said in tried.items() if re.search(r"(Claude Code|mcp-remote|Codex) \d", said)}
    assert by_hand == {"Claude Code", "Claude Desktop", "Codex"}
    assert tried.keys() - untried - by_hand == {
        "OpenAI's Responses API",
        "Anthropic's SDK",
        "Pydantic AI",
        "LangChain",
    }


async def test_the_settings_of_gemini_cli_and_librechat_are_json_and_yaml(
    printed: dict[str, list[str]],
) -> None:
    """Neither program is here: what its documentation says stands here, word for word."""
    [gemini] = json.loads(printed["Gemini CLI"][0])["mcpServers"].values()
    assert gemini == {"httpUrl": URL, "headers": HEADERS, "timeout": 300_000}
    [chat] = yaml.safe_load(printed["LibreChat"][0])["mcpServers"].values()
    assert chat == {"type": "streamable-http", "url": URL, "headers": HEADERS, "timeout": 300_000}
    assert printed["n8n"][0].splitlines()[0] == f"Endpoint: {URL}"


async def test_what_is_asked_of_anthropic_names_the_bridge_and_the_key(
    printed: dict[str, list[str]],
) -> None:
    """Its servers call the bridge then; here, a server in their place hears what they are asked."""
    heard: list[Any] = []

    async def respond(request: web.Request) -> web.Response:
        heard.append((request.headers.get("anthropic-beta"), await request.json()))
        answer: dict[str, Any] = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "content": [],
            "model": "MODEL",
        }
        usage = {"input_tokens": 1, "output_tokens": 1}
        return web.json_response({**answer, "stop_reason": "end_turn", "stop_sequence": None, "usage": usage})

    app = web.Application()
    app.router.add_post("/v1/messages", respond)
    async with serving(app) as address:
        environ = {**loopback_environ(), "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "sk-none"}
        [code] = printed["Anthropic's SDK"]
        await output_of(sys.executable, "-c", code, environ=environ)
    [(beta, body)] = heard
    assert beta == "mcp-client-2025-11-20"
    [server] = body["mcp_servers"]
    assert server == {"type": "url", "url": URL, "name": "tool-bridge", "authorization_token": "tbk_1"}
    assert body["tools"] == [{"type": "mcp_toolset", "mcp_server_name": server["name"]}]


async def test_what_is_asked_of_openai_names_the_bridge_and_the_key(printed: dict[str, list[str]]) -> None:
    """Its servers call the bridge then; here, a server in their place hears what they are told."""
    heard: list[Any] = []

    async def respond(request: web.Request) -> web.Response:
        heard.append(await request.json())
        return web.json_response({"id": "r", "object": "response", "output": [], "created_at": 0})

    app = web.Application()
    app.router.add_post("/v1/responses", respond)
    async with serving(app) as address:
        environ = {**loopback_environ(), "OPENAI_BASE_URL": f"{address}/v1", "OPENAI_API_KEY": "sk-none"}
        [code] = printed["OpenAI's Responses API"]
        await output_of(sys.executable, "-c", code, environ=environ)
    [tool] = heard[0]["tools"]
    assert (tool["type"], tool["server_url"], tool["headers"]) == ("mcp", URL, HEADERS)


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path) as running:
        await running.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncIterator[FakePage]:
    async def answer(_call: object) -> dict[str, Any]:
        return json_answer({"ok": 1})

    async with page_of(bridge, bridge.local_user.id, answer) as opened:
        yield opened


async def run_python(environment: ClientEnvironment, code: str) -> str:
    """What a snippet prints in an environment of its client."""
    needs.need_environment(environment)
    return await output_of(environment.interpreter, "-c", code, environ=loopback_environ())


async def test_the_snippet_for_langchain_lists_the_tools(bridge: Bridge, page: FakePage) -> None:
    """As it is printed."""
    [code] = (await snippets_for(bridge.base_url, bridge.key))["LangChain"]
    listed = await run_python(MCP_1, code)
    assert "listProducts" in listed
    assert page.calls == []


@pytest.mark.slow
async def test_the_snippet_for_pydantic_ai_calls_tools(bridge: Bridge, page: FakePage) -> None:
    """As it is printed, but with the model that its makers have for tests."""
    [code] = (await snippets_for(bridge.base_url, bridge.key))["Pydantic AI"]
    model = 'TestModel(call_tools=["listProducts"])'
    assert code.count('"openai:MODEL"') == 1
    code = "from pydantic_ai.models.test import TestModel\n" + code.replace('"openai:MODEL"', model)
    assert '{"listProducts":' in (await run_python(AGENTS, code)).replace(" ", "")
    assert [call["name"] for call in page.calls] == ["GET /products"]
