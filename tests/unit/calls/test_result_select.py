"""`result_select`: the query that comes with a call, and no argument of its operation."""

import json

import pytest

from bridge.calls.request import RepeatKey
from bridge.errors import BridgeError
from tests.support.calls.engine_harness import EngineHarness

pytestmark = pytest.mark.asyncio

_JSON = {"200": {"description": "d", "content": {"application/json": {"schema": {"type": "object"}}}}}
_PICTURE = {"200": {"description": "d", "content": {"image/png": {"schema": {"type": "string"}}}}}
_PARAMETERS = [{"name": "n", "in": "query", "schema": {"type": "integer"}}]
_OWN = [{"name": "result_select", "in": "query", "schema": {"type": "string"}}]
_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": True}
_FREE = {"content": {"application/json": {"schema": _SCHEMA}}}

DOCUMENT = json.dumps(
    {
        "openapi": "3.1.0",
        "info": {"title": "Things", "version": "1"},
        "servers": [{"url": "http://things.example"}],
        "paths": {
            "/things": {
                "get": {"operationId": "listThings", "parameters": _PARAMETERS, "responses": _JSON},
                "post": {"operationId": "buyThing", "parameters": _PARAMETERS, "responses": _JSON},
            },
            "/own": {"get": {"operationId": "hasOne", "parameters": _OWN, "responses": _JSON}},
            "/free": {"post": {"operationId": "takesMore", "requestBody": _FREE, "responses": _JSON}},
            "/picture": {"get": {"operationId": "getPicture", "responses": _PICTURE}},
        },
    }
)


async def _harness() -> EngineHarness:
    harness = EngineHarness()
    await harness.add(DOCUMENT)
    return harness


async def test_the_query_is_removed_before_anything_of_the_operation_sees_it() -> None:
    """Ruling 57: validation, plan, card and journal have the operation's own arguments, in their own text."""
    harness = await _harness()
    await harness.call("listThings", '{ "n": 9007199254740993, "result_select": "rows[0]" }')
    (sent,) = harness.pages.sent
    assert sent.request.arguments_text == '{"n":9007199254740993}'
    assert harness.answer_store.readings[-1].select == "rows[0]"


@pytest.mark.parametrize("query", ["null", '""'])
async def test_a_query_of_nothing_is_none(query: str) -> None:
    """Strict models write null for what they leave out."""
    harness = await _harness()
    await harness.call("listThings", f'{{"n": 1, "result_select": {query}}}')
    assert harness.pages.sent[0].request.arguments_text == '{"n":1}'
    assert harness.answer_store.readings[-1].select == ""


async def test_the_inner_arguments_of_run_operation_carry_it_too() -> None:
    """A model that searches calls with the same arguments."""
    harness = await _harness()
    await harness.call("run_operation", {"name": "listThings", "arguments": {"result_select": "a.b"}})
    assert harness.answer_store.readings[-1].select == "a.b"


@pytest.mark.parametrize("query", ['"rows["', "7", '"' + "a" * 1001 + '"'])
async def test_a_query_that_cannot_be_run_is_refused_before_anything_is_sent(query: str) -> None:
    """Ruling 57: no user pays for an answer that could not be read."""
    harness = await _harness()
    with pytest.raises(BridgeError) as refused:
        await harness.call("buyThing", f'{{"result_select": {query}}}')
    assert refused.value.error.detail["argument"] == "result_select"
    assert harness.pages.sent == []


@pytest.mark.parametrize("tool", ["hasOne", "takesMore"])
async def test_a_tool_to_which_it_may_be_an_argument_gets_it(tool: str) -> None:
    """Ruling 57: what belongs to an API is never taken away from it."""
    harness = await _harness()
    await harness.call(tool, {"result_select": "rows["})
    assert json.loads(harness.pages.sent[0].request.arguments_text) == {"result_select": "rows["}
    assert harness.answer_store.readings[-1].select == ""


async def test_a_tool_that_answers_files_knows_no_query() -> None:
    """Ruling 57: nothing can be selected from a picture, so it is an unknown argument."""
    harness = await _harness()
    with pytest.raises(BridgeError) as refused:
        await harness.call("getPicture", {"result_select": "rows"})
    assert "result_select" in refused.value.error.message
    assert harness.pages.sent == []


async def test_two_calls_that_differ_in_their_query_are_twins() -> None:
    """Ruling 57: an order is the same order, whatever is asked of its answer."""
    harness = await _harness()
    repeats = [RepeatKey("key", request) for request in ("r1", "r2")]
    first = await harness.call("buyThing", {"n": 1, "result_select": "id"}, repeat=repeats[0])
    harness.engine.note_delivery("r1", heard=False)
    second = await harness.call("buyThing", {"result_select": "total", "n": 1}, repeat=repeats[1])
    assert len(harness.pages.sent) == 1
    assert second.joined_call_id == first.call_id
    assert harness.answer_store.readings[-1].select == "total"
