"""Calls of every ending, and what their users said of them."""

import asyncio
from typing import Any

from tests.support.running_bridge import json_answer
from tests.support.waiting import eventually
from tests.upgrade.making.people import FORWARDED, SHED, Cast
from tests.upgrade.making.played_page import LONG_TEXT, PlayedPage
from tests.upgrade.program import Program

Json = dict[str, Any]

SHORT = {"X-Tool-Deadline": "1"}
CHAT = {"X-OpenWebUI-Chat-Id": "chat-of-ann"}


async def names_of(program: Program) -> dict[str, str]:
    """Server and operation, to the name of the tool."""
    tools = (await program.get("/api/tools?schemas=no"))["tools"]
    return {f"{tool['server_id']} {tool['key']}": tool["name"] for tool in tools}


async def call_everything(cast: Cast) -> Json:
    """Ann's calls end in every way; gives what a test asks for later."""
    ann, page = cast.program("ann"), cast.pages["ann"]
    names = await names_of(ann)
    listing, adding = names["corner-shop GET /products"], names["corner-shop POST /products"]
    removing = names["corner-shop DELETE /products/{number}"]
    assert (await ann.call(listing, {"limit": 5}))[0] == 200
    await _decided(page, ann, adding, {"name": "tea", "api_key": "never kept"}, "always", 200)
    assert (await ann.call(adding, {"name": "broken"}))[0] == 502
    await _decided(page, ann, removing, {"number": 1}, "denied", 403)
    await _decided(page, ann, removing, {"number": 2}, "once", 200)
    await _decided(page, ann, removing, {"number": 3}, "timed", 200)
    renaming = names["corner-shop PUT /products/{number}"]
    await _decided(page, ann, renaming, {"number": 4, "name": "mug"}, "chat", 200, **CHAT)
    await _cancelled(page, ann, names[f"{SHED} POST /tools"])
    await _expired(page, ann, listing)
    late = await _late(page, ann, adding)
    long = await _long(ann, listing)
    await _forwarded(cast)
    return {"late": late, "long": long, "adding": adding, "listing": listing, "removing": removing,
            "renaming": renaming}  # fmt: skip


async def leave_open(cast: Cast, adding: str) -> tuple["asyncio.Task[tuple[int, Any]]", str]:
    """A call that may change something and is under way; its task and its id."""
    running = asyncio.create_task(cast.program("ann").call(adding, {"name": "silent"}))
    return running, await cast.pages["ann"].asked(adding)


async def _decided(
    page: PlayedPage, program: Program, tool: str, arguments: Json, decision: str, status: int, **headers: str
) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(program.call(tool, arguments, **headers))
        await page.decide(tool, decision)
    assert running.result()[0] == status, running.result()


async def _cancelled(page: PlayedPage, program: Program, tool: str) -> None:
    async with asyncio.TaskGroup() as group:
        running = group.create_task(program.call(tool, {"name": "ladder"}))
        call_id = await page.asked(tool)
        page.reported.add(call_id)
        assert (await program.ask("POST", f"/api/calls/{call_id}/cancel"))[0] == 200
    assert running.result()[1]["error"]["code"] == "cancelled", running.result()


async def _expired(page: PlayedPage, program: Program, tool: str) -> None:
    assert (await program.call(tool, {"limit": 1}, **SHORT))[0] == 504
    page.reported.add(await page.asked(tool))


async def _late(page: PlayedPage, program: Program, tool: str) -> str:
    """The call whose result came after its end."""
    status, answer = await program.call(tool, {"name": "silent"}, **SHORT)
    assert (status, answer["error"]["code"]) == (409, "outcome_unknown")
    call_id = await page.asked(tool)
    await page.report(call_id, json_answer({"id": 7}, 201))

    async def noted() -> Any:
        return (await program.get(f"/api/calls/{call_id}"))["late"]

    await eventually(noted)
    return call_id


async def _long(program: Program, tool: str) -> Json:
    """The call whose answer is kept as a file, because it is longer than a caller reads."""
    status, answer = await program.call(tool, {"limit": 99})
    assert (status, LONG_TEXT.startswith(answer["text"])) == (200, True)
    return {"call_id": answer["call_id"], "next_offset": answer["next_offset"], "whole": LONG_TEXT}


async def _forwarded(cast: Cast) -> None:
    """The forwarded user wants to be asked about every call, and allows one for always."""
    tools = (await cast.program("ada").get("/api/tools?schemas=no"))["tools"]
    [listing] = [tool["name"] for tool in tools if tool["key"] == "GET /products"]
    await _decided(cast.pages[FORWARDED], cast.program("open webui"), listing, {"limit": 3}, "always", 200)
