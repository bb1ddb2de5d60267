"""Which servers a registry lists: decided once, and the same in every list until something changes."""

import json
from dataclasses import replace

import pytest

from bridge.catalog.registry import NOBODY, Registry
from bridge.catalog.server_view import LoadedServer, UserSelection
from bridge.storage.sessions import database_unavailable
from tests.support.documents.compiled import document_text, operation
from tests.support.stores.memory_server_store import MemoryListingStore
from tests.support.stores.registries import RestartableRegistry
from toolserver.json_types import JsonObject
from toolserver.tool.listing import Listing
from toolserver.tool.meta_tools import META_TOOLS as META_TOOLS_TOLD
from toolserver.tool.selection import Reader, Selection, tokens_for

pytestmark = pytest.mark.asyncio

META_TOOLS = ["find_operations", "run_operation", "read_result"]
BOUNDS = Selection(limit=30)
READERS: tuple[Reader, Reader] = ("keywords", "words")


def many(title: str, count: int) -> str:
    paths: JsonObject = {f"/{title}{number}": operation(f"{title}{number}") for number in range(count)}
    return document_text(title, paths=paths)


async def accept(registry: Registry, server: LoadedServer) -> None:
    digests = {each.key: each.digest for each in server.compiled.operations}
    await registry.accept_operations("ann", server.record.id, digests)


async def add(registry: Registry, title: str, count: int) -> LoadedServer:
    """A server of ann's, who accepts all of it."""
    server = await registry.add_server("ann", many(title, count), source_url=None)
    await accept(registry, server)
    return server


async def listed(registry: Registry, user: str = "ann", server: str | None = None) -> list[str]:
    document = await registry.lists.advertise_document(await registry.view_of_user(user), server)
    return [path.removeprefix("/tools/") for path in json.loads(document.body)["paths"]]


def named(title: str, count: int) -> list[str]:
    return [f"{title}{number}" for number in range(count)]


async def test_a_large_api_that_is_accepted_takes_no_other_tool_away() -> None:
    """Finding F-1: tools that worked by name were gone as soon as a large document was accepted."""
    registry = RestartableRegistry().open(BOUNDS)
    await add(registry, "a", 20)
    assert await listed(registry) == [*named("a", 20), "read_result"]
    await add(registry, "b", 500)
    assert await listed(registry) == [*named("a", 20), *META_TOOLS]
    await add(registry, "c", 3)
    assert await listed(registry) == [*named("a", 20), *named("c", 3), *META_TOOLS]


async def test_what_is_used_counts_when_it_is_decided_and_no_call_changes_a_list() -> None:
    """Ruling 50: a call that changed a list would cost clients their tag, and models their cached prefix."""
    harness = RestartableRegistry()
    registry = harness.open(BOUNDS)
    await add(registry, "a", 20)
    await add(registry, "b", 25)
    harness.listings.used["ann"] = {"b"}
    assert await listed(registry) == [*named("b", 25), *META_TOOLS]
    harness.listings.used["ann"] = {"a"}
    again = harness.open(BOUNDS)
    await again.load_servers()
    assert await listed(again) == [*named("b", 25), *META_TOOLS], "a restart changes nothing either"
    await add(again, "c", 500)
    assert await listed(again) == [*named("b", 25), *META_TOOLS]


async def test_a_server_that_has_grown_or_gone_has_it_decided_anew() -> None:
    """Ruling 50: a document that shrinks changes no list; another server gets the room of a removed one."""
    registry = RestartableRegistry().open(BOUNDS)
    first = await add(registry, "a", 20)
    second = await add(registry, "b", 25)
    assert await listed(registry) == [*named("a", 20), *META_TOOLS]
    await registry.replace_document("ann", second.record.id, many("b", 5), None)
    assert await listed(registry) == [*named("a", 20), *META_TOOLS]
    await registry.remove_server("ann", first.record.id)
    assert await listed(registry) == [*named("b", 5), "read_result"]
    grown = await registry.replace_document("ann", second.record.id, many("b", 40), None)
    assert await listed(registry) == [*named("b", 25), *META_TOOLS], "the others are not accepted yet"
    await accept(registry, grown)
    assert await listed(registry) == META_TOOLS


async def test_a_document_that_cannot_be_read_keeps_its_place_until_it_can() -> None:
    """A restart with a broken file would otherwise give the place to another server for good."""
    harness = RestartableRegistry()
    registry = harness.open(BOUNDS)
    first = await add(registry, "a", 20)
    await add(registry, "b", 25)
    assert await listed(registry) == [*named("a", 20), *META_TOOLS]
    whole = harness.store.records[first.record.id]
    harness.store.records[first.record.id] = replace(whole, text="{")
    broken = harness.open(BOUNDS)
    await broken.load_servers()
    assert await listed(broken) == META_TOOLS
    harness.store.records[first.record.id] = whole
    mended = harness.open(BOUNDS)
    await mended.load_servers()
    assert await listed(mended) == [*named("a", 20), *META_TOOLS]


async def test_its_user_chooses_what_is_listed_and_what_is_searched() -> None:
    """Finding F-1: with a switch for each server."""
    registry = RestartableRegistry().open(BOUNDS)
    await add(registry, "a", 20)
    await add(registry, "b", 25)
    await registry.save_selection("ann", UserSelection(listed=("b",)))
    assert await listed(registry) == [*named("b", 25), *META_TOOLS]
    await registry.save_selection("ann", UserSelection(searched=("a", "b")))
    assert await listed(registry) == META_TOOLS
    view = await registry.view_of_user("ann")
    offer = await registry.lists.offer_tools(view, None)
    assert set(offer.explain_absences(view.catalog.tools).values()) == {"over_limit"}
    assert await listed(registry, server="a") == [*named("a", 20), "read_result"], "its own address lists it"


async def test_a_small_server_that_is_to_be_searched_says_so() -> None:
    """It would fit: no bound keeps it out, but its user's choice."""
    registry = RestartableRegistry().open(BOUNDS)
    await add(registry, "a", 3)
    await registry.save_selection("ann", UserSelection(searched=("a",), pinned=("a1",)))
    assert await listed(registry) == ["a1", *META_TOOLS]
    view = await registry.view_of_user("ann")
    offer = await registry.lists.offer_tools(view, None)
    assert (offer.over, offer.explain_absences(view.catalog.tools)) == (
        "",
        {"a0": "searched", "a2": "searched"},
    )


def wordy(title: str, count: int) -> str:
    """Arguments of which keywords and words say the same, at length."""
    of_one: JsonObject = {
        "name": "kind",
        "in": "query",
        "schema": {"type": "string", "enum": [f"{title}-value-{number}" for number in range(60)]},
    }
    paths: JsonObject = {
        f"/{title}{number}": {"get": {"operationId": f"{title}{number}", "parameters": [of_one]}}
        for number in range(count)
    }
    return document_text(title, paths=paths)


async def listed_by_keywords(registry: Registry) -> list[str]:
    view = await registry.view_of_user("ann")
    return [tool["name"] for tool in json.loads(await registry.lists.list_mcp_tools(view, None))]


async def tokens_of_all(registry: Registry, reader: Reader) -> int:
    view = await registry.view_of_user("ann")
    return sum((await registry.lists.count_tokens(view, view.catalog.tools, reader)).values())


async def test_a_budget_counts_what_each_reader_is_sent_under_one_decision() -> None:
    """Readers of keywords got fewer tools than fit, as words were counted that they are not sent."""
    registry = RestartableRegistry().open(BOUNDS)
    for title in ("a", "b"):
        await accept(registry, await registry.add_server("ann", wordy(title, 5), source_url=None))
    keywords, words = [await tokens_of_all(registry, reader) for reader in READERS]
    own = sum(tokens_for("words", tool.name, tool.description, tool.schema_json) for tool in META_TOOLS_TOLD)
    budget = (keywords + words) // 2
    assert keywords + own < budget < words
    await registry.save_selection("ann", UserSelection(max_tokens=budget))
    view = await registry.view_of_user("ann")
    decided = await registry.listings.listing_of(view)
    assert await listed_by_keywords(registry) == [*named("a", 5), *named("b", 5), "read_result"]
    assert await listed(registry) == [*named("a", 5), *META_TOOLS], "the last of the decision gives way"
    assert len(decided.listed) == 2
    assert (await registry.listings.listing_of(await registry.view_of_user("ann"))) == decided


async def test_replicas_list_the_same() -> None:
    """Ruling 50: whichever decides first; another one that saw other use keeps to it."""
    harness = RestartableRegistry()
    here = harness.open(BOUNDS)
    await add(here, "a", 20)
    await add(here, "b", 25)
    there = harness.open(BOUNDS)
    await there.load_servers()
    first = await listed(here)
    harness.listings.used["ann"] = {"b"}
    assert await listed(there) == first == [*named("a", 20), *META_TOOLS]


class OvertakenStore(MemoryListingStore):
    """Another replica stores its own decision just before ours."""

    async def save_listing(self, user_id: str, listing: Listing, *, seen: Listing | None) -> bool:
        if user_id not in self.listings:
            self.listings[user_id] = Listing(("b",), listing.sizes, listing.choice)
        return await super().save_listing(user_id, listing, seen=seen)


async def test_a_decision_that_comes_second_gives_way() -> None:
    """Two replicas that decide at once would list different tools for one user."""
    registry = RestartableRegistry(listings=OvertakenStore()).open(BOUNDS)
    await add(registry, "a", 20)
    await add(registry, "b", 25)
    assert await listed(registry) == [*named("b", 25), *META_TOOLS]


class FullStore(MemoryListingStore):
    """A database that can only be read."""

    async def save_listing(self, user_id: str, listing: Listing, *, seen: Listing | None) -> bool:
        raise database_unavailable()


async def test_a_list_is_made_though_its_decision_cannot_be_stored() -> None:
    """A full disk takes no tools away."""
    registry = RestartableRegistry(listings=FullStore()).open(BOUNDS)
    await add(registry, "a", 20)
    assert await listed(registry) == [*named("a", 20), "read_result"]


async def test_the_common_list_of_a_forwarder_knows_no_use() -> None:
    """Ruling 50: it serves users who use different servers; adding one changes none of the others there."""
    harness = RestartableRegistry()
    harness.listings.used[NOBODY] = {"b"}
    registry = harness.open(BOUNDS)
    await registry.share_document("b.json", many("b", 25), source_url=None)
    await registry.share_document("a.json", many("a", 20), source_url=None)
    assert await listed(registry, NOBODY) == [*named("a", 20), *META_TOOLS]
    await registry.share_document("c.json", many("c", 15), source_url=None)
    assert await listed(registry, NOBODY) == [*named("a", 20), *META_TOOLS]


async def test_undecided_operations_give_way_to_all_that_is_accepted() -> None:
    """D5: a large document of the command line that is not reviewed yet displaces nothing."""
    registry = RestartableRegistry().open(BOUNDS)
    await add(registry, "a", 29)
    await registry.add_server("ann", many("b", 200), source_url=None)
    assert await listed(registry) == [*named("a", 29), "read_result"]
