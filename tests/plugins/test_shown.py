"""An answer as Open WebUI's items, whatever happens on the way."""

from collections.abc import AsyncGenerator
from typing import Any, cast

import pytest

from plugins.open_webui.source.answer import Answer
from plugins.open_webui.source.shown import as_items

pytestmark = pytest.mark.asyncio

CALL = {"type": "function_call", "call_id": "c1", "name": "get", "arguments": "{}", "status": "completed"}


class Broken:
    """An answer that fails in an unforeseen way while a call runs."""

    names_handed_over: frozenset[str] = frozenset()

    async def events(self) -> AsyncGenerator[dict[str, Any]]:
        yield {"type": "response.begun"}
        yield {"type": "response.output_item.added", "output_index": 0, "item": CALL}
        yield {"type": "response.output_item.done", "output_index": 0, "item": CALL}
        raise LookupError("a bug")


async def test_a_bug_leaves_no_call_to_be_run() -> None:
    """S2-06, W-18: Open WebUI runs every call that has no output when the stream ends."""
    seen: list[dict[str, Any]] = []

    async def read() -> None:
        async for event in as_items(cast(Answer, Broken())):
            seen.append(event)

    with pytest.raises(LookupError):
        await read()
    assert seen[-1]["item"]["type"] == "function_call_output"
    assert seen[-1]["item"]["call_id"] == "c1"
    assert seen[-1]["item"]["status"] == "failed"
