"""Calls that may become tasks, and end as nobody expects: their clients hear that, and nothing is left."""

import asyncio

import pytest

from bridge.auth.identity import Caller
from bridge.endpoints.mcp.content import JsonResult
from bridge.endpoints.mcp.progress import CallProgress
from bridge.endpoints.mcp.protocol import RpcError
from bridge.endpoints.mcp.task_runs import TaskRun
from bridge.storage.users import User

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


def task_run(ended: list[bool]) -> TaskRun:
    """Of a client that has its handle; `ended` gets whether it heard of the end."""

    def note_delivery(*, heard: bool) -> None:
        ended.append(heard)

    run = TaskRun(Caller(User("u1", "ann"), None), CallProgress(None), note_delivery)
    run.mark_answered()
    return run


async def broken() -> JsonResult:
    await asyncio.sleep(1)
    raise TypeError("a bug")


async def refused() -> JsonResult:
    raise RpcError(-32602, "No such tool.")


async def test_a_client_hears_of_a_call_that_failed_by_a_bug() -> None:
    """Finding R-1: it waits for the call's end or its handle, and neither would come."""
    run = task_run(ended := list[bool]())
    running = asyncio.create_task(run.run(broken()))
    await asyncio.wait_for(run.wait_for_task(5), 4)
    assert isinstance(run.outcome, dict)
    assert run.outcome["isError"]
    assert "internal" in str(run.outcome["content"])
    assert ended == [True]
    with pytest.raises(TypeError):
        await running


async def test_a_client_hears_of_a_call_whose_task_was_cancelled() -> None:
    """Finding R-1: as when the bridge stops; whoever counts what was heard is told, too."""
    run = task_run(ended := list[bool]())
    running = asyncio.create_task(run.run(broken()))
    await asyncio.sleep(0.5)
    running.cancel()
    await asyncio.wait_for(run.wait_for_task(5), 4)
    assert ended == [True]
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_refusal_stays_what_it_is() -> None:
    """Finding R-1: only what has no other outcome is a bug."""
    run = task_run([])
    await run.run(refused())
    assert isinstance(run.outcome, RpcError)
