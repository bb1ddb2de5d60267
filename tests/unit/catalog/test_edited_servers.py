"""Servers whose documents are edited by overlays."""

import json

import pytest

from bridge.calls.request import ToolScope
from bridge.catalog.server_rights import check_edit
from bridge.catalog.server_view import LoadedServer, UserSelection, UserView
from bridge.errors import BridgeError, ErrorCode
from tests.support.documents.compiled import document_text, operation, overlay_text
from tests.support.stores.registries import OPERATOR, RestartableRegistry
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

SUMMARY: JsonObject = {"target": "$.paths['/a'].get", "update": {"summary": "Edited"}}
UNUSABLE: JsonObject = {"target": "$.paths", "update": []}


def text_of(*paths: str) -> str:
    return document_text("Shop", paths={path: operation(f"use{path[1:].upper()}") for path in paths})


def accepted_by(view: UserView) -> dict[str, bool]:
    return {tool.operation.key: view.is_accepted(tool) for tool in view.catalog.tools}


def digests(server: LoadedServer) -> dict[str, str]:
    return {op.key: op.digest for op in server.compiled.operations}


async def test_only_what_an_overlay_changes_has_to_be_accepted_again() -> None:
    """Ruling 52: what is accepted and pinned is the edited result, and the rest of the server stays."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", text_of("/a", "/b"), source_url=None)
    await registry.accept_operations("ann", server.record.id, digests(server))
    edited = await registry.change_server("ann", server.record.id, overlays=(overlay_text(SUMMARY),))
    assert edited.compiled.operations[0].summary == "Edited"
    assert accepted_by(await registry.view_of_user("ann")) == {"GET /a": False, "GET /b": True}
    await registry.change_server("ann", server.record.id, overlays=())
    assert accepted_by(await registry.view_of_user("ann")) == {"GET /a": True, "GET /b": True}


async def test_overlays_that_cannot_be_applied_leave_everything_as_it_was() -> None:
    """Ruling 52: the result accepted last stays, with the overlays that made it."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", text_of("/a"), source_url=None)
    edited = await registry.change_server("ann", server.record.id, overlays=(overlay_text(SUMMARY),))
    with pytest.raises(BridgeError) as refused:
        await registry.change_server("ann", server.record.id, overlays=(overlay_text(UNUSABLE),))
    assert refused.value.error.code is ErrorCode.INVALID_DOCUMENT
    assert (await registry.view_of_user("ann")).find_server(server.record.id) is edited


async def test_a_newer_document_gets_its_overlays_again() -> None:
    """Ruling 52: a refetch must not undo what its owner had edited."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", text_of("/a"), source_url=None)
    await registry.change_server("ann", server.record.id, overlays=(overlay_text(SUMMARY),))
    newer = await registry.replace_document("ann", server.record.id, text_of("/a", "/b"), None)
    assert [op.summary for op in newer.compiled.operations] == ["Edited", ""]
    without_paths = json.dumps(
        {"openapi": "3.1.0", "info": {"title": "Shop", "version": "2"}, "paths": "none"}
    )
    strict = overlay_text({"target": "$.paths", "update": {}})
    await registry.change_server("ann", server.record.id, overlays=(strict,))
    with pytest.raises(BridgeError):
        await registry.replace_document("ann", server.record.id, without_paths, None)
    view = await registry.view_of_user("ann")
    assert len(view.find_server(server.record.id).compiled.operations) == 2


async def test_an_action_that_lost_its_target_marks_its_operations_as_changed() -> None:
    """Ruling 52: a guard that an edit had put in front of a tool is gone, and its user has to know."""
    described = json.loads(text_of("/a", "/b"))
    described["paths"]["/a"]["get"]["x-note"] = {"kind": "guarded"}
    guard = overlay_text({"target": "$.paths['/a'].get[?@.kind == 'guarded']", "update": {"more": 1}})
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", json.dumps(described), source_url=None)
    edited = await registry.change_server("ann", server.record.id, overlays=(guard,))
    await registry.accept_operations("ann", server.record.id, digests(edited))
    newer = await registry.replace_document("ann", server.record.id, text_of("/a", "/b"), None)
    assert accepted_by(await registry.view_of_user("ann")) == {"GET /a": False, "GET /b": True}
    (told,) = newer.by_key["GET /a"].warnings
    assert told.startswith("Action 1 of the overlay 'Edits' changes nothing: nothing is at")
    assert told in newer.compiled.warnings
    assert newer.by_key["GET /b"].warnings == ()


async def test_overlays_of_the_command_line_come_with_each_start() -> None:
    """They are the operator's files: a start without them offers the document without them."""
    harness = RestartableRegistry()
    registry = harness.open()
    overlays = [overlay_text(SUMMARY)]
    edited = await registry.share_document("shop", text_of("/a"), source_url=None, overlays=overlays)
    assert edited.compiled.operations[0].summary == "Edited"
    assert edited.record.overlays == tuple(overlays)
    restarted = harness.open()
    plain = await restarted.share_document("shop", text_of("/a"), source_url=None)
    assert (plain.record.id, plain.record.overlays) == (edited.record.id, ())
    assert plain.compiled.operations[0].summary == ""


async def test_a_restart_brings_edited_servers_back_as_they_were() -> None:
    """Names and acceptances are those of the edited operations."""
    harness = RestartableRegistry()
    registry = harness.open()
    server = await registry.add_server("ann", text_of("/a"), source_url=None)
    edited = await registry.change_server("ann", server.record.id, overlays=(overlay_text(SUMMARY),))
    await registry.accept_operations("ann", server.record.id, digests(edited))
    restarted = harness.open()
    assert await restarted.load_servers() == []
    assert accepted_by(await restarted.view_of_user("ann")) == {"GET /a": True}


async def test_only_the_owner_of_a_server_may_edit_it() -> None:
    """Ruling 52: not even an operator, who may change its other settings."""
    registry = RestartableRegistry().open()
    hers = (await registry.add_server("ann", text_of("/a"), source_url=None)).record
    named = (await registry.share_document("shop", text_of("/a"), source_url=None)).record
    check_edit(hers, "ann")
    codes: list[ErrorCode] = []
    for record, user_id in ((hers, OPERATOR), (named, OPERATOR), (named, "ann")):
        with pytest.raises(BridgeError) as refused:
            check_edit(record, user_id)
        codes.append(refused.value.error.code)
    assert codes == [ErrorCode.OPERATOR_ONLY, ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_REQUEST]


def renaming(path: str, name: str) -> str:
    return overlay_text({"target": f"$.paths['{path}'].get", "update": {"x-tool-bridge": {"name": name}}})


async def test_a_renamed_tool_is_called_by_its_new_name_and_by_those_it_had() -> None:
    """Issue 41: chats that run, and programs that know the old name, go on."""
    harness = RestartableRegistry()
    registry = harness.open()
    server = await registry.add_server("ann", text_of("/a", "/b"), source_url=None)
    before = await registry.view_of_user("ann")
    assert [tool.name for tool in before.catalog.tools] == ["useA", "useB"]
    for name in ("first", "second"):
        await registry.change_server("ann", server.record.id, overlays=(renaming("/a", name),))
        view = await registry.view_of_user("ann")
        assert [tool.name for tool in view.catalog.tools] == [name, "useB"]
    for again in (registry, harness.open()):
        await again.load_servers()
        catalog = (await again.view_of_user("ann")).catalog
        called = {name: catalog.by_name(name) for name in ("second", "first", "useA")}
        assert {name: tool and tool.operation.key for name, tool in called.items()} == dict.fromkeys(
            called, "GET /a"
        )
        assert {tool.name for tool in called.values() if tool} == {"second"}
    await registry.change_server("ann", server.record.id, overlays=())
    catalog = (await registry.view_of_user("ann")).catalog
    assert [tool.name for tool in catalog.tools] == ["useA", "useB"]
    assert catalog.by_name("second") is catalog.by_name("useA")


async def test_a_chosen_name_takes_none_that_another_tool_has_or_had() -> None:
    """A name never changes its meaning, even where an edit wants it."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", text_of("/a", "/b"), source_url=None)
    await registry.view_of_user("ann")
    await registry.change_server("ann", server.record.id, overlays=(renaming("/a", "useB"),))
    view = await registry.view_of_user("ann")
    assert [tool.name for tool in view.catalog.tools] == ["shop__useB", "useB"]
    await registry.change_server("ann", server.record.id, overlays=(renaming("/a", "first"),))
    other = await registry.add_server(
        "ann", document_text("Other", paths={"/x": operation("useA")}), source_url=None
    )
    view = await registry.view_of_user("ann")
    assert [tool.name for tool in view.catalog.of_server(other.record.id)] == ["other__useA"]
    old = view.catalog.by_name("useA")
    assert old
    assert (old.name, old.operation.key) == ("first", "GET /a")


async def test_pins_and_patterns_with_an_old_name_still_choose_a_renamed_tool() -> None:
    """Issue 41: who has pinned a tool does not lose it because another user improved its name."""
    registry = RestartableRegistry().open()
    server = await registry.add_server("ann", text_of("/a", "/b"), source_url=None)
    await registry.view_of_user("ann")
    await registry.change_server("ann", server.record.id, overlays=(renaming("/a", "first"),))
    for chosen in (UserSelection(names=("useA*",)), UserSelection(servers=("none",), pinned=("useA",))):
        await registry.save_selection("ann", chosen)
        view = await registry.view_of_user("ann")
        offered = await registry.lists.offer_tools(view, None)
        assert [tool.name for tool in offered.reachable] == ["first"]
    (renamed,) = offered.reachable
    assert ToolScope(names=frozenset(["useA"])).includes(renamed)
    assert not ToolScope(names=frozenset(["useB"])).includes(renamed)
