"""`tool-bridge call`, and `tools` of a running bridge: talk to the one that runs on this data folder."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from http import HTTPStatus
from typing import Any, cast

import aiohttp

from bridge.cli.arguments import address_of
from bridge.errors import WireError


def call(options: argparse.Namespace) -> int:
    """Run a tool and print what it returns; status 1 when the answer is an error."""
    return asyncio.run(_request(options, "POST", f"/tools/{options.tool}", options.arguments.encode()))


def tools(options: argparse.Namespace) -> int:
    """Print the tools of the running bridge."""
    return asyncio.run(_request(options, "GET", "/api/tools", None, _print_tools))


async def _request(
    options: argparse.Namespace, method: str, path: str, body: bytes | None, show: Any = None
) -> int:
    url = address_of(options) + path
    headers = {"Authorization": f"Bearer {key_of(options)}", "Content-Type": "application/json"}
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, url, data=body, headers=headers) as answer,
        ):
            content, mime, status = await answer.read(), answer.content_type, answer.status
    except aiohttp.ClientError as error:
        print(f"tool-bridge: no bridge answers at {address_of(options)}: {error}", file=sys.stderr)
        return 2
    if mime != "application/json":
        sys.stdout.buffer.write(content)
        return 0
    failed = status >= HTTPStatus.BAD_REQUEST or _is_error_after_status(content)
    if show is not None and not failed and not options.json:
        show(json.loads(content))
    else:
        print(content.decode().strip())
    return 1 if failed else 0


def _is_error_after_status(content: bytes) -> bool:
    """Return whether a 200 holds the error of a call that was kept alive by white space (ruling 9)."""
    value: Any = json.loads(content)
    if not isinstance(value, dict) or list(cast("dict[str, Any]", value)) != ["error"]:
        return False
    error = cast("dict[str, Any]", value)["error"]
    return isinstance(error, dict) and set(WireError.model_fields) == set(cast("dict[str, Any]", error))


def _print_tools(answer: dict[str, Any]) -> None:
    for tool in answer["tools"]:
        state = "" if tool["accepted"] else "  (not accepted)"
        print(f"{tool['name']}  {tool['method']} {tool['path']}  [{tool['server_id']}]{state}")


def key_of(options: argparse.Namespace) -> str:
    """Return the given API key, else that of the local user on the data folder; "" without one."""
    key = getattr(options, "key", None) or os.environ.get("TOOL_BRIDGE_KEY")
    if key:
        return key
    try:
        return (options.data / "local.key").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
