"""The registry: who sees which tools under which names, and what acceptance means."""

import json
from dataclasses import dataclass, field, replace

import pytest

from bridge.registry import Registry
from bridge.servers import LoadedServer, UserView
from bridge.wire import BridgeError, ErrorCode
from tests.support.compiled import document_text, operation
from tests.support.memory_store import InlineCompiler, MemoryStore

pytestmark = pytest.mark.asyncio

OPERATOR = "operator"


@dataclass
class House:
    """A registry over a store that can be opened again, as after a restart."""

    store: MemoryStore = field(default_factory=MemoryStore)
    changes: list[str | None] = field(default_factory=list[str | None])
    loaded: list[str] = field(default_factory=list[str])

    def open(self) -> Registry:
        async def on_change(user_id: str | None) -> None:
            self.changes.append(user_id)

        def on_load(server: LoadedServer) -> None:
            self.loaded.append(server.record.id)

        return Registry(
            self.store, InlineCompiler(), operator_id=OPERATOR, on_change=on_change, on_load=on_load
        )


def names(view: UserView) -> list[str]:
    return [tool.name for tool in view.catalog.tools]


def digests(server: LoadedServer, *keys: str) -> dict[str, str]:
    return {op.key: op.digest for op in server.compiled.operations if not keys or op.key in keys}


async def test_a_personal_document_is_seen_by_its_user_alone() -> None:
    """Two users of one bridge must not learn what APIs the other one has."""
    registry = House().open()
    server = await registry.add("ann", document_text(), source_url=None)
    assert names(await registry.view("ann")) == ["listProducts", "addProduct"]
    bob = await registry.view("bob")
    assert names(bob) == []
    with pytest.raises(BridgeError) as refused:
        bob.server(server.record.id)
    assert refused.value.error.code is ErrorCode.NOT_FOUND


async def test_a_shared_document_is_offered_to_every_user_and_accepted_by_each() -> None:
    """Acceptance is each user's own decision (ruling 26)."""
    registry = House().open()
    server = await registry.share("shop.json", document_text(), source_url=None)
    await registry.accept("ann", server.record.id, digests(server))
    ann, bob = await registry.view("ann"), await registry.view("bob")
    assert [ann.is_accepted(tool) for tool in ann.catalog.tools] == [True, True]
    assert [bob.is_accepted(tool) for tool in bob.catalog.tools] == [False, False]


async def test_the_first_holder_keeps_the_plain_name() -> None:
    """A new document must not take over the name that a running chat uses (DESIGN §3)."""
    registry = House().open()
    await registry.add("ann", document_text("Alpha", paths={"/a": operation("search")}), source_url=None)
    await registry.add("ann", document_text("Beta", paths={"/b": operation("search")}), source_url=None)
    assert names(await registry.view("ann")) == ["search", "beta_search"]


async def test_names_stay_when_the_first_holder_is_removed_and_after_a_restart() -> None:
    """A name never changes in mid-chat."""
    house = House()
    registry = house.open()
    first = await registry.add(
        "ann", document_text("Alpha", paths={"/a": operation("search")}), source_url=None
    )
    await registry.add("ann", document_text("Beta", paths={"/b": operation("search")}), source_url=None)
    await registry.view("ann")
    await registry.remove("ann", first.record.id)
    assert names(await registry.view("ann")) == ["beta_search"]
    again = house.open()
    assert await again.load() == []
    assert names(await again.view("ann")) == ["beta_search"]


async def test_a_shared_newcomer_does_not_take_a_users_own_name() -> None:
    """The operator shares a document whose tool is called like one that Ann already uses."""
    registry = House().open()
    await registry.add("ann", document_text("Mine", paths={"/a": operation("search")}), source_url=None)
    await registry.view("ann")
    await registry.share("all.json", document_text("All", paths={"/b": operation("search")}), source_url=None)
    assert names(await registry.view("ann")) == ["all_search", "search"]
    assert names(await registry.view("bob")) == ["search"]


async def test_names_that_open_webui_uses_itself_get_the_prefix() -> None:
    """A tool called `fetch_url` would be taken for Open WebUI's own (ruling 13)."""
    registry = House().open()
    await registry.add("ann", document_text("Shop", paths={"/a": operation("fetch_url")}), source_url=None)
    assert names(await registry.view("ann")) == ["shop_fetch_url"]


async def test_acceptance_survives_a_restart() -> None:
    """Users decide once."""
    house = House()
    registry = house.open()
    server = await registry.add("ann", document_text(), source_url="http://h/spec.json")
    await registry.accept("ann", server.record.id, digests(server, "GET /products"))
    again = house.open()
    await again.load()
    view = await again.view("ann")
    assert [view.is_accepted(tool) for tool in view.catalog.tools] == [True, False]
    assert view.accepted_origins() == ("http://api.example",)


async def test_what_the_user_was_not_shown_cannot_be_accepted() -> None:
    """The digest is what was on the screen; a document that changed meanwhile must be looked at again."""
    registry = House().open()
    server = await registry.add("ann", document_text(), source_url=None)
    with pytest.raises(BridgeError) as refused:
        await registry.accept("ann", server.record.id, {"GET /products": "0" * 64})
    assert refused.value.error.code is ErrorCode.DOCUMENT_CHANGED
    with pytest.raises(BridgeError):
        await registry.accept("ann", server.record.id, {"GET /nothing": "0" * 64})


async def test_a_changed_operation_pauses_and_the_others_go_on() -> None:
    """A vendor's update must not silently change what a call does (ruling 19)."""
    registry = House().open()
    server = await registry.add("ann", document_text(), source_url=None)
    await registry.accept("ann", server.record.id, digests(server))
    changed = json.loads(document_text())
    changed["paths"]["/products"]["get"]["parameters"].append(
        {"name": "admin", "in": "query", "schema": {"type": "boolean"}}
    )
    await registry.replace_document("ann", server.record.id, json.dumps(changed), None)
    view = await registry.view("ann")
    assert {tool.name: view.is_accepted(tool) for tool in view.catalog.tools} == {
        "listProducts": False,
        "addProduct": True,
    }
    assert view.acceptance(view.servers[0]) == (1, 1)


async def test_another_base_url_needs_acceptance_again() -> None:
    """Where requests go is the most important thing that was accepted."""
    registry = House().open()
    server = await registry.add("ann", document_text(), source_url=None)
    await registry.accept("ann", server.record.id, digests(server))
    await registry.change("ann", server.record.id, base_url="http://elsewhere.example")
    view = await registry.view("ann")
    assert not any(view.is_accepted(tool) for tool in view.catalog.tools)
    assert view.servers[0].compiled.origins == ("http://elsewhere.example",)


async def test_only_the_operator_changes_a_shared_server() -> None:
    """One user must not redirect another user's calls."""
    registry = House().open()
    server = await registry.share("shop.json", document_text(), source_url=None)
    for attempt in (
        registry.change("ann", server.record.id, base_url="http://evil.example"),
        registry.replace_document("ann", server.record.id, document_text("Evil"), None),
        registry.remove("ann", server.record.id),
        registry.remove(OPERATOR, server.record.id),
    ):
        with pytest.raises(BridgeError) as refused:
            await attempt
        assert refused.value.error.code is ErrorCode.INVALID_REQUEST
    changed = await registry.change(OPERATOR, server.record.id, inline_html=True)
    assert changed.record.inline_html


async def test_a_server_named_again_on_the_command_line_is_the_same_server() -> None:
    """Ids, names and acceptances of a shared document survive a restart, and it is there only when named."""
    house = House()
    registry = house.open()
    first = await registry.share("shop.json", document_text(), source_url="http://127.0.0.1:1/shop.json")
    await registry.accept("ann", first.record.id, digests(first))
    unnamed = house.open()
    await unnamed.load()
    assert names(await unnamed.view("ann")) == []
    again = house.open()
    second = await again.share("shop.json", document_text(), source_url="http://127.0.0.1:1/shop.json")
    assert second.record.id == first.record.id
    view = await again.view("ann")
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
    registry = House().open()
    first = await registry.share("s", document_text(server=server), source_url=None)
    assert (await registry.view("ann")).may_accept_on_open(first)
    await registry.accept("ann", first.record.id, digests(first))
    second = await registry.share("s", document_text(server=changed_server), source_url=None)
    assert (await registry.view("ann")).may_accept_on_open(second) is may


async def test_a_page_document_is_never_accepted_by_opening_the_page() -> None:
    """What a user adds is accepted where it is added."""
    registry = House().open()
    server = await registry.add("ann", document_text(server="http://127.0.0.1:1"), source_url=None)
    assert not (await registry.view("ann")).may_accept_on_open(server)


async def test_a_broken_document_is_refused_and_a_broken_one_in_store_hides_no_other() -> None:
    """After an update of the bridge one stored document may not compile any more; the others must."""
    house = House()
    registry = house.open()
    with pytest.raises(BridgeError) as refused:
        await registry.add("ann", "no document", source_url=None)
    assert refused.value.error.code is ErrorCode.INVALID_DOCUMENT
    await registry.add("ann", document_text("Good"), source_url=None)
    bad = await registry.add("ann", document_text("Bad"), source_url=None)

    await house.store.save_server(replace(bad.record, text="{"))
    again = house.open()
    assert [record.id for record, _ in await again.load()] == ["bad"]
    assert names(await again.view("ann")) == ["listProducts", "addProduct"]


async def test_the_advertised_document_has_a_stable_tag_until_something_changes() -> None:
    """Open WebUI asks for the document at every chat message; an unchanged one costs it nothing."""
    registry = House().open()
    await registry.add("ann", document_text("Alpha"), source_url=None)
    document = await registry.document(await registry.view("ann"), None)
    assert await registry.document(await registry.view("ann"), None) is document
    await registry.add("ann", document_text("Beta"), source_url=None)
    view = await registry.view("ann")
    assert (await registry.document(view, None)).etag != document.etag
    paths = json.loads((await registry.document(view, "beta")).body)["paths"]
    assert list(paths) == ["/tools/beta_listProducts", "/tools/beta_addProduct"]


async def test_ids_are_readable_and_unique() -> None:
    """The id stands in URLs that people copy into Open WebUI."""
    registry = House().open()
    ids = [
        (await registry.add("ann", document_text(title), source_url=None)).record.id
        for title in ("Corner Shop!", "Corner shop", "日本")
    ]
    assert ids == ["corner-shop", "corner-shop-2", "server"]


async def test_pages_are_told_of_changes_that_concern_them() -> None:
    """A page refetches its servers when told, so it must be told, and only when it concerns it."""
    house = House()
    registry = house.open()
    server = await registry.add("ann", document_text(), source_url=None)
    await registry.accept("ann", server.record.id, digests(server))
    await registry.share("all.json", document_text("All"), source_url=None)
    assert house.changes == ["ann", "ann", None]
    assert house.loaded == ["shop", "all"]
