"""`python -m bench stored-history`: how long the reading of a long chat takes where very much is stored.

One user keeps 100,000 items, ten others 10,000 each. A chat of 50 turns is read by the ids of its items, and
a chain of 50 responses by its last one. The floor is the same rows by the database's driver, in the same run.
Measured are the SQLite file that a bridge makes, and the PostgreSQL database that `STORED_HISTORY_BENCH_URL`
names, which must be empty.
"""

import os
import statistics
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import URL, Engine, create_engine, text

from bench.report import print_table
from bridge.models.stored_items.items import Side, StoredItem, StoredResponse
from bridge.settings.storage import StorageSettings
from bridge.storage.chat.items import ItemTables
from bridge.storage.database import postgresql_url
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from toolserver.json_types import JsonObject

URL_VARIABLE = "STORED_HISTORY_BENCH_URL"
OTHERS, ITEMS, ITEMS_OF_OTHERS = 10, 100_000, 10_000
TURNS = 50
KINDS = ("message", "reasoning", "function_call", "function_call_output", "message")
"""Of one turn: what was asked, thought, called, returned and said."""

RESPONSES = ITEMS // len(KINDS)
REPETITIONS = 40
WARM_UP = 3
PROMISE_MS = 20.0

Where = Path | URL


async def measure_stored_history(*, quick: bool) -> dict[str, object]:
    """Fill each database once, then read."""
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        places: dict[str, Where] = {"sqlite": Path(folder) / "bridge.sqlite3"}
        if url := os.environ.get(URL_VARIABLE):
            places["postgresql"] = postgresql_url(url)
        for name, where in places.items():
            for kind, settings in (
                ("plain", StorageSettings()),
                ("encrypted", StorageSettings(encryption_keys=("a key of the bench",))),
            ):
                found[f"{name}_{kind}"] = await _measure(name, kind, where, settings, quick=quick)
    return found


async def _measure(name: str, kind: str, where: Where, settings: StorageSettings, *, quick: bool) -> object:
    async with _opened(where) as store:
        user_id = await _fill(store, settings, f"{kind} user", ITEMS // (10 if quick else 1))
        for number in range(OTHERS if kind == "plain" and not quick else 0):
            await _fill(store, settings, f"other {number}", ITEMS_OF_OTHERS)
        items = ItemTables(store, settings)
        ids, last = _chat(user_id)
        _analyze(where)
        read = await _median_ms(lambda: items.by_ids(user_id, ids))
        chained = await _median_ms(lambda: items.read_chain(user_id, last))
    floor = _floor_ms(where, user_id, ids)
    found = {"by ids": read, "chain": chained, "floor: the rows": floor}
    title = f"A chat of {TURNS} turns, {name}, {kind} (promise: {PROMISE_MS:g} ms)"
    rows = [(what, milliseconds, milliseconds / floor) for what, milliseconds in found.items()]
    print_table(title, ["", "median ms", "ratio"], rows)
    return {"by_ids_ms": read, "chain_ms": chained, "floor_ms": floor, "plan": _plan(where, user_id, ids)}


@asynccontextmanager
async def _opened(where: Where) -> AsyncGenerator[Store]:
    store = Store.open_store(where)
    yield store
    await store.close()


async def _fill(store: Store, settings: StorageSettings, name: str, count: int) -> str:
    user_id = (await UserTables(store).ensure_user(name)).id
    items = ItemTables(store, settings)
    chance = Random(1)
    for batch in _batches(user_id, count // len(KINDS), chance):
        await items.add_items(batch)
    if count >= ITEMS // 10:
        for number in range(TURNS):
            await items.save_response(_response(user_id, number))
    return user_id


def _batches(user_id: str, turns: int, chance: Random) -> Iterator[Sequence[StoredItem]]:
    for start in range(0, turns, 400):
        yield [
            _item(user_id, turn, place, chance)
            for turn in range(start, min(start + 400, turns))
            for place in range(len(KINDS))
        ]


def _item(user_id: str, turn: int, place: int, chance: Random) -> StoredItem:
    side: Side = "output" if place else "input"
    words = " ".join(f"{chance.randrange(10**6):06d}" for _ in range(60))
    payload: JsonObject = {"type": KINDS[place], "id": f"{turn}-{place}", "text": words, "null": None}
    chat = f"chat {turn % 400}"
    return StoredItem(
        _id(user_id, turn, place), user_id, _name(user_id, turn), place, side, "demo", payload, 1.0, chat
    )


def _response(user_id: str, number: int) -> StoredResponse:
    """The turns of one chat, each a continuation of the one before; they lie far apart in the table."""
    turn = _turn(number)
    previous = _name(user_id, _turn(number - 1)) if number else None
    return StoredResponse(
        _name(user_id, turn), user_id, "demo", "completed", {}, {}, 1.0, previous_id=previous
    )


def _turn(number: int) -> int:
    return number * 40 + 7


def _id(user_id: str, turn: int, place: int) -> str:
    return f"01{user_id[:6].upper()}{turn:012d}{place:06d}"


def _name(user_id: str, turn: int) -> str:
    return f"resp_{user_id[:6]}_{turn}"


def _chat(user_id: str) -> tuple[list[str], str]:
    """Ids of its items, and its last response."""
    turns = [_turn(number) for number in range(TURNS)]
    ids = [_id(user_id, turn, place) for turn in turns for place in range(len(KINDS))]
    return ids, _name(user_id, turns[-1])


async def _median_ms(read: Callable[[], Awaitable[Any]]) -> float:
    taken: list[float] = []
    for number in range(REPETITIONS + WARM_UP):
        start = time.perf_counter()
        assert len(await read()) == TURNS * len(KINDS)
        if number >= WARM_UP:
            taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def _floor_ms(where: Where, user_id: str, ids: Sequence[str]) -> float:
    """The rows, nothing else: no event loop, no session, nothing unpacked."""
    engine = _engine(where)
    connection: Any = engine.raw_connection()
    cursor = connection.cursor()
    taken: list[float] = []
    mark = "?" if isinstance(where, Path) else "%s"
    marks = ", ".join([mark] * len(ids))
    query = f"SELECT * FROM kept_items WHERE user_id = {mark} AND id IN ({marks})"
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        cursor.execute(query, (user_id, *ids))
        assert len(cursor.fetchall()) == len(ids)
        taken.append((time.perf_counter() - start) * 1000)
    connection.close()
    engine.dispose()
    return statistics.median(taken)


def _plan(where: Where, user_id: str, ids: Sequence[str]) -> list[str]:
    """How the database finds the rows.

    Raises:
        AssertionError: by reading the whole table.
    """
    explain = "EXPLAIN QUERY PLAN" if isinstance(where, Path) else "EXPLAIN"
    listed = ", ".join(f"'{each}'" for each in ids)
    query = f"{explain} SELECT * FROM kept_items WHERE user_id = '{user_id}' AND id IN ({listed})"
    engine = _engine(where)
    with engine.connect() as connection:
        plan = [str(row[-1]) for row in connection.execute(text(query))]
    engine.dispose()
    used = " ".join(plan)
    assert "kept_items_by_id" in used or "INDEX sqlite_autoindex_kept_items_1" in used, plan
    return [line[:100] for line in plan]


def _analyze(where: Where) -> None:
    """What PostgreSQL does by itself a minute after a table was filled; SQLite needs it not."""
    if not isinstance(where, Path):
        engine = _engine(where)
        with engine.begin() as connection:
            connection.execute(text("ANALYZE"))
        engine.dispose()


def _engine(where: Where) -> Engine:
    return create_engine(URL.create("sqlite", database=str(where)) if isinstance(where, Path) else where)
