"""`tool-bridge call`, and `tools` of a running bridge: talk to the one that runs on this data folder."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import aiohttp

from bridge.cli.arguments import address_of
from bridge.cli.call_arguments import read_arguments, read_assignment
from bridge.cli.parser import NoBridge, WrongUsage
from bridge.cli.terminal import bytes_to, printable, showing_progress
from bridge.errors import ErrorCode, WireError

_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class _Answer:
    """What the bridge answered."""

    status: int
    mime: str
    content: bytes

    @property
    def error(self) -> WireError | None:
        """The error that it is, also a late one: a 200 that was kept alive by white space (ruling 9)."""
        if self.mime != _JSON:
            return None
        value: Any = json.loads(self.content)
        if not isinstance(value, dict) or list(cast("dict[str, Any]", value)) != ["error"]:
            return None
        error = cast("dict[str, Any]", value)["error"]
        if not isinstance(error, dict) or set(WireError.model_fields) != set(cast("dict[str, Any]", error)):
            return None
        return WireError.model_validate(error)

    @property
    def exit_status(self) -> int:
        """2 for a tool that is not there, which was probably mistyped, and 1 for any other error."""
        error = self.error
        if error is not None and error.code == ErrorCode.UNKNOWN_TOOL:
            return WrongUsage.status
        return 1 if error or self.status >= HTTPStatus.BAD_REQUEST else 0


def call(options: argparse.Namespace) -> int:
    """Run a tool and print what it returns; status 1 when the answer is an error, 2 without such a tool."""
    answer = asyncio.run(_call(options))
    _print_answer(answer, as_json=options.json)
    return answer.exit_status


def tools(options: argparse.Namespace) -> int:
    """Print the tools of the running bridge."""
    answer = asyncio.run(_list_tools(options))
    if options.json or answer.exit_status:
        _print_answer(answer, as_json=options.json)
        return answer.exit_status
    for tool in json.loads(answer.content)["tools"]:
        state = "" if tool["accepted"] else "  (not accepted)"
        print(f"{tool['name']}  {tool['method']} {tool['path']}  [{tool['server_id']}]{state}")
    return 0


async def _call(options: argparse.Namespace) -> _Answer:
    schema = None
    tool = quote(options.tool, safe="")
    async with aiohttp.ClientSession() as session:
        if any(read_assignment(word) for word in options.arguments):
            schema = _schema_in(await _send(session, options, "GET", f"/api/tools/{tool}"))
        body = json.dumps(read_arguments(options.arguments, schema, sys.stdin)).encode()
        with showing_progress(f"Waiting for {options.tool}"):
            return await _send(session, options, "POST", f"/tools/{tool}", body)


async def _list_tools(options: argparse.Namespace) -> _Answer:
    async with aiohttp.ClientSession() as session:
        return await _send(session, options, "GET", "/api/tools?schemas=no")


def _schema_in(answer: _Answer) -> Mapping[str, Any] | None:
    """Return the schema of a tool's arguments; None when the tool is none of a document's."""
    return None if answer.exit_status else json.loads(answer.content).get("schema")


async def _send(
    session: aiohttp.ClientSession,
    options: argparse.Namespace,
    method: str,
    path: str,
    body: bytes | None = None,
) -> _Answer:
    headers = {"Authorization": f"Bearer {key_of(options)}", "Content-Type": _JSON}
    try:
        async with session.request(method, address_of(options) + path, data=body, headers=headers) as answer:
            return _Answer(answer.status, answer.content_type, await answer.read())
    except aiohttp.ClientError as error:
        message = f"no bridge answers at {address_of(options)}: {error}. tool-bridge doctor says more"
        raise NoBridge(message) from None


def _print_answer(answer: _Answer, *, as_json: bool) -> None:
    """Print an answer: unchanged in a pipe, legibly on a terminal."""
    if as_json or not sys.stdout.isatty():
        content = answer.content.strip() + b"\n" if answer.mime == _JSON else answer.content
        bytes_to(sys.stdout).write(content)
    elif error := answer.error:
        print(f"tool-bridge: {printable(error.message)} [{error.code}]", file=sys.stderr)
    elif answer.mime == _JSON:
        print(printable(json.dumps(json.loads(answer.content), indent=2, ensure_ascii=False)))
    elif answer.mime.startswith("text/"):
        print(printable(answer.content.decode(errors="replace")))
    else:
        size = f"{len(answer.content):,} bytes of {answer.mime}"
        print(f"tool-bridge: {size}; add > FILE to save them", file=sys.stderr)


def key_of(options: argparse.Namespace) -> str:
    """Return the given API key, else that of the local user on the data folder; "" without one."""
    key = getattr(options, "key", None) or os.environ.get("TOOL_BRIDGE_KEY")
    if key:
        return key
    try:
        return (options.data / "local.key").read_text(encoding="utf-8").strip()
    except OSError:
        return ""
