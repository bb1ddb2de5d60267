"""Long JSON answers."""

import asyncio
from collections.abc import Iterator

import orjson
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from bridge.http.long_lists import SLICE_BYTES, long_answer

ENTRY = orjson.dumps({"text": "x" * (SLICE_BYTES // 4)})


async def answered(entries: Iterator[bytes]) -> bytes:
    """What a client reads of a route that answers with these entries."""

    async def answer(_request: web.Request) -> web.Response:
        return long_answer(b'{"id":1,"listed":[', entries, b"]}")

    application = web.Application()
    application.router.add_get("/", answer)
    async with TestClient(TestServer(application)) as client:
        response = await client.get("/")
        assert response.content_type == "application/json"
        return await response.read()


@pytest.mark.asyncio
async def test_others_run_while_a_long_answer_is_made() -> None:
    """Ten thousand operations take a fifth of a second to write; a call must not wait for them."""
    turns = 0
    turns_seen: set[int] = set()

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def entries() -> Iterator[bytes]:
        for _ in range(40):
            turns_seen.add(turns)
            yield ENTRY

    other = asyncio.create_task(others())
    assert orjson.loads(await answered(entries())) == {"id": 1, "listed": [orjson.loads(ENTRY)] * 40}
    other.cancel()
    assert len(turns_seen) == 10


@pytest.mark.asyncio
@pytest.mark.parametrize("entries", [[], [b"1"], [b"1", b"2"]])
async def test_a_short_answer_is_json_as_well(entries: list[bytes]) -> None:
    """No comma too many."""
    assert orjson.loads(await answered(iter(entries))) == {"id": 1, "listed": [*map(orjson.loads, entries)]}
