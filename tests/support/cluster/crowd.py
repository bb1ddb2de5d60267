"""Users with pages and callers at every replica, and a ledger of what was asked, performed and told."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from sqlalchemy import URL, Engine, insert

from bridge.storage.store import Store
from bridge.storage.tables import DeviceRow
from bridge.storage.users import UserTables
from tests.support.cluster.replica_processes import RealReplicas
from tests.support.cluster.returning_page import ReturningPage, now, params_of, returning_page
from tests.support.running_bridge import FakePage, json_answer, new_browser, public_key_of
from tests.support.stores.databases import engine_of
from tests.support.waiting import eventually

ANSWER_S = 45.0
"""Seconds within which a caller has its answer, however it ends: a failover takes eight, undisturbed."""

REST_S = 0.02
LONGEST_CALL_S = 0.4

READ, WRITE = "listProducts", "addProduct"


@dataclass
class Order:
    """One call of a caller, and what the caller was told."""

    number: int
    """No other call has the same; it stands in the arguments, and in the answer."""
    user_id: str
    url: str
    is_safe: bool
    began_at: float
    ended_at: float = 0.0
    status: int = 0
    """Of the answer; 0: there was none."""
    body: dict[str, Any] | None = None
    failure: str = ""
    """Why there was no answer."""

    @property
    def error(self) -> dict[str, Any]:
        """The error that was told; empty for a success."""
        return (self.body or {}).get("error", {})


@dataclass
class Ledger:
    """What happened."""

    orders: list[Order] = field(default_factory=list[Order])
    performed: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list[str]))
    """Ids of the calls under which a page performed an order, by the order's number."""


@dataclass
class Member:
    """One user with a page."""

    user_id: str
    key: str
    page: ReturningPage


def number_of(arguments: dict[str, Any]) -> int:
    """The order that arguments belong to."""
    return int(arguments["limit"] if "limit" in arguments else arguments["name"])


class Crowd:
    """Users whose callers call until they are stopped."""

    def __init__(self, http: aiohttp.ClientSession, *, longest_call_s: float = LONGEST_CALL_S) -> None:
        self.members: list[Member] = []
        self.ledger = Ledger()
        self._http = http
        self._longest_call_s = longest_call_s
        self._numbers = itertools.count(1)
        self._random = random.Random(1)
        self._is_over = asyncio.Event()
        self._callers: set[asyncio.Task[None]] = set()

    async def perform(self, call: dict[str, Any]) -> dict[str, Any]:
        """What the API does: it is done at once, and answered a moment later."""
        number = number_of(params_of(call))
        self.ledger.performed[number].append(call["id"])
        await asyncio.sleep(self._random.uniform(0, self._longest_call_s))
        return json_answer({"number": number}, 200)

    def start_callers(self, urls: Sequence[str]) -> None:
        """One of every user at every address."""
        for member, url in itertools.product(self.members, urls):
            self._callers.add(asyncio.create_task(self._call_on(member, url)))

    async def stop_callers(self) -> None:
        """Once their last calls are answered."""
        self._is_over.set()
        await asyncio.gather(*self._callers)

    async def call(self, member: Member, url: str, *, is_safe: bool) -> Order:
        """One call; never fails."""
        order = Order(next(self._numbers), member.user_id, url, is_safe, now())
        self.ledger.orders.append(order)
        body = {"limit": order.number} if is_safe else {"name": str(order.number)}
        headers = {"Authorization": f"Bearer {member.key}", "Connection": "close"}
        address = f"{url}/tools/{READ if is_safe else WRITE}"
        try:
            async with (
                asyncio.timeout(ANSWER_S),
                self._http.post(address, json=body, headers=headers) as answer,
            ):
                order.body = json.loads(await answer.read())
                order.status = answer.status
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            order.failure = repr(error)
        order.ended_at = now()
        return order

    async def show_call(self, member: Member, url: str, call_id: str) -> Mapping[str, Any]:
        """What a replica shows of a call to the page of its user."""
        headers = {"Authorization": f"Bearer {member.page.browser.token}"}
        async with self._http.get(f"{url}/api/calls/{call_id}", headers=headers) as answer:
            return await answer.json()

    async def wait_until_served(self, since: float, urls: Sequence[str], within_s: float = ANSWER_S) -> None:
        """Until every user had an unsafe call succeed at every address that was begun after a moment."""
        wanted = {(member.user_id, url) for member in self.members for url in urls}

        def is_served() -> bool:
            recent = [order for order in self.ledger.orders if order.began_at > since]
            return wanted <= {(o.user_id, o.url) for o in recent if o.status == 200 and not o.is_safe}

        await eventually(is_served, within_s=within_s, what="service of every user at every replica")

    async def _call_on(self, member: Member, url: str) -> None:
        for is_safe in itertools.cycle((True, False)):
            if self._is_over.is_set():
                return
            order = await self.call(member, url, is_safe=is_safe)
            await asyncio.sleep(REST_S if order.status == 200 else 5 * REST_S)


@asynccontextmanager
async def crowd_of(cluster: RealReplicas, users: int, **options: float) -> AsyncGenerator[Crowd]:
    """Users whose pages are connected through the balancer; their callers are yet to be started."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(aiohttp.ClientSession())
        crowd = Crowd(http, **options)
        for user_id, key, ticket in await add_users(cluster, users):
            page = returning_page(cluster.public_url, ticket, crowd.perform)
            crowd.members.append(Member(user_id, key, await stack.enter_async_context(page)))
        for member in crowd.members:
            await eventually(_is_connected(member.page), what="the page's greeting")
        yield crowd


async def add_users(cluster: RealReplicas, count: int) -> Sequence[tuple[str, str, str]]:
    """New users as an operator adds them: id, key and ticket of each."""
    store = Store.open_store(cluster.database)
    try:
        users = [await UserTables(store).ensure_user(f"user-{number}") for number in range(count)]
        return [
            (
                user.id,
                (await UserTables(store).add_key(user.id, "test"))[1],
                await UserTables(store).add_ticket(user.id),
            )
            for user in users
        ]
    finally:
        await store.close()


async def add_browsers(
    cluster: RealReplicas, http: aiohttp.ClientSession, count: int
) -> Mapping[str, FakePage]:
    """New users, each with a browser; pairing them one by one would be more attempts than a minute allows."""
    store = Store.open_store(cluster.database)
    try:
        users = [await UserTables(store).ensure_user(f"user-{number}") for number in range(count)]
    finally:
        await store.close()
    browsers = {user.id: new_browser(cluster.public_url, http) for user in users}
    rows = [
        {"id": user_id, "user_id": user_id, "name": "a browser", "created_at": time.time()}
        | {"last_seen_at": time.time(), "public_key": json.dumps(public_key_of(browser.key))}
        for user_id, browser in browsers.items()
    ]
    with closing_engine(cluster.database) as engine, engine.begin() as connection:
        connection.execute(insert(DeviceRow), rows)
    for user_id, browser in browsers.items():
        browser.device_id = user_id
    return browsers


@contextmanager
def closing_engine(database: URL) -> Generator[Engine]:
    """An engine of the test's own."""
    engine = engine_of(database)
    try:
        yield engine
    finally:
        engine.dispose()


def _is_connected(page: ReturningPage) -> Callable[[], bool]:
    return lambda: page.is_connected
