"""Arguments that overlays edit: what models read of them, what requests carry, and what is refused."""

import json
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.compiled import document_text, overlay_text, tools_of
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.operation import Skipped
from toolserver.operation.withheld import fixed_values
from toolserver.request.argument_check import withheld_check
from toolserver.schema.argument_edit import read_argument_edit
from toolserver.tool.compile import CompiledOperation, DocumentTools

TEXT: JsonObject = {"type": "string"}


def parameter(name: str, **more: JsonValue) -> JsonObject:
    return {"name": name, "in": "query", "schema": {"type": "string"}, **more}


def says(**said: JsonValue) -> JsonObject:
    return {"x-tool-bridge": said}


def on(parameter_name: str, **said: JsonValue) -> JsonObject:
    """An action on a parameter of the operation."""
    return {"target": f"$.paths['/a'].get.parameters[?@.name == '{parameter_name}']", "update": says(**said)}


def get(*parameters: JsonValue, **more: JsonValue) -> str:
    """A document with one operation."""
    node: JsonObject = {"operationId": "getA", "parameters": list(parameters), **more}
    return document_text(paths={"/a": {"get": node}})


def edited(text: str, *actions: JsonObject) -> tuple[DocumentTools, CompiledOperation, Any]:
    """The tools of a document with one operation, that operation, and its schema."""
    tools = tools_of(text, overlays=[overlay_text(*actions)] if actions else [])
    (operation,) = tools.compiled.operations
    return tools, operation, json.loads(tools.schema_of(operation.key).schema_json)


def test_a_model_reads_the_name_and_description_of_an_edit() -> None:
    """Issue 41: an argument's name and description are edited in the page, the API keeps its own."""
    edit = on("l", name="max_items", description="How many at most.")
    _, operation, schema = edited(get(parameter("l", description="l")), edit)
    assert schema["properties"] == {"max_items": {"type": "string", "description": "How many at most."}}
    (planned,) = json.loads(operation.plan_json)["parameters"]
    assert (planned["argument"], planned["name"]) == ("max_items", "l")


@pytest.mark.parametrize(
    ("value", "schema", "fits"),
    [
        ("many", {"type": "integer"}, False),
        (1.5, {"type": "integer"}, False),
        (True, {"type": "number"}, False),
        (5, {"type": "string"}, False),
        (None, {"type": "string"}, False),
        (5, {"type": "integer"}, True),
        (5.0, {"type": "integer"}, True),
        (None, {"type": "string", "nullable": True}, True),
        (None, {"type": ["string", "null"]}, True),
        (5, {"type": "file"}, True),
        (5, {}, True),
    ],
)
def test_a_fixed_value_of_another_type_is_sent_and_its_user_is_warned(
    value: JsonValue, schema: JsonObject, fits: bool
) -> None:
    """Issue 41: what is typed into the wrong field is seen in the review, not in the API's refusals."""
    _, operation, _ = edited(get(parameter("l", schema=schema)), on("l", fixed=value))
    assert [each["fixed"] for each in json.loads(operation.plan_json)["parameters"]] == [value]
    assert any("asks for another type" in warning for warning in operation.warnings) is not fits


def test_a_changed_default_reaches_the_model() -> None:
    """Issue 41: a default is changed by a plain overlay."""
    edit: JsonObject = {"target": "$.paths['/a'].get.parameters[0].schema", "update": {"default": "7"}}
    _, _, schema = edited(get(parameter("l")), edit)
    assert schema["properties"] == {"l": {"type": "string", "default": "7", "description": "Default: 7."}}


def test_an_edit_beside_a_reference_counts_for_that_operation_alone() -> None:
    """Operations share parameters, and an edit names one of them."""
    document = json.loads(document_text(paths={}))
    document["components"] = {"parameters": {"L": parameter("l")}}
    shared = {"$ref": "#/components/parameters/L"}
    document["paths"] = {
        path: {"parameters": [shared], "get": {"operationId": path, "parameters": []}}
        for path in ("/a", "/b")
    }
    document["paths"]["/a"]["get"]["parameters"] = [shared]
    edit = overlay_text({"target": "$.paths['/a'].get.parameters[0]", "update": says(hidden=True)})
    tools = tools_of(json.dumps(document), overlays=[edit])
    plans = [json.loads(each.plan_json) for each in tools.compiled.operations]
    assert [[each["name"] for each in plan["parameters"]] for plan in plans] == [[], ["l"]]


def test_what_is_required_is_hidden_only_with_a_value() -> None:
    """Issue 41: hidden if it is not required, or has a default or a fixed value."""
    needed = parameter("env", required=True)
    _, operation, schema = edited(get(needed), on("env", hidden=True))
    assert list(schema["properties"]) == ["env"]
    assert operation.warnings == (
        "`hidden` in `x-tool-bridge` of 'env' cannot be: it is required and has no default.",
    )
    defaulted: JsonObject = {**needed, "schema": {"type": "string", "default": "dev"}}
    _, operation, schema = edited(get(defaulted), on("env", hidden=True))
    assert schema["properties"] == {}
    assert [each["fixed"] for each in json.loads(operation.plan_json)["parameters"]] == ["dev"]


@pytest.mark.parametrize("value", ["prod", 1, False, None, ["a"], {"a": {"b": 1}}])
def test_a_fixed_value_is_part_of_what_a_user_accepts(value: JsonValue) -> None:
    """Ruling 54: fixed values are in the plan that the page pins, so another value is accepted anew."""
    _, operation, schema = edited(get(parameter("env")), on("env", fixed=value))
    _, other, _ = edited(get(parameter("env")), on("env", fixed="other"))
    assert schema["properties"] == {}
    assert [each["fixed"] for each in json.loads(operation.plan_json)["parameters"]] == [value]
    assert operation.digest != other.digest


SECRETS: list[tuple[str, JsonValue]] = [
    ("api_key", "x"),
    ("X-Auth-Token", "x"),
    ("env", "sk-proj-abcdefghijklmnop"),
    ("env", "Bearer abcdefgh"),
    ("env", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"),
    ("env", "4f1c9a7e2b8d4c6f9a0e1d2c3b4a5968"),
    ("env", {"password": "x"}),
]


@pytest.mark.parametrize(("name", "value"), SECRETS)
def test_a_fixed_value_that_looks_like_a_key_is_pointed_at_credentials(name: str, value: JsonValue) -> None:
    """Ruling 54: fixed values stand in pins, exports and git."""
    _, operation, schema = edited(get(parameter(name)), on(name, fixed=value))
    assert list(schema["properties"]) == [name]
    (warning,) = operation.warnings
    assert warning.endswith("Save it under Credentials.")
    assert json.dumps(value) not in operation.plan_json.decode()


@pytest.mark.parametrize(
    "value", ["4f1c9a7e-2b8d-4c6f-9a0e-1d2c3b4a5968", "production", "https://a.test/" + "a1" * 20]
)
def test_ids_and_addresses_are_fixed(value: str) -> None:
    """The id of a workspace is the most usual fixed value of all."""
    _, operation, _ = edited(get(parameter("workspace")), on("workspace", fixed=value))
    assert operation.warnings == ()


@pytest.mark.parametrize(("place", "name"), [("query", "key"), ("header", "x-SPACE")])
def test_a_place_of_a_security_scheme_is_not_fixed(place: str, name: str) -> None:
    """Ruling 54: two values would meet there, and one of them is a secret."""
    document = json.loads(get({**parameter(name), "in": place}))
    scheme = {"type": "apiKey", "in": place, "name": "X-Space" if place == "header" else "key"}
    document["components"] = {"securitySchemes": {"k": scheme}}
    _, operation, schema = edited(json.dumps(document), on(name, fixed="a"))
    assert list(schema["properties"]) == [name]
    assert operation.warnings == (f"'{name}' is where a key of the API goes: save it under Credentials.",)


def test_a_document_fixes_no_value_unseen() -> None:
    """Ruling 53: alone or beside an overlay, and neither by hiding what has a default."""
    needed = parameter("a", required=True, schema={"type": "string", "default": "x"}, **says(hidden=True))
    text = get(needed, parameter("b", **says(fixed="x")), parameter("c"))
    for actions in ((), (on("c", description="C"),)):
        _, operation, schema = edited(text, *actions)
        assert list(schema["properties"]) == ["a", "b", "c"]
        assert [each for each in operation.warnings if "overlay" in each] == list(operation.warnings)
        assert len(operation.warnings) == 2
    _, operation, schema = edited(text, on("a", hidden=True), on("b", fixed="y"))
    assert list(schema["properties"]) == ["c"]
    assert [each.get("fixed") for each in json.loads(operation.plan_json)["parameters"]] == [None, "x", "y"]


def post(properties: JsonObject, **more: JsonValue) -> str:
    content: JsonObject = {
        "application/json": {"schema": {"type": "object", "properties": properties, **more}}
    }
    return document_text(
        paths={"/a": {"post": {"operationId": "a", "requestBody": {"required": True, "content": content}}}}
    )


SCHEMA = "$.paths['/a'].post.requestBody.content['application/json'].schema"


def test_a_withheld_property_is_in_no_schema_and_refused_at_its_place() -> None:
    """Ruling 54: at any depth, also where further properties are taken."""
    deep: JsonObject = {
        "type": "object",
        "properties": {"b": TEXT, "internal": TEXT},
        "required": ["internal", "b"],
    }
    edits: list[JsonObject] = [
        {"target": f"{SCHEMA}.properties.dry", "update": says(fixed=True)},
        {"target": f"{SCHEMA}.properties.a.properties.internal", "update": says(fixed="x", description="-")},
    ]
    tools, operation, schema = edited(post({"a": deep, "dry": {"type": "boolean"}}), *edits)
    assert schema["properties"] == {"a": {"type": "object", "properties": {"b": TEXT}, "required": ["b"]}}
    validator = ArgumentValidator(
        tools.schema_of(operation.key).schema_json, check=withheld_check(operation.plan_json)
    )
    validator.validate_arguments({"a": {"b": "1", "other": "2"}, "further": 1})
    for arguments, said in (
        ({"dry": False}, 'There is no argument "dry".'),
        ({"a": {"b": "1", "internal": "y"}}, 'There is no property "internal" in "body.a".'),
    ):
        with pytest.raises(ArgumentError, match="There is no") as refused:
            validator.validate_arguments(cast(JsonObject, arguments))
        assert str(refused.value) == said


def test_fixed_values_are_told_with_their_places() -> None:
    """Ruling 54: the review shows them as what they are."""
    schemas = "$.components.schemas.Node.properties"
    document = json.loads(post({"n": {"$ref": "#/components/schemas/Node"}}))
    below: JsonObject = {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}
    node: JsonObject = {"type": "object", "properties": {"unit": TEXT, "below": below}}
    document["components"] = {"schemas": {"Node": node}}
    document["paths"]["/a"]["post"]["parameters"] = [parameter("env")]
    edits: list[JsonObject] = [
        {"target": "$.paths['/a'].post.parameters[0]", "update": says(fixed="prod")},
        {"target": f"{schemas}.unit", "update": says(fixed="EUR")},
    ]
    _, operation, _ = edited(json.dumps(document), *edits)
    assert fixed_values(operation.plan_json) == [
        ("query", "env", "prod"),
        ("body", "n.unit", "EUR"),
        ("body", "n.below.unit", "EUR"),
    ]
    assert fixed_values(edited(get())[1].plan_json) == []


def test_only_arguments_have_another_name() -> None:
    """A name further down would be one more mapping, and no user sees it."""
    deep: JsonObject = {"type": "object", "properties": {"b": TEXT}}
    edit: JsonObject = {
        "target": f"{SCHEMA}.properties.a.properties.b",
        "update": says(name="c", hidden=False),
    }
    _, operation, schema = edited(post({"a": deep}), edit)
    assert list(schema["properties"]["a"]["properties"]) == ["b"]
    assert operation.warnings == (
        "The property 'b' keeps its name: an edit can only choose that of an argument.",
    )
    assert "withheld" not in json.loads(operation.plan_json)


def test_names_that_clash_are_told_apart_as_always() -> None:
    """A chosen name is as good as one of the document."""
    edits = [on("a", name="x"), on("b", name="x")]
    _, operation, schema = edited(get(parameter("a"), parameter("b")), *edits)
    assert list(schema["properties"]) == ["x", "x__query"]
    assert [each["argument"] for each in json.loads(operation.plan_json)["parameters"]] == ["x", "x__query"]


def test_an_argument_of_an_mcp_tool_is_edited_the_same_way() -> None:
    """Issue 41: the plan puts the value into the call; what the server itself defines stays."""
    tool: JsonObject = {
        "name": "find",
        "inputSchema": {"type": "object", "properties": {"q": TEXT, "env": TEXT}, "required": ["q", "env"]},
    }
    text = json.dumps({"mcp": "2025-06-18", "endpoint": "http://a.test/mcp", "tools": [tool]})
    properties = "$.tools[0].inputSchema.properties"
    edits: list[JsonObject] = [
        {"target": f"{properties}.q", "update": says(name="query")},
        {"target": f"{properties}.env", "update": says(fixed="prod")},
    ]
    _, operation, schema = edited(text, *edits)
    plan = json.loads(operation.plan_json)
    assert schema == {"type": "object", "properties": {"query": TEXT}, "required": ["query"]}
    assert plan["body"]["properties"] == [{"argument": "query", "name": "q"}]
    assert plan["withheld"]["places"] == [{"refused": ["env"], "fixed": [["env", "prod"]]}]
    assert plan["tool"] == tool


def test_a_tool_that_takes_any_argument_refuses_the_old_name_of_a_renamed_one() -> None:
    """Ruling 54: the old name would overwrite what came under the new one."""
    schema: JsonObject = {"type": "object", "properties": {"q": TEXT, "r": TEXT}}
    tool: JsonObject = {"name": "find", "inputSchema": schema}
    text = json.dumps({"mcp": "2025-06-18", "endpoint": "http://a.test/mcp", "tools": [tool]})
    rename: JsonObject = {"target": "$.tools[0].inputSchema.properties.q", "update": says(name="query")}
    _, operation, _ = edited(text, rename)
    check = withheld_check(operation.plan_json)
    assert check is not None
    check({"query": "a", "r": "b", "further": "c"})
    with pytest.raises(ArgumentError, match=r'There is no argument "q"\.'):
        check({"query": "a", "q": "b"})


def test_a_form_field_of_swagger_is_edited_too() -> None:
    """There it is a parameter, and becomes a property."""
    field: JsonObject = {"name": "dry", "in": "formData", "type": "boolean"}
    node: JsonObject = {"consumes": ["multipart/form-data"], "parameters": [field, {**field, "name": "a"}]}
    text = json.dumps({"swagger": "2.0", "host": "a.test", "paths": {"/a": {"post": node}}})
    edit: JsonObject = {"target": "$.paths['/a'].post.parameters[0]", "update": says(fixed=True)}
    _, operation, schema = edited(text, edit)
    assert list(schema["properties"]) == ["a"]
    assert json.loads(operation.plan_json)["withheld"]["places"][0]["fixed"] == [["dry", True]]


def test_a_document_with_more_places_than_are_kept_loses_the_operation_not_the_rule() -> None:
    """What cannot be refused everywhere must not be sent at all."""
    hidden: JsonObject = {"properties": {"h": says(hidden=True)}}
    plain = tools_of(post({"x": {"properties": {f"p{number}": hidden for number in range(600)}}}))
    assert plain.compiled.operations == ()
    assert plain.compiled.skipped == (
        Skipped("POST", "/a", "Edits withhold properties in more than 500 places of it."),
    )


VALUES: list[JsonValue] = [True, False, 0, 2**53, 1.5, "", "a", "a b", "__proto__", None, [], {}]
SAID = st.dictionaries(
    st.sampled_from(["name", "description", "hidden", "fixed", "order"]), st.sampled_from(VALUES), max_size=3
)


@given(SAID)
def test_what_the_schema_of_the_reference_allows_is_read_and_nothing_else(said: dict[str, JsonValue]) -> None:
    """An editor that checks by the schema must not pass what the bridge leaves out, nor the other way."""
    page = (Path(__file__).parents[4] / "docs/reference/x-tool-bridge.md").read_text(encoding="utf-8")
    schema: Any = json.loads(page.split("```json\n")[2].partition("```")[0])
    edit = read_argument_edit(says(**said), "a", {}, is_required=False, may_fix=True)
    is_exact = said.get("fixed") != 2**53
    assert (jsonschema_rs.is_valid(schema, said) and is_exact) is (edit.problems == ())
