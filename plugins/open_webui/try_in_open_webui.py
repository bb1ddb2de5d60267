r"""Tries the Pipe in a real Open WebUI: installs it, sets its valves, asks it, and says what went well.

    python -m plugins.open_webui.try_in_open_webui --open-webui URL --open-webui-key KEY \
        --bridge URL --bridge-key KEY

Needs an administrator's key (or token) of Open WebUI and a running bridge that Open WebUI's server reaches.
The function stays installed; a small tool that it calls is taken away again. Exit code 0: all went well.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import aiohttp

from plugins.open_webui.assemble import assemble_plugin

FUNCTION_IDS = ("direct_tool_bridge", "tool_bridge")
"""Ids of the Pipe: what Open WebUI makes of its title, and what this script gave it before."""
TOOL_ID = "tool_bridge_try"
TOOL = '''"""
title: Double
description: Tries the Pipe of Direct Tool Bridge.
"""


class Tools:
    async def double(self, n: int) -> str:
        """
        Double a number.

        :param n: The number.
        """
        return f"The double is {2 * n}."
'''
QUESTION = 'Call the tool `double` for the number 21 and say what it gave.\n\nCALL double {"n": 21}'
ANSWER = "The double is 42."
TIMEOUT_S = 120


class OpenWebUI:
    """The API of one Open WebUI."""

    def __init__(self, http: aiohttp.ClientSession, url: str) -> None:
        self._http = http
        self._url = url.rstrip("/")

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer.

        Raises:
            RuntimeError: it is an error.
        """
        async with self._http.request(method, self._url + path, json=body) as answer:
            text = await answer.text()
            if not answer.ok:
                raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]}")
            return json.loads(text)

    async def put(self, kind: str, entry: dict[str, Any]) -> None:
        """Install a function or a tool, or bring it up to date. `kind`: `functions` or `tools`."""
        known = [each["id"] for each in await self.call("GET", f"/api/v1/{kind}/")]
        path = f"id/{entry['id']}/update" if entry["id"] in known else "create"
        await self.call("POST", f"/api/v1/{kind}/{path}", entry)

    async def asked(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        """The chunks of a streamed answer."""
        chunks: list[dict[str, Any]] = []
        async with self._http.post(f"{self._url}/api/chat/completions", json=body) as answer:
            if not answer.ok:
                raise RuntimeError(
                    f"The chat was answered with {answer.status}: {(await answer.text())[:300]}"
                )
            for line in (await answer.text()).splitlines():
                if line.startswith("data:") and line[5:].strip() not in ("", "[DONE]"):
                    chunks.append(json.loads(line[5:]))
        return chunks


def function_to_install(installed: list[str], named: str) -> str:
    """The id of the Pipe: the one that the user named, else the installed one's, else the usual one."""
    return named or next((known for known in FUNCTION_IDS if known in installed), FUNCTION_IDS[0])


async def install(open_webui: OpenWebUI, options: argparse.Namespace) -> None:
    """The function, switched on, with its valves."""
    content = assemble_plugin("pipe")
    meta: dict[str, Any] = {"description": "The models of a Direct Tool Bridge.", "manifest": {}}
    entry = {"id": options.function, "name": "Direct Tool Bridge", "content": content, "meta": meta}
    await open_webui.call("GET", "/api/v1/auths/")
    await open_webui.put("functions", entry)
    path = f"/api/v1/functions/id/{options.function}"
    if not (await open_webui.call("GET", path))["is_active"]:
        await open_webui.call("POST", f"{path}/toggle")
    valves = {"BRIDGE_URL": options.bridge, "BRIDGE_KEY": options.bridge_key}
    if options.user_jwt_secret:
        valves["USER_JWT_SECRET"] = options.user_jwt_secret.read_text(encoding="utf-8").strip()
    await open_webui.call("POST", f"{path}/valves/update", valves)


async def checked(open_webui: OpenWebUI, options: argparse.Namespace) -> bool:
    """Whether models are listed, words come, and a tool of Open WebUI is called once."""
    listed = [model["id"] for model in (await open_webui.call("GET", "/api/models?refresh=true"))["data"]]
    model = f"{options.function}.{options.model}"
    if not told(model in listed, "the bridge's models are Open WebUI's", ", ".join(listed)):
        return False
    ask: dict[str, Any] = {"model": model, "stream": True}
    words = await open_webui.asked({**ask, "messages": [{"role": "user", "content": "Say hello."}]})
    is_well = told(bool(text_of(words)), "the model answers", text_of(words) or json.dumps(words[-3:]))
    meta: dict[str, Any] = {"description": "Doubles.", "manifest": {}}
    await open_webui.put("tools", {"id": TOOL_ID, "name": "Double", "content": TOOL, "meta": meta})
    try:
        question = {"messages": [{"role": "user", "content": QUESTION}], "tool_ids": [TOOL_ID]}
        chunks = await open_webui.asked({**ask, **question})
    finally:
        await open_webui.call("DELETE", f"/api/v1/tools/id/{TOOL_ID}/delete")
    results = [json.dumps(item["output"]) for item in items_of(chunks, "function_call_output")]
    is_well &= told(any(ANSWER in each for each in results), "a tool of Open WebUI is called", str(results))
    is_well &= told("42" in text_of(chunks), "the model reads its result", text_of(chunks))
    ends = [
        c["finish_reason"] for chunk in chunks for c in chunk.get("choices", ()) if c.get("finish_reason")
    ]
    return told(set(ends) == {"stop"}, "the stream ends as it should", str(ends)) and is_well


def items_of(chunks: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """The items of a type that are done."""
    done = [chunk["item"] for chunk in chunks if chunk.get("type") == "response.output_item.done"]
    return [item for item in done if item["type"] == kind]


def text_of(chunks: list[dict[str, Any]]) -> str:
    """What the model said, without markers."""
    parts = [part for item in items_of(chunks, "message") for part in item["content"]]
    texts = [part.get("text", "") for part in parts]
    return "\n".join(text.strip() for text in texts if not text.strip().startswith("[tb:")).strip()


def told(is_well: bool, what: str, seen: str) -> bool:
    """Say how a step went; gives `is_well`."""
    print(f"ok    {what}" if is_well else f"FAIL  {what}\n      {seen[:600]}")
    return is_well


def parsed() -> argparse.Namespace:
    """The command line."""
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--open-webui", required=True, metavar="URL", help="such as http://127.0.0.1:3000")
    parser.add_argument("--open-webui-key", required=True, metavar="KEY", help="an administrator's")
    parser.add_argument("--bridge", default="", metavar="URL", help="as Open WebUI's server reaches it")
    parser.add_argument("--bridge-key", default="", metavar="KEY", help="tbk_...")
    parser.add_argument(
        "--user-jwt-secret", type=Path, metavar="FILE", help="for a forwarder's key: the secret of the bridge"
    )
    parser.add_argument("--model", default="demo", help="of the bridge (default: demo)")
    parser.add_argument("--function", default="", metavar="ID", help=f"default: {FUNCTION_IDS[0]}")
    parser.add_argument("--remove", action="store_true", help="take the function away, and do nothing else")
    options = parser.parse_args()
    if not options.remove and not (options.bridge and options.bridge_key):
        parser.error("--bridge and --bridge-key are needed, unless you --remove the function")
    return options


async def run() -> bool:
    """Do what the command line says; whether it went well."""
    options = parsed()
    headers = {"Authorization": f"Bearer {options.open_webui_key}"}
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as http:
        open_webui = OpenWebUI(http, options.open_webui)
        installed = [each["id"] for each in await open_webui.call("GET", "/api/v1/functions/")]
        options.function = function_to_install(installed, options.function)
        if options.remove:
            await open_webui.call("DELETE", f"/api/v1/functions/id/{options.function}/delete")
            return told(True, f"the function {options.function} is gone", "")
        await install(open_webui, options)
        told(True, f"the function {options.function} is installed", "")
        return await checked(open_webui, options)


def main() -> None:
    """Run, and say why it could not."""
    try:
        sys.exit(0 if asyncio.run(run()) else 1)
    except (RuntimeError, aiohttp.ClientError, TimeoutError) as failure:
        sys.exit(f"FAIL  {failure or type(failure).__name__}")


if __name__ == "__main__":
    main()
