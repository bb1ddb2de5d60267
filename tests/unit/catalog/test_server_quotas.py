"""How many servers, operations and characters of documents one user may add; what is there stays."""

import asyncio

import pytest

from bridge.catalog.registry import Registry
from bridge.errors import BridgeError, ErrorCode
from bridge.settings.quotas import QuotaSettings
from tests.support.documents.compiled import document_text, operation
from tests.support.stores.registries import RestartableRegistry
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

MIB = 1024**2


def text_of(title: str, operations: int = 1, filler: int = 0) -> str:
    paths: JsonObject = {f"/{title}/{number}": operation(f"{title}{number}") for number in range(operations)}
    return document_text(title, paths=paths) + " " * filler


async def refusal_of(registry: Registry, user_id: str, text: str, replaces: str | None = None) -> str:
    """The setting that an added or replaced document meets; "": none."""
    try:
        if replaces is None:
            await registry.add_server(user_id, text, source_url=None)
        else:
            await registry.replace_document(user_id, replaces, text, None)
    except BridgeError as refused:
        error = refused.error
    else:
        return ""
    assert error.code is ErrorCode.QUOTA_EXCEEDED
    assert "Remove a server first" in error.message
    assert error.detail["setting"] in error.message
    return error.detail["setting"]


async def ids_of(registry: Registry, user_id: str) -> list[str]:
    return [server.record.id for server in (await registry.view_of_user(user_id)).servers]


async def test_one_user_may_add_so_many_servers_and_others_are_not_counted() -> None:
    """Finding S-L10: 8 documents took 211 MiB and made a start twice as long, and there was no end."""
    registry = RestartableRegistry().open(quotas=QuotaSettings(servers=2))
    for title in ("one", "two"):
        assert await refusal_of(registry, "eve", text_of(title)) == ""
    assert await refusal_of(registry, "eve", text_of("three")) == "TOOL_BRIDGE_SERVERS_PER_USER"
    assert await refusal_of(registry, "ann", text_of("ours")) == ""
    await registry.share_document("x.json", text_of("operators"), source_url=None)
    await registry.remove_server("eve", "one")
    assert await refusal_of(registry, "eve", text_of("three")) == ""
    assert await ids_of(registry, "eve") == ["operators", "two", "three"]


async def test_documents_that_come_at_once_are_counted_together() -> None:
    """Finding S-L10: each is compiled before it is added, and none of them knows of the others until then."""
    registry = RestartableRegistry().open(quotas=QuotaSettings(servers=2))
    adding = (refusal_of(registry, "eve", text_of(f"api{number}")) for number in range(6))
    refused = await asyncio.gather(*adding)
    assert sorted(refused) == ["", "", *["TOOL_BRIDGE_SERVERS_PER_USER"] * 4]


async def test_operations_of_all_servers_are_counted_and_of_replaced_ones_once() -> None:
    """Finding S-L10: a document that becomes larger is one that is added."""
    registry = RestartableRegistry().open(quotas=QuotaSettings(operations=5))
    assert await refusal_of(registry, "eve", text_of("one", 3)) == ""
    assert await refusal_of(registry, "eve", text_of("two", 3)) == "TOOL_BRIDGE_OPERATIONS_PER_USER"
    assert await refusal_of(registry, "eve", text_of("two", 2)) == ""
    assert (
        await refusal_of(registry, "eve", text_of("one", 4), replaces="one")
        == "TOOL_BRIDGE_OPERATIONS_PER_USER"
    )
    assert await refusal_of(registry, "eve", text_of("one", 2), replaces="one") == ""
    assert await refusal_of(registry, "eve", text_of("one", 3), replaces="one") == ""


async def test_characters_of_documents_are_counted_before_anything_is_compiled() -> None:
    """Finding S-L10: compiling it is what costs everybody."""
    registry = RestartableRegistry().open(quotas=QuotaSettings(document_chars=MIB))
    assert await refusal_of(registry, "eve", text_of("one", filler=MIB // 2)) == ""
    assert (
        await refusal_of(registry, "eve", "{" + " " * (MIB // 2))
        == "TOOL_BRIDGE_DOCUMENT_CHARACTERS_PER_USER"
    )
    assert await refusal_of(registry, "eve", text_of("one", filler=MIB), replaces="one") != ""


async def test_what_is_there_beyond_a_quota_stays_works_and_may_be_changed() -> None:
    """Finding S-L10: an update, or a lower number, takes nothing from anybody."""
    harness = RestartableRegistry()
    before = harness.open()
    for title in ("one", "two", "three"):
        await before.add_server("ann", text_of(title, 3), source_url=None)
    registry = harness.open(quotas=QuotaSettings(servers=1, operations=1))
    assert await registry.load_servers() == []
    assert await ids_of(registry, "ann") == ["one", "two", "three"]
    assert len((await registry.view_of_user("ann")).catalog.tools) == 9
    moved = await registry.change_server("ann", "one", base_url="https://api.example.net")
    assert moved.compiled.base_url == "https://api.example.net"
    assert await refusal_of(registry, "ann", text_of("one", 2), replaces="one") == ""
    assert await refusal_of(registry, "ann", text_of("four")) == "TOOL_BRIDGE_SERVERS_PER_USER"
