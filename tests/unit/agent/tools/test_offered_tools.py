"""What a model is offered in a turn: which tools, in what order, under which names, with which schemas."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from bridge.agent.tools.catalog_tools import format_title
from bridge.agent.turn import TurnSettings
from bridge.catalog.server_view import UserSelection
from bridge.errors import BridgeError
from tests.support.calls.engine_harness import EngineHarness
from tests.support.documents.compiled import document_text, operation
from tests.support.models.toolbox_harness import ToolboxHarness, call_named, output_json
from tests.support.models.turn_harness import function
from tests.support.stores.memory_server_store import MemoryServerStore
from toolserver.json_types import JsonObject, text_at
from toolserver.tool.naming import OperationKey

pytestmark = pytest.mark.asyncio

MUTE = TurnSettings("m", can_call_functions=False)
LOOSE = TurnSettings("m", strictness="unsaid")
OFF = TurnSettings("m", strictness="off")
WEB: JsonObject = {"type": "web_search"}


def many(count: int) -> str:
    paths: JsonObject = {f"/{number}": operation(f"op{number}") for number in range(count)}
    return document_text("Many", paths=paths)


def taking(schema: JsonObject) -> str:
    """A document whose one operation `put` takes this as the property `v` of its body."""
    body: JsonObject = {"type": "object", "properties": {"v": schema}}
    content: JsonObject = {"application/json": {"schema": body}}
    put: JsonObject = {
        "operationId": "put",
        "requestBody": {"required": True, "content": content},
        "responses": {"200": {"description": "ok"}},
    }
    return document_text(paths={"/v": {"put": put}})


async def offered(text: str, *, settings: TurnSettings | None = None) -> dict[str, JsonObject]:
    harness = ToolboxHarness()
    await harness.engine_harness.add(text)
    return await harness.definitions(**({"settings": settings} if settings else {}))


async def test_shared_servers_come_first_then_the_users_own_then_the_callers_tools() -> None:
    """S0-02: registry, direct, extra."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(document_text("Own", paths={"/b": operation("mine")}))
    await harness.engine_harness.share(
        document_text("Shared", paths={"/a": operation("ours")}), named="shared.json"
    )
    names = list(await harness.definitions(function("theirs"), WEB))
    assert names == ["ours", "mine", "read_result", "theirs", "web_search"]


async def test_a_model_that_cannot_call_functions_is_offered_none_of_the_bridges() -> None:
    """S0-01: no `tools` at all, while what the provider runs itself still passes."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(document_text())
    assert await harness.definitions(settings=MUTE) == {}
    assert list(await harness.definitions(WEB, settings=MUTE)) == ["web_search"]


async def test_tools_of_the_caller_for_a_model_that_cannot_call_them_are_an_error() -> None:
    """S4-01: said before any provider is asked, naming the model and what to do."""
    with pytest.raises(
        BridgeError, match=r"'gpt' does not support tools\. Disable tools or choose"
    ) as refused:
        await ToolboxHarness().toolbox(function("theirs"), settings=MUTE)
    assert refused.value.error.detail["param"] == "tools"


async def test_tools_are_offered_only_while_a_page_can_run_them() -> None:
    """S0-07: and the user learns why they are missing."""
    harness = ToolboxHarness(is_connected=False)
    await harness.engine_harness.add(document_text())
    toolbox = await harness.toolbox(function("theirs"))
    assert [text_at(tool, "name") for tool in toolbox.definitions] == ["theirs"]
    assert "No bridge page" in toolbox.notices[0].text
    harness.is_connected = True
    assert "listProducts" in await harness.definitions()


async def test_a_call_without_a_page_is_answered_with_what_is_missing() -> None:
    """A model that remembers the tool calls it; "Tool not found" would send it and its user astray."""
    harness = ToolboxHarness(is_connected=False)
    await harness.engine_harness.add(document_text())
    harness.engine_harness.pages.is_open = False
    toolbox = await harness.toolbox()
    (output,) = await toolbox.run_calls([call_named("listProducts")], ())
    assert output_json(output)["error"]["code"] == "no_browser"
    (output,) = await toolbox.run_calls([call_named("nonsense")], ())
    assert output_json(output)["error"]["code"] == "unknown_tool"


async def test_the_notice_about_a_missing_page_says_what_to_do_and_stays() -> None:
    """Its reader has to act before the next question."""
    harness = ToolboxHarness(is_connected=False)
    await harness.engine_harness.add(document_text())
    (notice,) = (await harness.toolbox()).notices
    assert notice.stays
    assert "http://bridge/" in notice.text


async def test_who_has_no_tools_is_told_nothing() -> None:
    """A notice in every answer of a user who never wanted tools would be noise."""
    toolbox = await ToolboxHarness(is_connected=False).toolbox()
    assert (toolbox.definitions, toolbox.notices) == ((), ())


async def test_a_task_request_is_offered_none_of_the_bridges_tools() -> None:
    """S4-06: titles and tags are written without tools."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(document_text())
    assert (await harness.toolbox(with_tools=False)).definitions == ()


async def test_only_accepted_operations_are_offered() -> None:
    """What its user has not accepted cannot run, and must not tempt a model."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(document_text(), accepted=False)
    assert await harness.definitions() == {}


async def test_a_registry_that_fails_leaves_the_turn_without_its_tools() -> None:
    """S0-05: the answer goes on, with one notification."""

    class Broken(MemoryServerStore):
        async def list_acceptances(self, user_id: str) -> Mapping[OperationKey, str]:
            raise OSError("disk")

    toolbox = await ToolboxHarness(EngineHarness(Broken())).toolbox(function("theirs"))
    assert [notice.text for notice in toolbox.notices] == [
        "Tool registry unavailable; continuing without tools."
    ]
    assert len(toolbox.definitions) == 1


async def test_a_definition_without_words_describes_itself_by_its_name() -> None:
    """S0-03, S0-08: function, name, description, parameters; derived from the document itself."""
    tool = (await offered(document_text(paths={"/a": operation("a")})))["a"]
    assert tool.keys() == {"type", "name", "description", "parameters", "strict"}
    assert (tool["type"], tool["description"]) == ("function", "a")
    empty: JsonObject = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert tool["parameters"] == empty


async def test_one_broken_operation_does_not_hide_the_others() -> None:
    """S0-09: a bad entry is skipped alone."""
    paths: JsonObject = {"/bad": {"get": 5}, "/good": operation("good")}
    assert list(await offered(document_text(paths=paths))) == ["good", "read_result"]


@pytest.mark.parametrize("entry", [5, None, "x", [], {"name": "typeless"}, {"type": 5}])
async def test_an_entry_of_the_caller_that_is_no_tool_is_left_out(entry: object) -> None:
    """S0-04, S0-09, S0-10: never fatal."""
    assert list(await ToolboxHarness().definitions(entry, function("theirs"))) == ["theirs"]


async def test_tools_of_the_caller_reach_the_model_as_they_are() -> None:
    """S0-10, S0-44: verbatim; their executor is the caller."""
    odd: JsonObject = {"type": "function", "name": "x", "parameters": {"type": "string"}, "unknown": 1}
    assert (await ToolboxHarness().definitions(odd))["x"] == odd


async def test_a_tool_given_twice_is_offered_once() -> None:
    """S0-11: the later one wins and keeps the first one's place."""
    first, second = {**function("a"), "description": "1"}, {**function("a"), "description": "2"}
    other, nameless = function("b"), {"type": "function"}
    callers = (first, WEB, other, nameless, second, {**WEB, "search_context_size": "low"}, nameless)
    toolbox = await ToolboxHarness().toolbox(*callers)
    assert toolbox.definitions == (second, {**WEB, "search_context_size": "low"}, other, nameless)


async def test_custom_tools_and_servers_of_one_type_are_not_the_same() -> None:
    """S0-11 by type alone would throw away all but one of them."""
    custom = [{"type": "custom", "name": name} for name in ("sql", "code")]
    servers = [{"type": "mcp", "server_label": name} for name in ("x", "y")]
    assert (await ToolboxHarness().toolbox(*custom, *servers)).definitions == (*custom, *servers)


async def test_one_name_alone_stays_plain() -> None:
    """S0-40, S0-06: the operationId, and no prefix."""
    assert "listProducts" in await offered(document_text())


async def test_two_servers_with_one_operation_id_are_two_tools() -> None:
    """S0-06, S0-41, S0-42, W-01: nothing is overwritten, and the name comes from the server's id."""
    harness = ToolboxHarness()
    for title in ("First", "Second"):
        await harness.engine_harness.add(document_text(title, paths={"/s": operation("search")}))
    assert list(await harness.definitions()) == ["search", "second__search", "read_result"]


async def test_a_name_of_the_caller_stays_and_ours_gets_its_server_before_it() -> None:
    """S0-41, S0-42, W-01: the caller knows its tool by that name; ours is the same in every turn."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(
        document_text("Shop", paths={"/s": operation("search"), "/o": operation("order")})
    )
    theirs = function("search")
    assert list(await harness.definitions(theirs)) == ["shop__search", "order", "read_result", "search"]
    again = await harness.toolbox(function("other"), theirs)
    ours = again.find_own_tool("shop__search")
    assert ours is not None
    assert (ours.name, ours.definition["name"]) == ("search", "shop__search")
    assert (again.is_callers("search"), again.find_own_tool("search")) == (True, None)


@pytest.mark.parametrize("name", ["s" * 64, "read_result"])
async def test_a_prefixed_name_keeps_to_the_grammar_of_providers(name: str) -> None:
    """W-02: at most 64 characters, also after the prefix; the bridge's own tools give way, too."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(
        document_text("A very long title of an API", paths={"/s": operation(name)})
    )
    names = list(await harness.definitions(function(name)))
    assert len(set(names)) == len(names)
    assert all(len(each) <= 64 for each in names)
    assert names[-1] == name


async def test_a_prefixed_name_that_the_caller_has_too_is_prefixed_again() -> None:
    """Two tools of one name would make the provider refuse the whole request."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(document_text("Shop", paths={"/s": operation("search")}))
    names = list(await harness.definitions(function("search"), function("shop__search")))
    assert sorted(names) == ["read_result", "search", "shop__search", "shop__shop__search"]


async def test_all_tools_together_stay_within_what_models_take() -> None:
    """128 in all: the caller's count, and where ours do not fit they are found by search."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(many(120))
    assert len(await harness.definitions()) == 121
    assert len(await harness.definitions(*map(function, "abcdefgh"))) == 128
    crowded = await harness.definitions(*map(function, "abcdefghi"))
    assert list(crowded) == ["find_operations", "run_operation", "read_result", *"abcdefghi"]


async def test_pinned_tools_stay_when_the_others_are_too_many() -> None:
    """What the user chose to pin is what the user works with."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(many(200))
    await harness.engine_harness.registry.save_selection("ann", UserSelection(pinned=("op7",)))
    names = list(await harness.definitions())
    assert names == ["op7", "find_operations", "run_operation", "read_result"]


async def test_a_caller_with_too_many_tools_keeps_them_and_is_told() -> None:
    """Its own tools are its word; ours are left out as a whole."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(many(5))
    toolbox = await harness.toolbox(*(function(f"f{number}") for number in range(126)))
    assert len(toolbox.definitions) == 126
    assert "do not fit" in toolbox.notices[0].text


async def test_a_change_of_the_catalog_is_offered_in_the_next_turn() -> None:
    """Definitions are kept ready, but only as long as they are true."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(document_text(paths={"/a": operation("a")}))
    assert "b" not in await harness.definitions()
    await harness.engine_harness.add(document_text("More", paths={"/b": operation("b")}))
    assert "b" in await harness.definitions()


async def test_definitions_are_made_once_for_many_turns() -> None:
    """A turn must not pay for the catalog: the very same values are sent again."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(many(100))
    first, second = (await harness.toolbox()).definitions, (await harness.toolbox()).definitions
    assert all(one is other for one, other in zip(first, second, strict=True))


async def test_strict_is_a_switch() -> None:
    """Finding W-42: S0-38: off, the schema is the document's, and nobody reads it as strict."""
    text = taking({"type": "string"})
    assert (await offered(text))["put"]["strict"] is True
    loose = (await offered(text, settings=LOOSE))["put"]
    assert "strict" not in loose
    assert "additionalProperties" not in json.dumps(loose)
    off = (await offered(text, settings=OFF))["put"]
    assert off == {**loose, "strict": False}, "Responses take a tool that says nothing for strict"


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        pytest.param({"type": "string"}, {"type": ["string", "null"]}, id="S0-24"),
        pytest.param(
            {"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}, id="S0-24 list"
        ),
        pytest.param(
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            id="S0-25",
        ),
        pytest.param(
            {"enum": ["a", "b"]}, {"type": ["string", "null"], "enum": ["a", "b", None]}, id="S0-26"
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
            id="S0-27",
        ),
    ],
)
async def test_optional_arguments_may_be_null_in_strict_mode(schema: JsonObject, strict: JsonObject) -> None:
    """S0-20, S0-23, S0-24, S0-25, S0-26, S0-27, S4-14, W-03: all are required, optional ones nullable."""
    tool = (await offered(taking(schema)))["put"]
    parameters: Any = tool["parameters"]
    assert (parameters["required"], parameters["additionalProperties"]) == (["v"], False)
    shown = {key: value for key, value in parameters["properties"]["v"].items() if key != "description"}
    assert shown == strict


async def test_objects_are_closed_at_every_depth_and_keep_their_order() -> None:
    """S0-22, S0-23, S0-28, S0-34, W-03: nothing is sorted, names that are no properties are dropped."""
    inner: JsonObject = {
        "type": "object",
        "properties": {"z": {"type": "string"}, "a": {"type": "string"}},
        "required": ["z", "a", "ghost"],
        "additionalProperties": False,
    }
    parameters: Any = (await offered(taking({"anyOf": [inner, {"type": "string"}]})))["put"]["parameters"]
    closed = next(form for form in parameters["properties"]["v"]["anyOf"] if form.get("type") == "object")
    assert (list(closed["properties"]), closed["required"]) == (["z", "a"], ["z", "a"])
    assert closed["additionalProperties"] is False


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}}, id="S0-22 map"),
        pytest.param({}, id="S0-26 anything"),
        pytest.param({"type": "object", "patternProperties": {"^x": {"type": "string"}}}, id="S0-30"),
    ],
)
async def test_what_strict_mode_cannot_say_is_offered_without_it(schema: JsonObject) -> None:
    """S0-22, S0-30, W-03: a map that lost its keys could not be used at all."""
    tool = (await offered(taking(schema)))["put"]
    assert tool["strict"] is False
    assert tool["parameters"] == (await offered(taking(schema), settings=LOOSE))["put"]["parameters"]


async def test_constraints_that_strict_mode_drops_stand_in_the_description() -> None:
    """S0-31, W-03: a property that is *named* like a keyword stays."""
    schema: JsonObject = {"type": "object", "required": ["format"], "properties": {
        "format": {"type": "integer", "minimum": 1, "default": 3}}}  # fmt: skip
    text = json.dumps((await offered(taking(schema)))["put"]["parameters"])
    assert '"minimum"' not in text
    assert '"format"' in text
    assert "Value >= 1" in text
    assert "Default: 3" in text


async def test_references_are_read_and_merged_before_they_are_strict() -> None:
    """S0-32, S0-33, W-03: the model sees the schema itself, with the words beside the reference."""
    root: JsonObject = {
        "allOf": [
            {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]},
            {"type": "object", "properties": {"y": {"type": "string"}}, "required": ["y"]},
        ],
        "description": "Both.",
    }
    parameters: Any = (await offered(taking(root)))["put"]["parameters"]
    value = parameters["properties"]["v"]
    assert "Both." in json.dumps(value)
    assert next(form for form in value["anyOf"] if form["type"] == "object")["required"] == ["x", "y"]


async def test_a_body_that_is_no_object_is_one_argument() -> None:
    """S0-21, W-03: the root is always an object, and the argument is unwrapped on the way out."""
    content: JsonObject = {"application/json": {"schema": {"type": "array", "items": {"type": "string"}}}}
    put: JsonObject = {"operationId": "put", "requestBody": {"required": True, "content": content},
                       "responses": {"200": {"description": "ok"}}}  # fmt: skip
    parameters: Any = (await offered(document_text(paths={"/v": {"put": put}})))["put"]["parameters"]
    assert (parameters["type"], parameters["required"]) == ("object", ["body"])


@pytest.mark.parametrize("odd", [True, "x", {"properties": [], "type": "object"}])
async def test_schemas_that_are_none_hide_no_tool(odd: Any) -> None:
    """S0-20, S0-29, S0-36: the tool is offered, strict or not."""
    assert "put" in await offered(taking(odd))


@pytest.mark.parametrize(
    ("name", "words"),
    [("listPets", "List pets"), ("get_pet_by_id", "Get pet by id"), ("getURL", "Get URL"), ("x", "X")],
)
async def test_names_are_told_to_people_as_words(name: str, words: str) -> None:
    """S1-19: a status line is read by people."""
    assert format_title(name) == words


async def test_what_one_turn_makes_of_a_definition_does_not_reach_the_next() -> None:
    """S0-35: the same values are sent again and again; a prefix for one caller is not one for all."""
    harness = ToolboxHarness()
    await harness.engine_harness.add(document_text())
    before = json.dumps(list((await harness.definitions()).values()))
    await harness.definitions(function("listProducts"))
    assert json.dumps(list((await harness.definitions()).values())) == before
