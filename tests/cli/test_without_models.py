"""`serve --no-models`: a bridge that serves tools alone."""

import asyncio
import json
import re
import signal
import sys
from asyncio import create_subprocess_exec, wait_for
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from pathlib import Path

import aiohttp
import pytest

from tests.support.documents.compiled import document_text

pytestmark = pytest.mark.asyncio

LOADED = re.compile(r"^import time:[^|]*\|[^|]*\| +([\w.]+)$", re.MULTILINE)

SERVED = ("/openapi.json", "/api/selection", "/api/selection/offered?form=mcp", "/api/calls", "/metrics")
LEFT_OUT = ("/v1/models", "/conversations", "/api/providers", "/api/selection/offered?form=responses")


async def ask_everything(base_url: str, key: str) -> Mapping[str, tuple[int, str]]:
    """Answers at addresses of both wings, by path."""
    found = dict[str, tuple[int, str]]()
    async with aiohttp.ClientSession(base_url, headers={"Authorization": f"Bearer {key}"}) as http:
        for path in (*SERVED, *LEFT_OUT, "/nothing", "/"):
            async with http.get(path) as answer:
                found[path] = answer.status, await answer.text()
        async with http.post("/tools/listProducts", json={}) as answer:
            found["a call"] = answer.status, await answer.text()
    return found


async def test_a_bridge_without_models_imports_none_of_their_wing(tmp_path: Path) -> None:
    """Issue 40: Python reports every import, from the start over requests of each kind to the end."""
    document = tmp_path / "shop.json"
    document.write_text(document_text())
    options = (
        "--no-models",
        "--json",
        "--port",
        "0",
        "--data",
        str(tmp_path / "data"),
        "--spec",
        str(document),
    )
    command = (sys.executable, "-X", "importtime", "-m", "bridge", "serve", *options)
    process = await create_subprocess_exec(*command, stdout=PIPE, stderr=PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    reading = asyncio.create_task(process.stderr.read())
    started = json.loads(await wait_for(process.stdout.readline(), 60))
    found = await ask_everything(started["base_url"], started["key"])
    process.send_signal(signal.SIGTERM)
    loaded = set(LOADED.findall((await wait_for(reading, 60)).decode()))
    assert await process.wait() == 0
    assert "bridge.calls.engine" in loaded, "the imports were reported"
    assert [
        name for name in loaded if name.startswith(("bridge.models", "bridge.endpoints.openai.chat"))
    ] == []
    assert (started["models"], started["model_url"]) == ([], None)
    for path in (
        "/openapi.json",
        "/api/selection",
        "/api/selection/offered?form=mcp",
        "/api/calls",
        "/metrics",
    ):
        assert found[path][0] == 200, (path, found[path])
    for path in ("/v1/models", "/conversations", "/api/providers", "/api/selection/offered?form=responses"):
        status, text = found[path]
        assert (status, "--no-models" in text, "not_found" in text) == (404, True, True), (path, text)
    assert "--no-models" not in found["/nothing"][1]
    assert found["a call"][0] == 403, "it came as far as what its user has accepted"
    assert '<meta name="models" content="off">' in found["/"][1]
