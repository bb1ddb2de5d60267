"""The engine: what every door's calls go through, the bridge's own tools among them."""

import json

import pytest

from bridge.calls.outcome import CallOutcome
from bridge.calls.request import RepeatKey
from bridge.catalog.server_view import UserSelection
from bridge.errors import BridgeError, ErrorCode
from tests.cost.counting import counted_calls
from tests.support.calls.engine_harness import EngineHarness
from tests.support.documents.compiled import document_text, operation
from toolserver.answer.result import TextBody
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio


async def found(harness: EngineHarness, arguments: JsonObject, *, server: str | None = None) -> list[str]:
    answer = await harness.read("find_operations", arguments, server=server)
    return [entry["name"] for entry in answer["operations"]]


async def refusal(
    harness: EngineHarness, tool: str, arguments: object, *, server: str | None = None
) -> BridgeError:
    with pytest.raises(BridgeError) as refused:
        await harness.call(tool, arguments, server=server)
    assert harness.pages.sent == []
    return refused.value


async def test_a_named_operation_becomes_the_ordinary_call_of_that_tool() -> None:
    """The page logs the inner tool, and the arguments are the model's own text."""
    harness = EngineHarness()
    await harness.add(document_text())
    text = '{"name": "listProducts", "arguments": { "limit": 9007199254740993 }}'
    outcome = await harness.call("run_operation", text)
    assert (outcome.error, outcome.server_id) == (None, "shop")
    (sent,) = harness.pages.sent
    assert (sent.request.tool_name, sent.request.operation_key) == ("listProducts", "GET /products")
    assert (sent.request.arguments_text, sent.request.safe) == ('{ "limit": 9007199254740993 }', True)


async def test_the_arguments_of_a_named_operation_are_validated_as_its_own() -> None:
    """The error names the operation, the argument and its place in what the model sent."""
    harness = EngineHarness()
    await harness.add(document_text())
    refused = await refusal(
        harness, "run_operation", {"name": "listProducts", "arguments": {"limit": "many"}}
    )
    assert refused.error.code is ErrorCode.INVALID_ARGUMENTS
    assert refused.error.detail == {
        "argument": "limit",
        "pointer": "/arguments/limit",
        "tool": "listProducts",
    }
    assert refused.error.message.startswith("Arguments of listProducts: `limit` must be integer")


async def test_a_string_that_is_no_object_is_an_error_of_the_inner_arguments() -> None:
    """A model that wrote half an object must see what is wrong with it."""
    harness = EngineHarness()
    await harness.add(document_text())
    asked = {"name": "listProducts", "arguments": '{"limit": 3'}
    refused = await refusal(harness, "run_operation", asked)
    assert refused.error.detail["pointer"] == "/arguments"
    assert "not valid JSON" in refused.error.message


async def test_a_named_operation_must_be_accepted() -> None:
    """`run_operation` is no way around the user's decision."""
    harness = EngineHarness()
    await harness.add(document_text(), accepted=False)
    refused = await refusal(harness, "run_operation", {"name": "listProducts"})
    assert (refused.error.code, refused.error.detail["tool"]) == (ErrorCode.NOT_ACCEPTED, "listProducts")


async def test_an_operation_without_an_address_is_not_to_be_accepted_but_given_one() -> None:
    """Finding W-35: to accept it does not help; the page refuses that until there is a base address."""
    harness = EngineHarness()
    await harness.add(json.dumps({**json.loads(document_text()), "servers": []}), accepted=False)
    refused = await refusal(harness, "listProducts", {})
    assert refused.error.message == (
        "Tool 'listProducts' has no address to which its document leads. Open the bridge page, look at "
        "server 'shop' and give it a base address, then accept it."
    )


async def test_under_a_servers_address_only_its_own_operations_are_found_and_run() -> None:
    """`/servers/{id}` is a tool server of its own."""
    harness = EngineHarness()
    await harness.add(document_text("Alpha", paths={"/a": operation("findAlpha")}))
    await harness.add(document_text("Beta", paths={"/b": operation("findBeta")}))
    assert await found(harness, {"query": "find"}) == ["findAlpha", "findBeta"]
    assert await found(harness, {"query": "find"}, server="beta") == ["findBeta"]
    assert await found(harness, {"query": "find", "server": "alpha"}) == ["findAlpha"]
    refused = await refusal(harness, "run_operation", {"name": "findAlpha"}, server="beta")
    assert refused.error.detail["argument"] == "name"
    assert "There is no operation 'findAlpha'" in refused.error.message
    refused = await refusal(harness, "find_operations", {"query": "a", "server": "alpha"}, server="beta")
    assert "The servers are: beta." in refused.error.message
    for tool in ("find_operations", "run_operation", "read_result"):
        refused = await refusal(harness, tool, {}, server="gamma")
        assert refused.error.code is ErrorCode.UNKNOWN_TOOL


async def test_the_address_of_a_server_finds_its_operations_though_models_are_shown_others() -> None:
    """As the document of that address lists them: the address is the choice of the server."""
    harness = EngineHarness()
    await harness.add(document_text("Alpha", paths={"/a": operation("findAlpha")}))
    await harness.add(document_text("Beta", paths={"/b": operation("findBeta")}))
    await harness.registry.save_selection("ann", UserSelection(servers=("alpha",)))
    assert await found(harness, {"query": "find"}) == ["findAlpha"]
    assert await found(harness, {"query": "find"}, server="beta") == ["findBeta"]


async def test_found_operations_say_what_is_not_accepted_yet() -> None:
    """A model may tell its user what to accept, and does not try in vain."""
    harness = EngineHarness()
    await harness.add(document_text(), accepted=False)
    answer = await harness.read("find_operations", {"query": "list products", "limit": 1})
    (entry,) = answer["operations"]
    assert (entry["name"], entry["accepted"], answer["matches"]) == ("listProducts", False, 2)
    assert entry["parameters"]["properties"]["limit"]["type"] == "integer"


async def test_only_the_schemas_of_what_was_found_are_made() -> None:
    """Looking one operation up must not cost the schemas of a thousand."""
    harness = EngineHarness()
    await harness.add(document_text())
    await harness.read("find_operations", {"query": "list", "limit": 1})
    assert list((await harness.registry.view_of_user("ann")).servers[0].schemas) == ["GET /products"]


async def test_a_search_does_nothing_for_each_operation_on_the_event_loop() -> None:
    """Of ten thousand operations, the index took two thirds of a second, and each search 30 ms."""
    harness = EngineHarness()
    paths: JsonObject = {f"/things/{number}": operation(f"readThing{number}") for number in range(1_000)}
    await harness.add(document_text("Things", paths=paths))
    await found(harness, {"query": "thing 7", "limit": 1})  # its schema is made
    for query in ("read thing 7", "7, or any other thing"):
        with counted_calls() as calls:
            assert await found(harness, {"query": query, "limit": 1}) == ["readThing7"]
        assert calls.count < len(paths)


async def test_what_is_added_is_found_by_the_next_search() -> None:
    """An index is kept for the operations that it was made of, not for its user."""
    harness = EngineHarness()
    await harness.add(document_text())
    assert await found(harness, {"query": "others"}) == []
    await harness.add(document_text("Other", paths={"/o": operation("listOthers")}))
    assert await found(harness, {"query": "others"}) == ["listOthers"]


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("find_operations", {}, "query"),
        ("find_operations", {"query": "a", "limit": 51}, "limit"),
        ("find_operations", {"query": "a", "server": "nowhere"}, "server"),
        ("run_operation", {"name": "listProduct"}, "name"),
        ("read_result", {"call_id": "c", "offset": -1}, "offset"),
        ("read_result", {"offset": 0}, "call_id"),
        ("read_result", {"call_id": "c", "select": "a["}, "select"),
    ],
)
async def test_arguments_of_the_bridges_own_tools_are_held_to_their_schemas(
    tool: str, arguments: JsonObject, argument: str
) -> None:
    """As those of any other tool."""
    harness = EngineHarness()
    await harness.add(document_text())
    refused = await refusal(harness, tool, arguments)
    assert (refused.error.code, refused.error.detail["argument"]) == (ErrorCode.INVALID_ARGUMENTS, argument)


async def test_reading_on_asks_for_the_callers_own_answer() -> None:
    """Nobody reads what another user was answered."""
    harness = EngineHarness()
    assert await harness.read("read_result", {"call_id": "call_1", "offset": 8}) == {
        "text": "rest",
        "offset": 8,
        "total": 12,
    }
    assert harness.answer_store.asked == [("ann", "call_1", 8)]


async def test_a_call_that_needs_its_user_is_sent_with_that_word() -> None:
    """Also inside `run_operation`: what counts is the operation that it names."""
    harness = EngineHarness()
    await harness.add(document_text())
    await harness.approvals.choose_mode("ann", "safe")
    for tool, arguments in (
        ("addProduct", {"name": "tea"}),
        ("run_operation", {"name": "addProduct", "arguments": {"name": "tea"}}),
        ("listProducts", {}),
        ("run_operation", {"name": "listProducts"}),
    ):
        await harness.call(tool, arguments)
    assert harness.pages.asked_for_approval == [True, True, False, False]


async def test_null_for_an_optional_argument_is_taken_as_left_out() -> None:
    """Models write it often; an API that allows no null there would get a word it does not know."""
    harness = EngineHarness()
    await harness.add(document_text())
    outcome = await harness.call("listProducts", '{"limit": null}')
    assert outcome.error is None
    assert harness.pages.sent[0].request.arguments_text == "{}"


async def unheard(harness: EngineHarness, tool: str, arguments: JsonObject, *, request: str) -> CallOutcome:
    """A call whose answer its caller did not hear."""
    outcome = await harness.call(tool, arguments, repeat=RepeatKey("key", request))
    harness.engine.note_delivery(request, heard=False)
    return outcome


async def test_an_unsafe_call_that_comes_again_unheard_is_not_sent_twice() -> None:
    """Ruling 39; the operation that a `run_operation` names counts like a direct call."""
    harness = EngineHarness()
    await harness.add(document_text(paths={"/mails": {"post": operation("sendMail")["get"]}}))
    first = await unheard(harness, "sendMail", {}, request="r1")
    named: JsonObject = {"name": "sendMail", "arguments": {}}
    again = await harness.call("run_operation", named, repeat=RepeatKey("key", "r2"))
    assert (again.joined_call_id, again.answered) == (first.call_id, first.answered)
    assert len(harness.pages.sent) == 1


async def test_a_safe_call_that_comes_again_is_sent_again() -> None:
    """It changes nothing, and its answer may have changed."""
    harness = EngineHarness()
    await harness.add(document_text())
    await unheard(harness, "listProducts", {}, request="r1")
    again = await harness.call("listProducts", {}, repeat=RepeatKey("key", "r2"))
    assert (again.joined_call_id, len(harness.pages.sent)) == ("", 2)


async def test_a_call_equal_to_one_in_doubt_asks_its_user_whatever_rules_stand() -> None:
    """Ruling 39 (iv): approvals are given for good here, and its user is asked all the same."""
    harness = EngineHarness()
    await harness.add(document_text(paths={"/mails": {"post": operation("sendMail")["get"]}}))
    error = {"code": "network", "message": "It broke."}
    harness.pages.answer = lambda _call: {"status": "failed", "error": error, "delivered": "unknown"}
    for request in ("r1", "r2"):
        await harness.call("sendMail", {}, repeat=RepeatKey("key", request))
        harness.engine.note_delivery(request, heard=True)
    assert harness.pages.asked_for_approval == [False, True]


ORDERS = document_text(
    paths={
        "/orders": {
            "post": {
                "operationId": "placeOrder",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "ids": {"type": "array", "items": {"type": "integer"}},
                                    "note": {"type": "string"},
                                },
                            }
                        }
                    },
                },
                "responses": {"201": {"description": "ok"}},
            }
        }
    }
)


@pytest.mark.parametrize(
    "arguments",
    [
        {"ids": "[12345678901234567890]", "note": "[1]"},
        json.dumps('{"ids":[12345678901234567890],"note":"[1]"}'),
        json.dumps('{"ids":"[12345678901234567890]","note":"[1]"}'),
    ],
)
async def test_what_a_client_encoded_once_too_often_travels_as_it_was_meant(arguments: object) -> None:
    """Finding W-8: card, journal and request are made of this one text; a note stays a note."""
    harness = EngineHarness()
    await harness.add(ORDERS)
    meant = '{"ids":[12345678901234567890],"note":"[1]"}'
    inner = json.loads(arguments) if isinstance(arguments, str) else arguments
    named = {"name": "placeOrder", "arguments": inner}
    for tool, asked in (
        ("placeOrder", arguments),
        ("run_operation", named),
        ("run_operation", json.dumps(json.dumps(named))),
    ):
        harness.pages.sent.clear()
        outcome = await harness.call(tool, asked)
        assert [sent.request.arguments_text for sent in harness.pages.sent] == [meant]
        assert outcome.decoded == (() if arguments == json.dumps(meant) else ("ids",))


async def test_a_call_that_comes_again_in_another_encoding_is_the_same_call() -> None:
    """Finding W-8: the digest of ruling 39 is of what is sent; else the order were placed twice."""
    harness = EngineHarness()
    await harness.add(ORDERS)
    first = await unheard(harness, "placeOrder", {"ids": "[1]"}, request="r1")
    again = await harness.call("placeOrder", {"ids": [1]}, repeat=RepeatKey("key", "r2"))
    assert (again.joined_call_id, len(harness.pages.sent)) == (first.call_id, 1)


async def test_the_bridges_own_tools_read_encoded_values_too() -> None:
    """Finding W-8: a client treats them as it treats all tools."""
    harness = EngineHarness()
    await harness.add(document_text())
    for arguments in ({"query": "products", "limit": "1"}, json.dumps('{"query": "products", "limit": 1}')):
        assert len(await found_by(harness, arguments)) == 1
    await harness.call("read_result", {"call_id": "call_1", "offset": "7"})
    assert harness.answer_store.asked == [("ann", "call_1", 7)]


async def found_by(harness: EngineHarness, arguments: object) -> list[object]:
    outcome = await harness.call("find_operations", arguments)
    assert outcome.answered is not None
    assert isinstance(outcome.answered.body, TextBody)
    return json.loads(outcome.answered.body.text)["operations"]


async def test_a_text_that_is_no_object_is_refused_as_it_is() -> None:
    """Finding W-8: only what can be the arguments is taken for them."""
    harness = EngineHarness()
    await harness.add(ORDERS)
    for arguments in ('"[1]"', '"{"', json.dumps(json.dumps('{"ids":[1]}'))):
        refused = await refusal(harness, "placeOrder", arguments)
        assert refused.error.message == "The arguments must be one JSON object, not a string."
