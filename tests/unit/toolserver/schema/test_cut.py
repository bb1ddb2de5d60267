"""Where a description ends, what is needed is still said, and nothing right is refused."""

from typing import cast

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.documents.schemas import flat, flat_with_warnings
from tests.support.examples import examples
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue, dump_json
from toolserver.schema.strict import strict_schema
from toolserver.schema.write import free_form
from toolserver.tool.argument_schemas import Budget

TEXT: JsonObject = {"type": "string"}
ANY_OBJECT: JsonObject = {"type": "object", "properties": {}}


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


def needing(**properties: JsonValue) -> JsonObject:
    """An object that needs all of these keys."""
    return {"type": "object", "required": [*properties], "properties": properties}


def with_more(schema: JsonObject, **properties: JsonValue) -> JsonObject:
    """The object with keys that it does not need."""
    return {**schema, "properties": {**cast(JsonObject, schema["properties"]), **properties}}


def cuts_in(schema: JsonValue) -> list[JsonObject]:
    """The cut objects that keep something, outermost first."""
    found: list[JsonObject] = []
    if isinstance(schema, dict):
        if schema.get("additionalProperties") is True:
            found.append(schema)
        for value in schema.values():
            found += cuts_in(value)
    if isinstance(schema, list):
        for value in schema:
            found += cuts_in(value)
    return found


def kept(schema: JsonValue, **schemas: JsonValue) -> JsonObject:
    """What the only cut of a schema keeps of its keys."""
    (cut,) = cuts_in(flat(schema, budget=None, **schemas))
    assert cut["required"] == [*cast(JsonObject, cut["properties"])]
    return cast(JsonObject, cut["properties"])


def complaint_about(value: JsonValue, schema: JsonValue, **schemas: JsonValue) -> str:
    """What is wrong with an argument; "" when it fits."""
    form: JsonObject = {"type": "object", "properties": {"a": flat(schema, budget=None, **schemas)}}
    try:
        ArgumentValidator(dump_json(form)).validate_arguments({"a": value})
    except ArgumentError as error:
        return str(error)
    return ""


def test_a_tree_needs_in_its_leaves_what_it_needs_at_its_root() -> None:
    """Finding O-7: `{}` passed for a child without a name, and only the API refused it."""
    tree = needing(name=TEXT, children={"type": "array", "items": ref("N")})
    assert kept(ref("N"), N=tree) == {"name": TEXT, "children": {"type": "array", "items": ANY_OBJECT}}
    assert complaint_about({"name": "a", "children": [{}]}, ref("N"), N=tree) == (
        "`a.children[0]` lacks the required `name`. `a.children[0]` lacks the required `children`."
    )
    leaf: JsonObject = {"name": "b", "children": [], "color": "red"}
    assert complaint_about({"name": "a", "children": [leaf]}, ref("N"), N=tree) == ""


def test_a_list_that_needs_itself_is_told_once_more() -> None:
    """Finding O-7: what closes the circle again is an object without its inside, no endless form."""
    link = needing(value={"type": "integer"}, next=ref("Link"))
    assert kept(ref("Link"), Link=link) == {"value": {"type": "integer"}, "next": ANY_OBJECT}


def test_schemas_that_need_each_other_are_cut_with_their_keys() -> None:
    """Finding O-7: the circle may lead through another schema."""
    one, other = needing(id=TEXT, other=ref("Other")), needing(count={"type": "integer"}, one=ref("One"))
    assert kept(ref("One"), One=one, Other=other) == {"id": TEXT, "other": ANY_OBJECT}


def test_a_list_of_lists_keeps_one_level_of_them() -> None:
    """Finding O-7: a needed array says what its items are, and what theirs are is any value."""
    rows: JsonObject = {"type": "array", "items": {"type": "array", "items": ref("N")}}
    scalars: JsonObject = {"type": "array", "items": {"type": "number"}}
    assert kept(ref("N"), N=needing(rows=rows, sums=scalars)) == {
        "rows": {"type": "array", "items": {"type": "array", "items": free_form()}},
        "sums": scalars,
    }


def test_what_an_extension_of_the_circle_needs_is_kept_too() -> None:
    """Finding O-7: `allOf` across the circle adds to what is needed."""
    child: JsonObject = {"allOf": [ref("N"), needing(order={"type": "integer"})]}
    node = with_more(needing(name=TEXT), child=child)
    cuts = cuts_in(flat(ref("N"), N=node))
    assert cuts
    assert all({"name", "order"} <= set(cast(list[str], cut["required"])) for cut in cuts)


def test_values_of_a_map_into_the_circle_need_their_keys() -> None:
    """Finding O-7: a map is one way into the circle."""
    node = with_more(needing(name=TEXT), by_key={"type": "object", "additionalProperties": ref("N")})
    assert kept(ref("N"), N=node) == {"name": TEXT}
    assert "lacks the required `name`" in complaint_about(
        {"name": "a", "by_key": {"x": {}}}, ref("N"), N=node
    )


def test_an_alternative_that_is_the_circle_needs_its_keys() -> None:
    """Finding O-7: and one that is a text stays a text."""
    node = needing(name=TEXT, inner={"oneOf": [ref("N"), TEXT]})
    assert complaint_about({"name": "a", "inner": "b"}, ref("N"), N=node) == ""
    assert complaint_about({"name": "a", "inner": {}}, ref("N"), N=node) != ""
    assert complaint_about({"name": "a", "inner": {"name": "b", "inner": "c"}}, ref("N"), N=node) == ""


def test_a_schema_cut_for_its_size_keeps_what_it_needs() -> None:
    """Finding O-7: PayPal's `country_code` was below a cut that no circle had made."""
    address = needing(country_code=TEXT, lines={"type": "array", "items": TEXT})
    schema, warnings = flat_with_warnings(needing(payer=needing(address=address)), {}, Budget(depth=2))
    (cut,) = cuts_in(schema)
    assert cut["required"] == ["address"]
    assert warnings == ["a.payer: too large or too deep to describe; only the keys that it needs are told"]


def test_read_only_and_hidden_keys_are_not_needed_in_a_request() -> None:
    """Finding O-7: a caller does not send them, so a cut must not ask for them."""
    node = needing(id={"type": "integer", "readOnly": True}, name=TEXT, child=ref("N"), never=False)
    assert [*kept(ref("N"), N=node)] == ["name", "child"]
    bare = with_more(needing(id={"type": "integer", "readOnly": True}), child=ref("N"))
    assert complaint_about({"child": {}}, ref("N"), N=bare) == ""


def test_null_stays_allowed_where_a_kept_key_may_be_null() -> None:
    """Finding O-7: the last link of a list is null, and needed."""
    optional: JsonObject = {"anyOf": [ref("N"), {"type": "null"}]}
    node = needing(value={"type": ["integer", "null"]}, next=optional)
    assert complaint_about({"value": 1, "next": {"value": None, "next": None}}, ref("N"), N=node) == ""
    assert kept(ref("N"), N=node)["value"] == {"type": ["integer", "null"]}


def test_the_value_of_a_discriminator_is_kept_and_a_long_list_is_not() -> None:
    """Finding O-7: one value costs a few tokens and is most of what such a key says."""
    kind: JsonObject = {"type": "string", "enum": ["group"]}
    country: JsonObject = {"type": "string", "enum": [f"C{number}" for number in range(200)]}
    assert kept(ref("N"), N=needing(kind=kind, country=country, inner=ref("N"))) == {
        "kind": kind,
        "country": TEXT,
        "inner": ANY_OBJECT,
    }


def test_a_tool_with_a_cut_is_not_strict() -> None:
    """Finding O-7: a strict form would forbid the keys that a cut leaves out."""
    tree = flat(ref("N"), N=needing(name=TEXT, children={"type": "array", "items": ref("N")}))
    schema: JsonObject = {"type": "object", "properties": {"a": tree}, "required": ["a"]}
    assert strict_schema(dump_json(schema)).reason == "`a.children[]` is not described in full."


def test_a_cut_keeps_at_most_twenty_keys() -> None:
    """Finding O-7: a hostile document may need thousands, in hundreds of places."""
    many = needing(**{f"k{number}": TEXT for number in range(100)}, inner=ref("N"))
    (cut,) = cuts_in(flat(ref("N"), N=many))
    assert len(cast(list[str], cut["required"])) == 20


NAMES = ("A", "B", "C")
SCALARS = st.sampled_from(
    [
        TEXT,
        {"type": "integer"},
        {"type": ["number", "null"]},
        {"type": "boolean"},
        {"type": "string", "enum": ["x", "y"]},
        {"type": "string", "readOnly": True},
        {},
    ]
)
REFS = st.sampled_from([ref(name) for name in NAMES])
MEMBERS = st.recursive(
    SCALARS | REFS,
    lambda inner: st.one_of(
        inner.map(lambda items: {"type": "array", "items": items}),
        inner.map(lambda values: {"type": "object", "additionalProperties": values}),
        st.tuples(REFS, SCALARS).map(lambda forms: {"anyOf": [*forms]}),
        REFS.map(lambda form: {"anyOf": [form, {"type": "null"}]}),
        st.tuples(REFS, inner).map(lambda parts: {"allOf": [parts[0], needing(z=parts[1])]}),
    ),
    max_leaves=3,
)


def object_of(properties: JsonObject, needed: set[str]) -> JsonObject:
    required: list[JsonValue] = [name for name in properties if name in needed]
    return {"type": "object", "properties": properties, "required": required}


OBJECTS = st.builds(
    object_of,
    st.dictionaries(st.sampled_from("pqrz"), MEMBERS, min_size=1),
    st.sets(st.sampled_from("pqrz")),
)
SCHEMAS = st.fixed_dictionaries(dict.fromkeys(NAMES, OBJECTS))


def without_read_only(schema: JsonValue) -> JsonValue:
    """The schema as it holds for requests: read-only keys are not needed, whoever requires them."""
    if isinstance(schema, list):
        return [without_read_only(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: without_read_only(value) for key, value in schema.items()}
    properties = cast(JsonObject, schema.get("properties", {}))
    hidden = {name for name, each in properties.items() if isinstance(each, dict) and each.get("readOnly")}
    if "required" in plain:
        plain["required"] = [name for name in cast(list[str], plain["required"]) if name not in hidden]
    return plain


def value_for(draw: st.DrawFn, schema: JsonObject, schemas: JsonObject, left: int) -> JsonValue:
    """A value that probably fits; without needless keys where nothing is `left`."""
    if "$ref" in schema:
        name = cast(str, schema["$ref"]).rsplit("/", 1)[-1]
        return value_for(draw, cast(JsonObject, schemas[name]), schemas, left)
    if "allOf" in schema:
        merged: JsonObject = {}
        for part in cast(list[JsonObject], schema["allOf"]):
            value = value_for(draw, part, schemas, left)
            merged |= value if isinstance(value, dict) else {}
        return merged
    if "anyOf" in schema:
        forms = cast(list[JsonObject], schema["anyOf"])
        return value_for(draw, forms[-1] if left <= 0 else draw(st.sampled_from(forms)), schemas, left)
    if schema.get("type") == "array":
        items = cast(JsonObject, schema["items"])
        most = 1 if left > 0 else 0
        return [value_for(draw, items, schemas, left - 1) for _ in range(draw(st.integers(0, most)))]
    if schema.get("type") == "object":
        return object_for(draw, schema, schemas, left)
    types = cast("list[str] | str | None", schema.get("type"))
    kind = draw(st.sampled_from(types)) if isinstance(types, list) else types
    samples: dict[str | None, JsonValue] = {
        "string": "x", "integer": 1, "number": 0.5, "boolean": True, "null": None, None: ["any"],
    }  # fmt: skip
    return samples[kind]


def object_for(draw: st.DrawFn, schema: JsonObject, schemas: JsonObject, left: int) -> JsonObject:
    needed = cast(list[str], schema.get("required", []))
    assume(left > -6)
    value: JsonObject = {"more": 1} if left > 0 and "additionalProperties" not in schema else {}
    for name, each in cast(dict[str, JsonObject], schema.get("properties", {})).items():
        is_sent = name in needed or (left > 0 and draw(st.booleans()))
        if is_sent and not each.get("readOnly"):
            value[name] = value_for(draw, each, schemas, left - 1)
    further = schema.get("additionalProperties")
    if isinstance(further, dict) and left > 0:
        value["k"] = value_for(draw, further, schemas, left - 1)
    return value


@st.composite
def circles_with_values(draw: st.DrawFn) -> tuple[JsonObject, JsonValue]:
    schemas = cast(JsonObject, draw(SCHEMAS))
    return schemas, value_for(draw, ref("A"), schemas, draw(st.integers(0, 6)))


@pytest.mark.wide
@examples(300)
@given(circles_with_values(), st.sampled_from([Budget(), Budget(depth=2), Budget(nodes=12)]))
def test_whatever_the_document_allows_a_cut_schema_allows(
    drawn: tuple[JsonObject, JsonValue], budget: Budget
) -> None:
    """Finding O-7: a cut that refuses what the API takes would be worse than one that takes anything."""
    schemas, value = drawn
    original: JsonObject = {"$ref": "#/components/schemas/A", "components": {"schemas": schemas}}
    judge = jsonschema_rs.Draft202012Validator(cast(JsonObject, without_read_only(original)), offline=True)
    assume(judge.is_valid(value))
    form, _ = flat_with_warnings(ref("A"), schemas, budget)
    arguments: JsonObject = {"type": "object", "properties": {"a": form}}
    ArgumentValidator(dump_json(arguments)).validate_arguments({"a": value})
