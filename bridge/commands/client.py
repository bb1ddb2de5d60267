"""`tool-bridge call`, `tools` and `key`: talk to the bridge that runs on this data folder."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import aiohttp

from bridge.commands.serve import DATABASE
from bridge.config import DEFAULT_PORT, default_folder
from bridge.edges.store import Store
from bridge.service import RUNNING_FILE, page_url


def call(options: argparse.Namespace) -> int:
    """Run a tool and print what it returns; status 1 when the answer is an error."""
    return asyncio.run(_request(options, "POST", f"/tools/{options.tool}", options.arguments.encode()))


def tools(options: argparse.Namespace) -> int:
    """Print the tools of the running bridge."""
    return asyncio.run(_request(options, "GET", "/api/tools", None, _print_tools))


def key(options: argparse.Namespace) -> int:
    """Make an API key and a page link for a user, whom it makes if need be."""
    data_dir = _folder(options)
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    store = Store.open(data_dir / DATABASE)
    facts = asyncio.run(_new_key(store, options.user, options.label, _base_url(options)))
    if options.json:
        print(json.dumps(facts))
    else:
        print(f"User: {facts['user']}\nKey: {facts['key']}\nPage, once: {facts['page_url']}")
    return 0


async def _new_key(store: Store, name: str, label: str, base_url: str) -> dict[str, str]:
    user = await store.ensure_user(name)
    _, secret = await store.add_key(user.id, label)
    ticket = await store.add_ticket(user.id)
    await store.close()
    return {"user": name, "key": secret, "page_url": page_url(base_url, ticket)}


async def _request(
    options: argparse.Namespace, method: str, path: str, body: bytes | None, show: Any = None
) -> int:
    url = _base_url(options) + path
    headers = {"Authorization": f"Bearer {_key(options)}", "Content-Type": "application/json"}
    try:
        async with (
            aiohttp.ClientSession() as session,
            session.request(method, url, data=body, headers=headers) as answer,
        ):
            content, mime = await answer.read(), answer.content_type
    except aiohttp.ClientError as error:
        print(f"tool-bridge: no bridge answers at {_base_url(options)}: {error}", file=sys.stderr)
        return 2
    if mime != "application/json":
        sys.stdout.buffer.write(content)
        return 0
    failed = b'"error"' in content and "error" in json.loads(content)
    if show is not None and not failed and not options.json:
        show(json.loads(content))
    else:
        print(content.decode().strip())
    return 1 if failed else 0


def _print_tools(answer: dict[str, Any]) -> None:
    for tool in answer["tools"]:
        state = "" if tool["accepted"] else "  (not accepted)"
        print(f"{tool['name']}  {tool['method']} {tool['path']}  [{tool['server_id']}]{state}")


def _folder(options: argparse.Namespace) -> Path:
    return Path(options.data) if options.data else default_folder()


def _base_url(options: argparse.Namespace) -> str:
    if getattr(options, "url", None):
        return options.url.rstrip("/")
    try:
        running = json.loads((_folder(options) / RUNNING_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"http://127.0.0.1:{DEFAULT_PORT}"
    return running["base_url"]


def _key(options: argparse.Namespace) -> str:
    given = getattr(options, "key", None) or os.environ.get("TOOL_BRIDGE_KEY")
    if given:
        return given
    try:
        return (_folder(options) / "local.key").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
