"""`python -m bench.peers.tool_servers ROLE [URL …]`: one server in a process of its own.

It prints where it answers. `api` is the sample shop with one ready answer of 1 KB. `bridge API` is a bridge,
`floor API` the least that a `POST` to a page can be; each starts a page in a further process,
`page API SOCKET [TOKEN ID]`, which performs the requests there.
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
from bench.payloads import ANSWER_HEADERS, bridge_outcome
from bench.peer import PageOrder, connect_page
from bench.plain_variants import SOCKET, build_route_floor, listen
from bench.servers import run_server, serve_application, wait_at
from bench.shop_bridge import start_shop

MODULE = "bench.peers.tool_servers"
SHOP, PRODUCTS = "/shop", "/products"
MARK = b"Green tea"
"""In every answer of the API, and so in every answer to a call."""


def main() -> None:
    """Serve until standard input ends."""
    roles = {"api": serve_api, "bridge": serve_bridge, "floor": serve_floor, "page": play_page}
    run(roles[sys.argv[1]](*sys.argv[2:]))


async def serve_api() -> None:
    """The API, whose answer agrees with the document of the shop."""
    body = _answer_body()

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_get(SHOP + PRODUCTS, answer)
    await serve_application(app, SHOP)


async def serve_bridge(api_url: str) -> None:
    """The bridge with its real store."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        shop = await start_shop(Path(folder))
        page = await shop.page_of(shop.bridge.local_user)
        async with run_server(MODULE, "page", api_url, page.url, str(page.token), page.page_id):
            await wait_at(shop.bridge.base_url, shop.bridge.key)
        await shop.bridge.close()


async def serve_floor(api_url: str) -> None:
    """A plain `POST` of aiohttp with the tuned `sio.call` behind it."""
    sio, app = build_route_floor()
    runner, host, port = await listen(app)
    async with run_server(MODULE, "page", api_url, f"ws://{host}:{port}{SOCKET}"):
        await wait_at(f"http://{host}:{port}", "")
    await sio.shutdown()
    await runner.cleanup()


async def play_page(api_url: str, socket_url: str, token: str | None = None, page_id: str = "") -> None:
    """The page, which performs every call as it comes."""
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        socket = await connect_page(session, PageOrder(socket_url, token, page_id))
        async with asyncio.TaskGroup() as tasks:
            answering = tasks.create_task(_answer_calls(session, api_url, socket, plain=token is None))
            await wait_at("", "")
            answering.cancel()


async def _answer_calls(
    session: aiohttp.ClientSession, api_url: str, socket: aiohttp.ClientWebSocketResponse, *, plain: bool
) -> None:
    async def perform(number: str, call: dict[str, Any]) -> None:
        arguments = call["params"] if plain else orjson.loads(call["params"])
        if not plain:
            await socket.send_str(f'43{number}[{{"call_id":"{call["id"]}"}}]')
        async with session.get(api_url + PRODUCTS, params=arguments) as response:
            text = await response.text()
        if plain:
            answer = orjson.dumps([[orjson.loads(text), ANSWER_HEADERS]]).decode()
            await socket.send_str(f"43{number}{answer}")
        else:
            result = f'{{"call_id":"{call["id"]}","outcome":{bridge_outcome(text)}}}'
            await socket.send_str(f'42["bridge:result",{result}]')

    async with asyncio.TaskGroup() as tasks:
        async for message in socket:
            text: str = message.data
            if text == "2":  # a ping of Engine.IO
                await socket.send_str("3")
            elif text.startswith("42"):
                start = text.index("[")
                name, event = orjson.loads(text[start:])
                if name == "events":
                    tasks.create_task(perform(text[2:start], event["data"]["data"]))


def _answer_body() -> bytes:
    products = [
        {
            "id": number,
            "name": f"Green tea {number}",
            "category": "drinks",
            "price": 349,
            "description": "Leaves from the hills, dried slowly.",
            "stock": 7,
            "labels": ["vegan", "organic"],
        }
        for number in range(6)
    ]
    return orjson.dumps({"products": products, "total": len(products)})


if __name__ == "__main__":
    main()
