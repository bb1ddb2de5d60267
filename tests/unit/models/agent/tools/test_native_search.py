"""What a tool search by a model asks of `find_operations`."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from bridge.models.agent.items import ModelCall, model_call
from bridge.models.agent.toolbox import BridgeTool
from bridge.models.agent.tools.catalog_tools import SearchedServer
from bridge.models.agent.tools.native_search import MAX_QUERY_CHARS, offer_search


async def load_nothing(_names: Sequence[str]) -> list[BridgeTool]:
    return []


def search_for(arguments: Any) -> ModelCall:
    item = {"type": "tool_search_call", "call_id": "c1", "execution": "client", "arguments": arguments}
    call = model_call(item)
    assert call is not None
    return call


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "list " * 100_000},
        {"goals": ["list"] * 100_000},
        {f"goal{number}": "list" for number in range(20_000)},
        {"query": "list " * 100_000, "namespace": "n" * 100_000},
        "list " * 100_000,
    ],
    ids=["a query", "a list", "members", "a namespace", "no object"],
)
def test_a_huge_search_becomes_a_short_query(arguments: Any) -> None:
    """Issue 41, 6: the engine searches for it and the journal keeps it, whatever a model was talked into."""
    search = offer_search((SearchedServer("shop", "Shop"),), load_nothing)
    asked = json.loads(search.find_arguments(search_for(arguments)))
    assert asked.keys() == {"query", "limit"}
    assert len(asked["query"]) == MAX_QUERY_CHARS
