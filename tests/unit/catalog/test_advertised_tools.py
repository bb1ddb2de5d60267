"""What a registry advertises: which of a user's tools, within which bounds, under which tag."""

import json
from dataclasses import replace

import pytest

from bridge.catalog.search.indexes import SearchIndexes
from bridge.catalog.server_view import AdvertisedDocument, UserSelection
from bridge.errors import BridgeError
from tests.support.documents.compiled import document_text, operation
from tests.support.stores.registries import RestartableRegistry
from toolserver.json_types import JsonObject
from toolserver.tool.selection import Selection

pytestmark = pytest.mark.asyncio


async def test_the_advertised_document_has_a_stable_tag_until_something_changes() -> None:
    """Open WebUI asks for the document at every chat message; an unchanged one costs it nothing."""
    registry = RestartableRegistry().open()
    await registry.add_server("ann", document_text("Alpha"), source_url=None)
    document = await registry.lists.advertise_document(await registry.view_of_user("ann"), None)
    assert await registry.lists.advertise_document(await registry.view_of_user("ann"), None) is document
    await registry.add_server("ann", document_text("Beta"), source_url=None)
    view = await registry.view_of_user("ann")
    assert (await registry.lists.advertise_document(view, None)).etag != document.etag
    paths = json.loads((await registry.lists.advertise_document(view, "beta")).body)["paths"]
    assert list(paths)[:2] == ["/tools/beta__listProducts", "/tools/beta__addProduct"]


def many(title: str, count: int) -> str:
    paths: JsonObject = {f"/{title}{number}": operation(f"{title}{number}") for number in range(count)}
    return document_text(title, paths=paths)


def advertised(document: AdvertisedDocument) -> list[str]:
    return [path.removeprefix("/tools/") for path in json.loads(document.body)["paths"]]


async def test_what_its_user_declined_is_neither_advertised_nor_found() -> None:
    """D6: models chose operations that the user had left out of the review, and were refused."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", many("op", 3), source_url=None)
    undecided = await registry.lists.advertise_document(await registry.view_of_user("ann"), None)
    assert {"op0", "op1", "op2"} <= set(advertised(undecided))
    digests = {each.key: each.digest for each in server.compiled.operations if each.key != "GET /op1"}
    await registry.accept_operations("ann", server.record.id, digests)
    view = await registry.view_of_user("ann")
    for place in (None, server.record.id):
        assert {"op0", "op1", "op2"} & set(
            advertised(await registry.lists.advertise_document(view, place))
        ) == {
            "op0",
            "op2",
        }
    assert "op1" not in [tool.name for tool in SearchIndexes().find_tools(view, "op1")]


async def test_a_catalog_that_is_too_large_shows_pinned_tools_and_the_ways_to_the_others() -> None:
    """Models take 128 tools (ruling 13); the schemas of the others are not even made."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", many("op", 200), source_url=None)
    meta_tools = ["find_operations", "run_operation", "read_result"]
    first = await registry.lists.advertise_document(await registry.view_of_user("ann"), None)
    assert advertised(first) == meta_tools
    await registry.save_selection("ann", UserSelection(pinned=("op7", "gone", "op3")))
    pinned = await registry.lists.advertise_document(await registry.view_of_user("ann"), None)
    assert advertised(pinned) == ["op3", "op7", *meta_tools]
    assert pinned.etag != first.etag
    assert set(server.schemas) == {"GET /op3", "GET /op7"}
    await registry.save_selection("ann", UserSelection(max_tools=201))
    everything = await registry.lists.advertise_document(await registry.view_of_user("ann"), "op")
    assert advertised(everything)[-2:] == ["op199", "read_result"]


async def test_the_address_of_one_server_shows_its_tools_whatever_servers_were_chosen() -> None:
    """Who asks for one server has chosen it; the other choices hold there, too."""
    registry = RestartableRegistry().open()
    await registry.add_server("ann", many("a", 3), source_url=None)
    await registry.add_server("ann", many("b", 3), source_url=None)
    await registry.save_selection("ann", UserSelection(servers=("a",), names=("?1", "?2")))
    view = await registry.view_of_user("ann")
    assert advertised(await registry.lists.advertise_document(view, None)) == ["a1", "a2", "read_result"]
    assert advertised(await registry.lists.advertise_document(view, "b")) == ["b1", "b2", "read_result"]
    with pytest.raises(BridgeError):
        await registry.lists.advertise_document(view, "c")


async def test_a_token_budget_bounds_what_is_shown() -> None:
    """What a model pays for in every request is the user's choice, then the bridge's."""
    harness = RestartableRegistry()
    registry = harness.open(Selection(max_tokens=1_000))
    await registry.add_server("ann", many("op", 100), source_url=None)
    assert (
        len(advertised(await registry.lists.advertise_document(await registry.view_of_user("ann"), None)))
        == 3
    )
    await registry.save_selection("ann", UserSelection(max_tokens=100_000))
    assert (
        len(advertised(await registry.lists.advertise_document(await registry.view_of_user("ann"), None)))
        == 101
    )


async def test_a_document_that_cannot_be_described_any_more_keeps_its_tools_and_those_of_others() -> None:
    """Finding O-3: one that has become too slow to read took all others away, under a budget too."""
    harness = RestartableRegistry()
    registry = harness.open(Selection(max_tokens=10_000))
    await registry.add_server("ann", many("a", 3), source_url=None)
    slow = await registry.add_server("ann", many("b", 3), source_url=None)
    slow.record = replace(slow.record, text="{")
    view = await registry.view_of_user("ann")
    tools = advertised(await registry.lists.advertise_document(view, None))
    assert tools[:6] == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert advertised(await registry.lists.advertise_document(view, "a"))[:3] == ["a0", "a1", "a2"]


async def test_a_selection_is_each_users_own_and_survives_a_restart() -> None:
    """Also of a shared server; the page is told, because its list changes."""
    harness = RestartableRegistry()
    registry = harness.open()
    await registry.share_document("op.json", many("op", 4), source_url=None)
    await registry.save_selection("ann", UserSelection(names=("op1",)))
    assert harness.changes == [None, "ann"]
    again = harness.open()
    await again.share_document("op.json", many("op", 4), source_url=None)
    assert advertised(await again.lists.advertise_document(await again.view_of_user("ann"), None)) == [
        "op1",
        "read_result",
    ]
    assert len(advertised(await again.lists.advertise_document(await again.view_of_user("bob"), None))) == 5


async def test_only_what_was_chosen_is_found() -> None:
    """A user who hides a server from models hides it from their search."""
    registry = RestartableRegistry().open()
    await registry.add_server("ann", many("a", 3), source_url=None)
    await registry.add_server("ann", many("b", 3), source_url=None)
    await registry.save_selection("ann", UserSelection(servers=("b",)))
    view = await registry.view_of_user("ann")
    found = SearchIndexes().find_tools(view, "")
    assert [tool.name for tool in found if view.is_of_shown_server(tool)] == ["b0", "b1", "b2"]
