"""The registry: who sees which tools under which names, and what acceptance means."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from bridge.browser_protocol import MAX_ORIGINS
from bridge.catalog.server_view import LoadedServer, UserView
from bridge.errors import BridgeError, ErrorCode
from tests.support.documents.compiled import document_text, operation
from tests.support.stores.memory_server_store import MemoryServerStore
from tests.support.stores.registries import OPERATOR, RestartableRegistry
from tests.support.waiting import eventually
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject
from toolserver.tool.meta_tools import META_NAMES

pytestmark = pytest.mark.asyncio


def names(view: UserView) -> list[str]:
    return [tool.name for tool in view.catalog.tools]


def digests(server: LoadedServer, *keys: str) -> dict[str, str]:
    return {op.key: op.digest for op in server.compiled.operations if not keys or op.key in keys}


async def test_a_personal_document_is_seen_by_its_user_alone() -> None:
    """Two users of one bridge must not learn what APIs the other one has."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    assert names(await registry.view_of_user("ann")) == ["listProducts", "addProduct"]
    bob = await registry.view_of_user("bob")
    assert names(bob) == []
    with pytest.raises(BridgeError) as refused:
        bob.find_server(server.record.id)
    assert refused.value.error.code is ErrorCode.NOT_FOUND


async def test_a_shared_document_is_offered_to_every_user_and_accepted_by_each() -> None:
    """Acceptance is each user's own decision (ruling 26)."""
    registry = RestartableRegistry().open()
    server = await registry.share_document("shop.json", document_text(), source_url=None)
    await registry.accept_operations("ann", server.record.id, digests(server))
    ann, bob = await registry.view_of_user("ann"), await registry.view_of_user("bob")
    assert [ann.is_accepted(tool) for tool in ann.catalog.tools] == [True, True]
    assert [bob.is_accepted(tool) for tool in bob.catalog.tools] == [False, False]


async def test_the_first_holder_keeps_the_plain_name() -> None:
    """A new document must not take over the name that a running chat uses."""
    registry = RestartableRegistry().open()
    await registry.add_server(
        "ann", document_text("Alpha", paths={"/a": operation("search")}), source_url=None
    )
    await registry.add_server(
        "ann", document_text("Beta", paths={"/b": operation("search")}), source_url=None
    )
    assert names(await registry.view_of_user("ann")) == ["search", "beta__search"]


async def test_names_stay_when_the_first_holder_is_removed_and_after_a_restart() -> None:
    """A name never changes in mid-chat."""
    harness = RestartableRegistry()
    registry = harness.open()
    first = await registry.add_server(
        "ann", document_text("Alpha", paths={"/a": operation("search")}), source_url=None
    )
    await registry.add_server(
        "ann", document_text("Beta", paths={"/b": operation("search")}), source_url=None
    )
    await registry.view_of_user("ann")
    await registry.remove_server("ann", first.record.id)
    assert names(await registry.view_of_user("ann")) == ["beta__search"]
    again = harness.open()
    assert await again.load_servers() == []
    assert names(await again.view_of_user("ann")) == ["beta__search"]


async def test_a_shared_newcomer_does_not_take_a_users_own_name() -> None:
    """The operator shares a document whose tool is called like one that Ann already uses."""
    registry = RestartableRegistry().open()
    await registry.add_server(
        "ann", document_text("Mine", paths={"/a": operation("search")}), source_url=None
    )
    await registry.view_of_user("ann")
    await registry.share_document(
        "all.json", document_text("All", paths={"/b": operation("search")}), source_url=None
    )
    assert names(await registry.view_of_user("ann")) == ["all__search", "search"]
    assert names(await registry.view_of_user("bob")) == ["search"]


async def test_names_that_open_webui_uses_itself_get_the_prefix() -> None:
    """A tool called `fetch_url` would be taken for Open WebUI's own (ruling 13)."""
    registry = RestartableRegistry().open()
    await registry.add_server(
        "ann", document_text("Shop", paths={"/a": operation("fetch_url")}), source_url=None
    )
    assert names(await registry.view_of_user("ann")) == ["shop__fetch_url"]


@pytest.mark.parametrize("name", sorted(META_NAMES))
async def test_names_of_the_bridges_own_tools_get_the_prefix_in_every_scope(name: str) -> None:
    """Also where a name was given before it was reserved; the new one is kept then."""
    harness = RestartableRegistry()
    registry = harness.open()
    document = document_text("Shop", paths={"/a": operation(name)})
    await registry.share_document("shop.json", document, source_url=None)
    assert names(await registry.view_of_user("ann")) == [f"shop__{name}"]
    await registry.add_server("ann", document_text("Mine", paths={"/a": operation(name)}), source_url=None)
    harness.store.names["ann"] = {("mine", "GET /a"): name}
    again = harness.open()
    await again.load_servers()
    assert names(await again.view_of_user("ann")) == [f"mine__{name}"]
    assert harness.store.names["ann"] == {("mine", "GET /a"): f"mine__{name}"}


async def test_acceptance_survives_a_restart() -> None:
    """Users decide once."""
    harness = RestartableRegistry()
    registry = harness.open()
    server = await registry.add_server("ann", document_text(), source_url="http://h/spec.json")
    await registry.accept_operations("ann", server.record.id, digests(server, "GET /products"))
    again = harness.open()
    await again.load_servers()
    view = await again.view_of_user("ann")
    assert [view.is_accepted(tool) for tool in view.catalog.tools] == [True, False]
    assert view.accepted_origins() == ("http://api.example",)


async def test_what_the_user_was_not_shown_cannot_be_accepted() -> None:
    """The digest is what was on the screen; a document that changed meanwhile must be looked at again."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    with pytest.raises(BridgeError) as refused:
        await registry.accept_operations("ann", server.record.id, {"GET /products": "0" * 64})
    assert refused.value.error.code is ErrorCode.DOCUMENT_CHANGED
    with pytest.raises(BridgeError):
        await registry.accept_operations("ann", server.record.id, {"GET /nothing": "0" * 64})


async def test_a_changed_operation_pauses_and_the_others_go_on() -> None:
    """A vendor's update must not silently change what a call does (ruling 19)."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    await registry.accept_operations("ann", server.record.id, digests(server))
    changed = json.loads(document_text())
    changed["paths"]["/products"]["get"]["parameters"].append(
        {"name": "admin", "in": "query", "schema": {"type": "boolean"}}
    )
    await registry.replace_document("ann", server.record.id, json.dumps(changed), None)
    view = await registry.view_of_user("ann")
    assert {tool.name: view.is_accepted(tool) for tool in view.catalog.tools} == {
        "listProducts": False,
        "addProduct": True,
    }
    assert view.count_accepted(view.servers[0]) == (1, 1)


async def test_another_base_url_needs_acceptance_again() -> None:
    """Where requests go is the most important thing that was accepted."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    await registry.accept_operations("ann", server.record.id, digests(server))
    await registry.change_server("ann", server.record.id, base_url="http://elsewhere.example")
    view = await registry.view_of_user("ann")
    assert not any(view.is_accepted(tool) for tool in view.catalog.tools)
    assert view.servers[0].compiled.origins == ("http://elsewhere.example",)


async def test_only_the_operator_changes_a_shared_server() -> None:
    """One user must not redirect another user's calls."""
    registry = RestartableRegistry().open()
    server = await registry.share_document("shop.json", document_text(), source_url=None)
    for attempt in (
        registry.change_server("ann", server.record.id, base_url="http://evil.example"),
        registry.replace_document("ann", server.record.id, document_text("Evil"), None),
        registry.remove_server("ann", server.record.id),
    ):
        with pytest.raises(BridgeError) as refused:
            await attempt
        assert refused.value.error.code is ErrorCode.OPERATOR_ONLY
    with pytest.raises(BridgeError) as refused:
        await registry.remove_server(OPERATOR, server.record.id)
    assert refused.value.error.code is ErrorCode.INVALID_REQUEST
    changed = await registry.change_server(OPERATOR, server.record.id, inline_html=True)
    assert changed.record.inline_html


async def test_a_server_named_again_on_the_command_line_is_the_same_server() -> None:
    """Ids, names and acceptances of a shared document survive a restart, and it is there only when named."""
    harness = RestartableRegistry()
    registry = harness.open()
    first = await registry.share_document(
        "shop.json", document_text(), source_url="http://127.0.0.1:1/shop.json"
    )
    await registry.accept_operations("ann", first.record.id, digests(first))
    unnamed = harness.open()
    await unnamed.load_servers()
    assert names(await unnamed.view_of_user("ann")) == []
    again = harness.open()
    second = await again.share_document(
        "shop.json", document_text(), source_url="http://127.0.0.1:1/shop.json"
    )
    assert second.record.id == first.record.id
    view = await again.view_of_user("ann")
    assert all(view.is_accepted(tool) for tool in view.catalog.tools)


@pytest.mark.parametrize(
    ("server", "changed_server", "may"),
    [
        ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1", True),
        ("https://api.example/v1", "https://other.example/v1", False),
    ],
)
async def test_opening_the_page_accepts_anew_only_what_stays_on_this_machine(
    server: str, changed_server: str, may: bool
) -> None:
    """A remote document that changed must be looked at, even if the command line names it (ruling 19)."""
    registry = RestartableRegistry().open()
    first = await registry.share_document("s", document_text(server=server), source_url=None)
    assert (await registry.view_of_user(OPERATOR)).may_accept_on_open(first)
    assert not (await registry.view_of_user("ann")).may_accept_on_open(first)
    await registry.accept_operations(OPERATOR, first.record.id, digests(first))
    second = await registry.share_document("s", document_text(server=changed_server), source_url=None)
    assert (await registry.view_of_user(OPERATOR)).may_accept_on_open(second) is may


async def test_a_page_document_is_never_accepted_by_opening_the_page() -> None:
    """What a user adds is accepted where it is added."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(server="http://127.0.0.1:1"), source_url=None)
    assert not (await registry.view_of_user("ann")).may_accept_on_open(server)


async def test_a_broken_document_is_refused_and_a_broken_one_in_store_hides_no_other() -> None:
    """After an update of the bridge one stored document may not compile any more; the others must."""
    harness = RestartableRegistry()
    registry = harness.open()
    with pytest.raises(BridgeError) as refused:
        await registry.add_server("ann", "no document", source_url=None)
    assert refused.value.error.code is ErrorCode.INVALID_DOCUMENT
    await registry.add_server("ann", document_text("Good"), source_url=None)
    bad = await registry.add_server("ann", document_text("Bad"), source_url=None)

    assert await harness.store.save_server(replace(bad.record, text="{"), seen=bad.record)
    again = harness.open()
    assert [record.id for record, _ in await again.load_servers()] == ["bad"]
    assert names(await again.view_of_user("ann")) == ["listProducts", "addProduct"]


async def test_of_two_replicas_that_change_a_server_at_once_the_second_hears_of_the_first() -> None:
    """Its record is whole, and would undo the other change without anybody having seen it."""
    harness = RestartableRegistry()
    first = harness.open()
    server = await first.add_server("ann", document_text("Shop"), source_url=None)
    second = harness.open()
    await second.load_servers()
    await first.change_server("ann", server.record.id, base_url="http://127.0.0.1:1")
    with pytest.raises(BridgeError) as refused:
        await second.change_server("ann", server.record.id, idempotency_key=True)
    assert refused.value.error.code is ErrorCode.DOCUMENT_CHANGED
    assert refused.value.error.detail == {"server": server.record.id}
    [stored] = harness.store.records.values()
    assert (stored.base_url, stored.idempotency_key) == ("http://127.0.0.1:1", False)
    await second.adopt_record(stored)
    await second.change_server("ann", server.record.id, idempotency_key=True)
    [stored] = harness.store.records.values()
    assert (stored.base_url, stored.idempotency_key) == ("http://127.0.0.1:1", True)


async def test_ids_are_readable_and_unique() -> None:
    """The id stands in URLs that people copy into Open WebUI."""
    registry = RestartableRegistry().open()
    ids = [
        (await registry.add_server("ann", document_text(title), source_url=None)).record.id
        for title in ("Corner Shop!", "Corner shop", "日本")
    ]
    assert ids == ["corner-shop", "corner-shop-2", "server"]


async def test_pages_are_told_of_changes_that_concern_them() -> None:
    """A page refetches its servers when told, so it must be told, and only when it concerns it."""
    harness = RestartableRegistry()
    registry = harness.open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    await registry.accept_operations("ann", server.record.id, digests(server))
    await registry.share_document("all.json", document_text("All"), source_url=None)
    assert harness.changes == ["ann", "ann", None]
    assert harness.loaded == ["shop", "all"]


async def test_a_document_that_is_replaced_while_it_warms_up_is_validated_by_its_own_schema() -> None:
    """The validators of the old text must not end up in the new server."""
    registry = RestartableRegistry().open()
    old = await registry.add_server("ann", document_text(), source_url=None)
    newer = json.loads(document_text())
    newer["paths"]["/products"]["get"]["parameters"][0]["schema"] = {"type": "string"}
    new = await registry.replace_document("ann", old.record.id, json.dumps(newer), None)
    await registry.warm_validators(old)
    assert new.validators == {}
    (await registry.compile_validator(new, new.by_key["GET /products"])).validate_arguments({"limit": "many"})
    with pytest.raises(ArgumentError):
        old.validators["GET /products"].validate_arguments({"limit": "many"})


async def test_a_server_that_is_removed_while_it_warms_up_does_no_harm() -> None:
    """Warming is background work; it must not fail for what a user does meanwhile."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    await registry.remove_server("ann", server.record.id)
    await registry.warm_validators(server)


async def test_what_was_declined_stays_declined() -> None:
    """Nothing accepted after a decision is not the same as nothing decided yet, also after a restart."""
    harness = RestartableRegistry()
    registry = harness.open()
    server = await registry.share_document("s", document_text(server="https://api.example"), source_url=None)
    assert not (await registry.view_of_user(OPERATOR)).is_decided(server)
    await registry.accept_operations(OPERATOR, server.record.id, {})
    again = harness.open()
    server = await again.share_document("s", document_text(server="https://api.example"), source_url=None)
    view = await again.view_of_user(OPERATOR)
    assert view.is_decided(server)
    assert view.count_accepted(server) == (0, 0)
    assert not any(view.is_accepted(tool) for tool in view.catalog.tools)


async def test_a_caller_that_hangs_up_in_mid_change_leaves_nothing_half_done() -> None:
    """A withdrawal that reached the store must hold at once, whoever is still listening."""
    harness = RestartableRegistry()
    registry = harness.open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    await registry.accept_operations("ann", server.record.id, digests(server))
    written, go_on = asyncio.Event(), asyncio.Event()
    replace_acceptances = harness.store.replace_acceptances

    class SlowStore(MemoryServerStore):
        async def replace_acceptances(self, user_id: str, server_id: str, digests: Mapping[str, str]) -> None:
            await replace_acceptances(user_id, server_id, digests)
            written.set()
            await go_on.wait()

    slow = SlowStore(harness.store.records, harness.store.names, harness.store.accepted)
    harness.store = slow
    registry = harness.open()
    await registry.load_servers()
    assert (await registry.view_of_user("ann")).accepted_origins()
    change = asyncio.create_task(registry.accept_operations("ann", server.record.id, {}))
    await written.wait()
    change.cancel()
    with pytest.raises(asyncio.CancelledError):
        await change
    go_on.set()

    async def withdrawn() -> bool:
        return (await registry.view_of_user("ann")).accepted_origins() == ()

    await eventually(withdrawn)


async def test_a_setting_that_is_changed_while_the_document_is_refetched_is_kept() -> None:
    """The page refetches at its start; the user may be quick."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(), source_url=None)
    async with asyncio.TaskGroup() as group:
        group.create_task(registry.replace_document("ann", server.record.id, document_text("New"), None))
        group.create_task(registry.change_server("ann", server.record.id, base_url="http://my.lan"))
    record = (await registry.view_of_user("ann")).servers[0].record
    assert (record.title, record.base_url) == ("New", "http://my.lan")


async def test_two_documents_of_one_title_that_arrive_together_get_two_ids() -> None:
    """Neither may overwrite the other."""
    harness = RestartableRegistry()
    registry = harness.open()
    async with asyncio.TaskGroup() as group:
        group.create_task(registry.add_server("ann", document_text(), source_url=None))
        group.create_task(registry.share_document("s", document_text(), source_url=None))
        group.create_task(registry.add_server("bob", document_text(), source_url=None))
    assert len(harness.store.records) == 3


async def test_more_servers_than_a_page_can_be_allowed_to_reach_are_refused() -> None:
    """The page's content policy has to name each of them."""
    paths: JsonObject = {
        f"/{number}": {**operation(f"op{number}"), "servers": [{"url": f"http://h{number}.example"}]}
        for number in range(MAX_ORIGINS + 1)
    }
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", document_text(paths=paths), source_url=None)
    with pytest.raises(BridgeError) as refused:
        await registry.accept_operations("ann", server.record.id, digests(server))
    assert refused.value.error.code is ErrorCode.INVALID_REQUEST
    fewer = dict(list(digests(server).items())[:MAX_ORIGINS])
    await registry.accept_operations("ann", server.record.id, fewer)
