"""A document that is slow, or cannot be described, costs its own tools and nobody else's."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from bridge.catalog.registry import Registry
from bridge.errors import BridgeError, ErrorCode
from bridge.timings import USUAL_TIMINGS
from tests.support.documents.compiled import document_text
from tests.support.stores.memory_server_store import HeldCompiler, InlineCompiler
from tests.support.stores.registries import RestartableRegistry
from toolserver.json_types import JsonObject
from toolserver.tool.argument_schemas import ToolSchema
from toolserver.tool.compile import CompiledDocument
from toolserver.tool.selection import Selection

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


@dataclass
class TroubledCompiler(InlineCompiler):
    """Keeps schemas of some documents back until told, or fails at them."""

    slow: str = "Slow"
    """What the text of such a document holds."""
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    failures: list[str] = field(default_factory=list[str])
    """Codes of the next failures; after the last one it succeeds."""
    refuses_all: bool = False
    asked: list[str] = field(default_factory=list[str])
    """Why only types were wanted, each time that schemas of such a document were."""

    async def compile_document(
        self, text: str, *, source_url: str | None, base_url: str | None, overlays: Sequence[str] = ()
    ) -> CompiledDocument:
        if self.refuses_all and self.slow in text:
            raise BridgeError(ErrorCode.INVALID_DOCUMENT, "The document took longer than 60 s to read.")
        return await super().compile_document(
            text, source_url=source_url, base_url=base_url, overlays=overlays
        )

    async def compile_schemas(
        self, text: str, digest: str, keys: Sequence[str], *, bare: str = "", overlays: Sequence[str] = ()
    ) -> Mapping[str, ToolSchema]:
        if self.slow in text:
            self.asked.append(bare)
            await self.may_end.wait()
            if self.failures:
                detail = {"code": self.failures.pop(0)}
                raise BridgeError(ErrorCode.INVALID_DOCUMENT, "It died.", detail=detail)
        return await super().compile_schemas(text, digest, keys, bare=bare, overlays=overlays)


async def opened(
    compiler: TroubledCompiler,
    bounds: Selection = Selection(),  # noqa: B008 - it is immutable
) -> tuple[RestartableRegistry, Registry]:
    """A registry in which ann has a good document and a troubled one."""
    harness = RestartableRegistry(compiler=compiler)
    registry = harness.open(bounds)
    for title in ("Good", "Slow"):
        await registry.add_server("ann", text_of(title), source_url=None)
    harness.changes.clear()
    return harness, registry


def text_of(title: str) -> str:
    body: JsonObject = {"content": {"application/json": {"schema": {"properties": {"x": {"enum": ["v"]}}}}}}
    limit: JsonObject = {"name": "limit", "in": "query", "required": True, "schema": {"type": "integer"}}
    node: JsonObject = {
        "operationId": f"use{title}",
        "parameters": [limit],
        "requestBody": {**body, "required": True},
        "responses": {},
    }
    return document_text(title, paths={f"/{title}": {"post": node}})


async def advertised(registry: Registry, server_id: str | None = None) -> tuple[str, list[str]]:
    """The tag of a user's document, and the tools in it."""
    made = await registry.lists.advertise_document(await registry.view_of_user("ann"), server_id)
    return made.etag, [path.removeprefix("/tools/") for path in json.loads(made.body)["paths"]]


async def listed_for_mcp(registry: Registry) -> list[str]:
    tools = json.loads(await registry.lists.list_mcp_tools(await registry.view_of_user("ann"), None))
    return [tool["name"] for tool in tools]


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_list_of_all_servers_is_made_without_one_that_takes_long() -> None:
    """Finding O-3: one slow document took all of its user's tools away, at every request anew."""
    compiler = TroubledCompiler()
    harness, registry = await opened(compiler)
    started = now()
    tag, names = await advertised(registry)
    assert names[:1] == ["useGood"]
    assert "useSlow" not in names
    assert now() - started <= USUAL_TIMINGS.list_wait_s
    waited = now()
    assert "useGood" in await listed_for_mcp(registry)
    assert await advertised(registry) == (tag, names)
    assert now() - waited < 1  # who is late once is not waited for again
    assert compiler.asked == [""]
    with registry.changes.watch_user("ann") as changed:
        compiler.may_end.set()
        await asyncio.wait_for(changed.wait(), 5)
    assert harness.changes == ["ann"]
    later, all_names = await advertised(registry)
    assert later != tag
    assert {"useGood", "useSlow"} <= {*all_names, *await listed_for_mcp(registry)}
    assert "useSlow" in await listed_for_mcp(registry)


async def test_the_address_of_the_slow_server_waits_for_it() -> None:
    """Finding O-3: who asks for it alone gets it, and nothing less."""
    compiler = TroubledCompiler()
    _, registry = await opened(compiler)
    asking = asyncio.create_task(advertised(registry, "slow"))
    await asyncio.sleep(3 * USUAL_TIMINGS.list_wait_s)
    assert not asking.done()
    compiler.may_end.set()
    assert (await asking)[1][:1] == ["useSlow"]


async def test_a_budget_of_tokens_is_counted_without_the_slow_server() -> None:
    """Finding O-3: counting tokens needs schemas, too, before anything is offered."""
    _, registry = await opened(TroubledCompiler(), Selection(max_tokens=10_000))
    started = now()
    assert (await advertised(registry))[1][:1] == ["useGood"]
    assert now() - started <= USUAL_TIMINGS.list_wait_s + 1


async def test_a_late_server_of_everybody_changes_every_view() -> None:
    """Finding O-3: a document that an operator shares is late for all users."""
    compiler = TroubledCompiler()
    harness = RestartableRegistry(compiler=compiler)
    registry = harness.open()
    await registry.share_document("slow.json", text_of("Slow"), source_url=None)
    assert "useSlow" not in (await advertised(registry))[1]
    harness.changes.clear()
    compiler.may_end.set()
    await asyncio.sleep(1)
    assert harness.changes == [None]
    assert "useSlow" in (await advertised(registry))[1]


async def test_a_document_that_takes_too_long_is_told_by_types_and_not_tried_again() -> None:
    """Finding O-3: the minute was lost at every request, and the error did not name the document."""
    compiler = TroubledCompiler(failures=["too_slow"])
    compiler.may_end.set()
    _, registry = await opened(compiler)
    slow = (await registry.view_of_user("ann")).find_server("slow")
    schemas = await registry.load_schemas(slow, slow.by_key)
    assert json.loads(schemas["POST /Slow"])["properties"]["x"] == {"type": "string"}
    assert slow.trouble == "The arguments of the tools of 'Slow' cannot be described: It died."
    assert (
        slow.schema_warnings["POST /Slow"][0] == f"{slow.trouble} Only the types of its arguments are told."
    )
    assert compiler.asked == ["", slow.trouble]
    assert {"useGood", "useSlow"} <= set((await advertised(registry))[1])
    assert len(compiler.asked) == 2
    replaced = await registry.replace_document("ann", "slow", text_of("Slow"), None)
    assert replaced.trouble == ""
    schemas = await registry.load_schemas(replaced, replaced.by_key)
    assert "enum" in json.loads(schemas["POST /Slow"])["properties"]["x"]


async def test_a_process_that_died_is_given_a_second_chance() -> None:
    """Finding O-3: the operating system may have ended it for the memory of another."""
    compiler = TroubledCompiler(failures=["too_large"])
    compiler.may_end.set()
    _, registry = await opened(compiler)
    slow = (await registry.view_of_user("ann")).find_server("slow")
    schemas = await registry.load_schemas(slow, slow.by_key)
    assert "enum" in json.loads(schemas["POST /Slow"])["properties"]["x"]
    assert slow.trouble == ""


async def test_a_document_that_ends_every_process_is_told_by_names() -> None:
    """Finding O-3: its tools can still be called, and the API says what is wrong with a call."""
    compiler = TroubledCompiler(failures=["too_large", "too_large", "too_slow"])
    compiler.may_end.set()
    _, registry = await opened(compiler)
    slow = (await registry.view_of_user("ann")).find_server("slow")
    schema = json.loads((await registry.load_schemas(slow, slow.by_key))["POST /Slow"])
    assert list(schema["properties"]) == ["limit", "x"]
    assert schema["required"] == ["limit"]
    validator = await registry.compile_validator(slow, slow.by_key["POST /Slow"])
    validator.validate_arguments({"limit": 1, "x": "v"})
    assert slow.schema_warnings["POST /Slow"] == (
        f"{slow.trouble} Only the names of its arguments are told.",
    )


async def test_a_document_that_cannot_be_read_at_a_start_keeps_its_place() -> None:
    """Finding O-3: it vanished from the page, and could not even be removed there."""
    compiler = TroubledCompiler()
    harness, _ = await opened(compiler)
    compiler.refuses_all = True
    registry = harness.open()
    ((record, _),) = await registry.load_servers()
    assert record.id == "slow"
    view = await registry.view_of_user("ann")
    assert [tool.name for tool in view.catalog.tools] == ["useGood"]
    assert view.find_server("slow").compiled.warnings == (
        "This document could not be read, so none of its tools is offered: "
        "The document took longer than 60 s to read.",
    )
    await registry.remove_server("ann", "slow")
    assert [server.record.id for server in (await registry.view_of_user("ann")).servers] == ["good"]


async def test_nobody_waits_to_change_a_server_while_another_document_is_replaced() -> None:
    """Finding O-3: one lock for all users kept all changes waiting for one replaced document."""
    compiler = HeldCompiler("useSlow")
    registry = RestartableRegistry(compiler=compiler).open()
    for user_id, title in (("eve", "First"), ("ann", "Good")):
        await registry.add_server(user_id, text_of(title), source_url=None)
    slow = asyncio.create_task(registry.replace_document("eve", "first", text_of("Slow"), None))
    await asyncio.sleep(1)
    started = now()
    async with asyncio.timeout(5):
        await registry.change_server("ann", "good", base_url="https://api.example.net")
        await registry.replace_document("ann", "good", text_of("Better"), None)
        await registry.remove_server("ann", "good")
    assert now() - started < 1
    assert not slow.done()
    compiler.may_end.set()
    assert (await slow).compiled.title == "Slow"


async def test_changes_of_one_server_still_wait_for_each_other() -> None:
    """Finding O-3: each applies to what the one before it has stored, or the first would be undone."""
    compiler = HeldCompiler("useSlow")
    registry = RestartableRegistry(compiler=compiler).open()
    await registry.add_server("ann", text_of("First"), source_url=None)
    slow = asyncio.create_task(registry.replace_document("ann", "first", text_of("Slow"), None))
    await asyncio.sleep(1)
    moved = asyncio.create_task(registry.change_server("ann", "first", base_url="https://api.example.net"))
    await asyncio.sleep(1)
    assert not moved.done()
    compiler.may_end.set()
    await slow
    assert (await moved).compiled.title == "Slow"
