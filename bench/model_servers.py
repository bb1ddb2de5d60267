"""`python -m bench.model_servers ROLE [URL]`: one server in a process of its own; prints where it answers.

`provider` says a text in pieces, as `MODELS` says. `proxy URL` passes bytes through as they come, which is
the least that anything in between can do. `bridge URL` is a bridge in front of that provider.
"""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

import aiohttp
import orjson
from aiohttp import web

from bench.event_loop import run
from bench.servers import serve_application, wait_at
from bridge.app.start import start_bridge
from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.models import ModelsFile, ProviderSettings
from bridge.settings.limits import Limits
from bridge.settings.network import NetworkSettings
from bridge.storage.database import open_database

PIECES = 20
MODELS = {"fast": (PIECES, 0.0), "paced": (PIECES, 0.1), "long": (500, 0.01)}
"""Pieces of each model's text, and the seconds between two of them."""
PATH = "/v1"
STREAM = {"Content-Type": "text/event-stream"}


def main() -> None:
    """Serve until standard input ends."""
    roles = {"provider": serve_provider, "proxy": serve_proxy, "bridge": serve_bridge}
    run(roles[sys.argv[1]](*sys.argv[2:]))


async def serve_provider() -> None:
    """The provider."""
    frames = {name: _frames(pieces) for name, (pieces, _) in MODELS.items()}
    listed = {"object": "list", "data": [{"id": name, "object": "model"} for name in MODELS]}

    async def answer(request: web.Request) -> web.StreamResponse:
        model = orjson.loads(await request.read())["model"]
        pace_s = MODELS[model][1]
        response = web.StreamResponse(headers=STREAM)
        await response.prepare(request)
        for frame in frames[model]:
            await response.write(frame)
            if pace_s:
                await asyncio.sleep(pace_s)
        return response

    async def models(_request: web.Request) -> web.Response:
        return web.json_response(listed)

    app = web.Application()
    app.router.add_post(f"{PATH}/responses", answer)
    app.router.add_get(f"{PATH}/models", models)
    await serve_application(app, PATH)


async def serve_proxy(url: str) -> None:
    """The floor."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def answer(request: web.Request) -> web.StreamResponse:
            async with session.post(f"{url}/responses", data=await request.read()) as upstream:
                response = web.StreamResponse(headers=STREAM)
                await response.prepare(request)
                async for chunk in upstream.content.iter_any():
                    await response.write(chunk)
                return response

        app = web.Application()
        app.router.add_post(f"{PATH}/responses", answer)
        await serve_application(app, PATH)


async def serve_bridge(url: str) -> None:
    """The bridge, which may run as many requests as the bench sends."""
    with tempfile.TemporaryDirectory() as folder:
        provider = ProviderSettings(name="bench", base_url=url)
        settings = BridgeSettings(
            data_dir=Path(folder),
            network=NetworkSettings(port=0),
            models=ModelsFile(provider=(provider,)),
            limits=Limits(max_concurrent_requests=2000, max_concurrent_requests_per_user=2000),
        )
        bridge = await start_bridge(settings, open_database(Path(folder) / "bridge.sqlite3"))
        await wait_at(f"{bridge.base_url}{PATH}", bridge.key)
        await bridge.close()


def _frames(pieces: int) -> list[bytes]:
    place: dict[str, Any] = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    response: dict[str, Any] = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": [],
    }
    item: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed"}
    part: dict[str, Any] = {"type": "output_text", "text": "word " * pieces, "annotations": []}
    whole: dict[str, Any] = {**item, "content": [part]}
    begun: dict[str, Any] = {**item, "status": "in_progress", "content": []}
    delta: dict[str, Any] = {"type": "response.output_text.delta", **place, "delta": "word ", "logprobs": []}
    usage = {"input_tokens": 1, "output_tokens": pieces}
    ended = {**response, "status": "completed", "output": [whole], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": begun},
        *[delta] * pieces,
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": ended},
    ]
    return [b"event: %b\ndata: %b\n\n" % (str(each["type"]).encode(), orjson.dumps(each)) for each in events]


if __name__ == "__main__":
    main()
