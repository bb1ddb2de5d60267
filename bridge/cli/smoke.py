"""`tool-bridge smoke`: one conversation with one tool through the running bridge, step by step."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import dataclass
from typing import Any

import aiohttp

from bridge.cli.arguments import address_of
from bridge.cli.client import key_of
from bridge.cli.parser import CommandFailed
from bridge.cli.terminal import showing_progress

DEMO = "demo"
"""Name of the built-in model, which calls a tool by a line of its own syntax."""

DEMO_OWNER = "tool-bridge"
"""What the built-in model's `owned_by` is; a provider may have a model of the same name."""

TIMEOUT_S = 300.0
"""For the answer; a call may wait for its user."""


def smoke(options: argparse.Namespace) -> int:
    """Run the conversation and print it; status 1 when the tool was not called, or something failed."""
    return asyncio.run(_smoke(options))


@dataclass(frozen=True, slots=True)
class _Client:
    http: aiohttp.ClientSession
    url: str
    key: str

    async def send_request(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        """Send a request and return the JSON of the response.

        Raises:
            CommandFailed: nobody answers, or with an error.
        """
        headers = {"Authorization": f"Bearer {self.key}"}
        try:
            async with self.http.request(method, self.url + path, json=body, headers=headers) as answer:
                value: dict[str, Any] = await answer.json(content_type=None)
        except (aiohttp.ClientError, TimeoutError) as error:
            raise CommandFailed(
                f"no answer of the bridge at {self.url}: {error or 'it took too long'}"
            ) from None
        except ValueError:
            raise CommandFailed(f"{self.url} does not answer as a bridge does") from None
        if "error" in value and "success" not in value:
            error = value["error"]
            raise CommandFailed(f"{method} {path}: {error.get('message', error)}")
        return value


async def _smoke(options: argparse.Namespace) -> int:
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout) as http:
        client = _Client(http, address_of(options), key_of(options))
        model = options.model or await _choose_model(client)
        new_conversation = {"title": "Smoke test", "model": model}
        conversation = (await client.send_request("POST", "/conversations", new_conversation))["conversation"]
        path = f"/conversations/{conversation['id']}"
        try:
            with showing_progress("Waiting for the answer"):
                messages, answer = await _walked(client, path, options, model)
        finally:
            if not options.keep:
                await client.send_request("DELETE", path)
    called = any(message["role"] == "tool" and not message["failed"] for message in messages)
    if options.json:
        print(json.dumps({"conversation": conversation["id"], "answer": answer, "messages": messages}))
    else:
        _print(messages, answer)
    if not called:
        print("tool-bridge: the tool was not called, or it failed", file=sys.stderr)
    return 0 if called and answer["state"] == "completed" else 1


async def _choose_model(client: _Client) -> str:
    """Return the built-in model, which calls a tool for certain and may be unlisted; else the first listed.

    Raises:
        CommandFailed: there is no model.
    """
    try:
        if (await client.send_request("GET", f"/v1/models/{DEMO}"))["owned_by"] == DEMO_OWNER:
            return DEMO
    except CommandFailed:
        pass  # an operator's file names the models
    listed = (await client.send_request("GET", "/v1/models"))["data"]
    if not listed:
        raise CommandFailed("no provider lists a model now. Name one with --model.")
    return listed[0]["id"]


async def _walked(
    client: _Client, path: str, options: argparse.Namespace, model: str
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the messages of the conversation, and the response to the chat request."""
    available = (await client.send_request("GET", f"{path}/tools/available"))["tools"]
    tool = _choose_tool(available, options.tool)
    named = {"server_id": tool["server_id"], "tool_name": tool["tool_name"]}
    await client.send_request("POST", f"{path}/tools", named)
    answer = await client.send_request(
        "POST", f"{path}/chat", {"content": _prompt(options, model, tool["tool_name"])}
    )
    return (await client.send_request("GET", f"{path}/messages"))["messages"], answer


def _choose_tool(available: list[dict[str, Any]], name: str | None) -> dict[str, Any]:
    if not available:
        raise CommandFailed("there is no accepted tool. Open the bridge page, add a document and accept it.")
    found = [tool for tool in available if name in (None, tool["tool_name"])]
    if not found:
        raise CommandFailed(f"there is no accepted tool {name!r}. `tool-bridge tools` lists them.")
    return found[0]


def _prompt(options: argparse.Namespace, model: str, tool: str) -> str:
    if options.say:
        return options.say
    if model == DEMO:
        return f"CALL {tool} {options.arguments}"
    return f"Call {tool} with the arguments {options.arguments}, and say in a sentence what it returned."


def _print(messages: list[dict[str, Any]], answer: dict[str, Any]) -> None:
    for message in messages:
        print(f"{message['role']}: {message['content'] or ''}".rstrip())
        for call in message.get("tool_calls", []):
            print(f"  calls {call['function']['name']} {call['function']['arguments']}")
    print(f"\n{answer['state']}: {len(messages)} messages, {answer['tokens_sent']} tokens sent.")
