"""One schema with its references and `allOf` parts merged."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.read import ShapeReader
from toolserver.schema.shape import Shape


def reader_of(**schemas: JsonValue) -> ShapeReader:
    return ShapeReader(document_with({}, components={"schemas": schemas}).resolve_ref)


def shape_of(schema: JsonValue, **schemas: JsonValue) -> Shape:
    return reader_of(**schemas).read_shape(schema)


def ref(name: str) -> JsonObject:
    return {"$ref": f"#/components/schemas/{name}"}


@pytest.mark.parametrize("keyword", ["nullable", "x-nullable"])
def test_a_schema_may_allow_null_beside_its_type(keyword: str) -> None:
    """`x-nullable` is how Swagger 2.0 documents say what OpenAPI 3.0 calls `nullable`."""
    shape = shape_of({"$ref": "#/components/schemas/Name", keyword: True}, Name={"type": "string"})
    assert (shape.types, shape.nullable) == (("string",), True)
    assert not shape_of({"type": "string", keyword: "true"}).nullable


FURTHER_KEYS: list[tuple[list[JsonValue], JsonValue]] = [
    ([{"properties": {}}], None),
    ([{"additionalProperties": True}], True),
    ([{"additionalProperties": {}}], True),
    ([{"additionalProperties": False}], False),
    ([{"additionalProperties": False}, {"properties": {}}], None),
    ([{"additionalProperties": False}, {"additionalProperties": {"type": "string"}}], {"type": "string"}),
    ([{"properties": {}}, {"unevaluatedProperties": False}], False),
    ([{"patternProperties": {"^x": {"type": "integer"}}}], None),
    ([{"patternProperties": {"^x": {}, "^y": {}}, "additionalProperties": False}], False),
    ([{"unevaluatedProperties": {"type": "string"}}], {"type": "string"}),
]


@pytest.mark.parametrize(("parts", "additional"), FURTHER_KEYS)
def test_parts_forbid_further_keys_only_together(parts: list[JsonValue], additional: JsonValue) -> None:
    """To the letter each part of an `allOf` forbids the properties of the others: nothing could be sent."""
    assert shape_of({"allOf": parts}).additional_schema() == additional


def test_keys_by_pattern_are_said_in_words() -> None:
    """Some readers drop the keyword."""
    part: JsonObject = {"patternProperties": {"^x": {"type": "integer"}, "^y": False, "^z": {}}}
    shape = shape_of({"allOf": [part, part]})
    assert shape.notes == ("Keys that match `^x`: integer; `^y`: none; `^z`: any value.",)
    assert shape.types == ("object",)


@pytest.mark.parametrize(
    ("first", "second", "types"),
    [
        ("number", "integer", ("integer",)),
        ("integer", "number", ("integer",)),
        (["string", "null"], "string", ("string",)),
        ("string", "object", ("string",)),
    ],
)
def test_the_types_of_all_parts_hold(first: JsonValue, second: JsonValue, types: tuple[str, ...]) -> None:
    """Parts that contradict each other are a fault of the document, reported but not fatal."""
    shape = shape_of({"allOf": [{"type": first}, {"type": second}]})
    assert shape.types == types
    assert bool(shape.problems) == (second == "object")


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"properties": {}}, ("object",)),
        ({"required": ["a"]}, ("object",)),
        ({"items": {}}, ("array",)),
        ({"maxLength": 2}, ("string",)),
        ({"minimum": 2}, ("number",)),
        ({"format": "int64"}, ("integer",)),
        ({"format": "date"}, ("string",)),
        ({"items": {}, "properties": {}}, ("object", "array")),
        ({"title": "T"}, None),
    ],
)
def test_a_type_that_is_not_stated_shows_in_the_keywords(
    schema: JsonObject, types: tuple[str, ...] | None
) -> None:
    """Untyped schemas are mangled to strings by one converter and lost by the other."""
    assert shape_of(schema).types == types


def test_what_stands_beside_a_reference_counts_and_wins() -> None:
    """OpenAPI 3.1 merges siblings of `$ref`; 3.0 ignores them, but authors write them for a reason."""
    shape = shape_of(
        {**ref("A"), "description": "Here.", "maxLength": 3}, A={"type": "string", "description": "A."}
    )
    assert (shape.description, shape.types, shape.keywords) == ("Here.", ("string",), {"maxLength": 3})


def test_a_property_that_one_part_makes_read_only_is_hidden_in_all() -> None:
    """Extending a schema by `readOnly` is how documents separate what is sent from what is returned."""
    shape = shape_of(
        {
            "allOf": [
                {"properties": {"id": {"type": "string"}}, "required": ["id"]},
                {"properties": {"id": {"readOnly": True}}},
                {"properties": {"id": {"maxLength": 3}, "never": False}},
            ]
        }
    )
    assert shape.properties == {}
    assert shape.hidden == {"id", "never"}
    assert shape.required_names() == []


@pytest.mark.parametrize(
    ("schema", "is_sent"),
    [
        ({"allOf": [ref("Plain"), {"readOnly": True}]}, False),
        ({"allOf": [{"allOf": [ref("Never")]}]}, False),
        ({**ref("Never"), "readOnly": False}, True),
        ({"allOf": [ref("Plain"), {"description": "Sent."}]}, True),
        (ref("Loop"), True),
    ],
)
def test_a_property_may_be_read_only_by_any_of_its_parts(schema: JsonObject, *, is_sent: bool) -> None:
    """Documents of 3.0 add the word to a reference by `allOf`, because beside `$ref` it does not count."""
    shape = shape_of(
        {"properties": {"id": schema}},
        Plain={"type": "object"},
        Never={"type": "string", "readOnly": True},
        Loop={"allOf": [ref("Loop")]},
    )
    assert ("id" in shape.properties) is is_sent


def test_a_property_of_endless_parts_is_not_followed_for_ever() -> None:
    """Hundreds of properties with hundreds of parts each would cost seconds for every body."""
    asked: list[str] = []

    def resolve(ref: str) -> JsonValue:
        asked.append(ref)
        return {"allOf": [{"$ref": f"{ref}a"}, {"$ref": f"{ref}b"}]}

    ShapeReader(resolve).read_shape({"properties": {"id": {"$ref": "#"}}})
    assert 0 < len(asked) <= 20


def test_allowed_values_of_all_parts_hold() -> None:
    """Parts narrow a list; a list narrowed to nothing would refuse every call, so the first stays."""
    assert shape_of({"allOf": [{"enum": [1, True, "a"]}, {"enum": [1, "a"]}]}).enum == [1, "a"]
    assert shape_of({"allOf": [{"enum": ["a"]}, {"enum": ["b"]}]}).enum == ["a"]


def test_a_branch_that_can_never_hold_or_is_alone_leaves_no_choice() -> None:
    """One form is no alternative; it belongs to the schema itself."""
    shape = shape_of({"type": "object", "anyOf": [False, {"properties": {"a": {}}}, {"type": "null"}]})
    assert shape.alternatives == ()
    assert shape.nullable
    assert list(shape.properties) == ["a"]


@pytest.mark.parametrize("null", [{"type": "null"}, {"const": None}, {"enum": [None]}])
def test_every_way_to_write_null_is_seen(null: JsonObject) -> None:
    """A branch of null alone is dropped by one converter and refused by some providers."""
    shape = shape_of({"oneOf": [null, {"type": "string"}]})
    assert (shape.types, shape.nullable, shape.alternatives) == (("string",), True, ())


def test_branches_that_only_forbid_say_nothing_to_a_model() -> None:
    """`not` beside `required` is how "at most one" is written; the names are what can be told."""
    shape = shape_of(
        {
            "type": "object",
            "anyOf": [{"required": ["a"], "not": {"required": ["b"]}}, {"required": ["b"]}],
        }
    )
    assert shape.notes == ("Needs at least one of: `a`; `b`.",)
    at_most = shape_of({"type": "object", "anyOf": [{"required": ["a"]}, {"not": {"required": ["a"]}}]})
    assert (at_most.notes, at_most.alternatives) == ((), ())
    array = shape_of({"anyOf": [{"type": "array", "required": ["a"]}, {"type": "string"}]})
    assert len(array.alternatives[0].branches) == 2


def test_names_that_every_form_requires_are_required() -> None:
    """The choice becomes a sentence, but what no choice leaves out can be asked for by a keyword."""
    shape = shape_of({"oneOf": [{"required": ["title", "a"]}, {"required": ["b", "title"]}]})
    assert shape.required == ("title",)
    assert shape.notes == ("Needs exactly one of: `title` and `a`; `b` and `title`.",)
    single = shape_of({"anyOf": [{"required": ["a"]}]})
    assert (single.required, single.notes) == (("a",), ())


def test_of_several_sets_of_alternatives_the_first_is_shown() -> None:
    """Their product would be the true schema, and as large as both multiplied."""
    first: JsonValue = [{"minimum": 1}, {"maximum": 0}]
    second: JsonValue = [{"type": "integer"}, {"type": "number"}]
    shape = shape_of({"allOf": [{"anyOf": first}, {"oneOf": second}]})
    assert [alternatives.branches for alternatives in shape.alternatives] == [first]
    assert shape.problems == ("only the first of several sets of alternatives is part of the schema",)


def test_values_without_a_meaning_become_a_list_without_a_note() -> None:
    """Nothing is invented for them."""
    shape = shape_of(
        {"anyOf": [{"type": "string", "enum": ["a", "b"], "x-a": 1}, {"type": "string", "const": "c"}]}
    )
    assert (shape.enum, shape.notes) == (["a", "b", "c"], ())
    objects = shape_of({"anyOf": [{"enum": [{"a": 1}]}, {"enum": [{"b": 1}]}]})
    assert len(objects.alternatives) == 1


def test_rules_that_cannot_be_carried_are_reported() -> None:
    """`check` tells the author what a model will not know."""
    large: JsonObject = {"enum": ["x" * 400]}
    shape = shape_of({"type": "object", "if": large, "then": {"required": ["a"]}, "not": large})
    assert shape.problems == ("the rules in not, if are not part of the schema",)


def test_the_common_part_of_alternatives_is_a_schema() -> None:
    """Each branch is read together with it."""
    shape = shape_of(
        {
            "title": "T",
            "type": "array",
            "enum": [[1]],
            "maxItems": 2,
            "items": {"type": "integer"},
            "prefixItems": [{"minimum": 1}],
        }
    )
    assert shape.as_schema == {
        "maxItems": 2,
        "type": ["array"],
        "enum": [[1]],
        "items": {"type": "integer"},
        "prefixItems": [{"minimum": 1}],
    }
    closed = shape_of({"properties": {"a": {}}, "required": ["a"], "additionalProperties": False})
    assert closed.as_schema == {
        "type": ["object"],
        "properties": {"a": {}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert shape_of({"description": "D", "title": "T"}).as_schema == {}


def test_lists_of_the_old_kind_are_tuples() -> None:
    """`items` as a list is JSON Schema before 2020."""
    shape = shape_of({"items": [{"type": "string"}], "additionalItems": False})
    assert (shape.prefix_items, shape.items, shape.keywords) == ([{"type": "string"}], None, {"maxItems": 1})
    both = shape_of(
        {"allOf": [{"items": {"type": "string"}}, {"items": {"maxLength": 2}}, {"items": {"type": "string"}}]}
    )
    assert both.items == {"allOf": [{"allOf": [{"type": "string"}, {"maxLength": 2}]}, {"type": "string"}]}


def test_a_schema_is_what_its_chain_of_references_names() -> None:
    """Meeting one of these again below is a circle; a base that is extended is not."""
    reader = reader_of(A=ref("B"), B={"allOf": [ref("C")]}, C={"type": "object"}, Loop=ref("Loop"))
    names = {"#/components/schemas/A", "#/components/schemas/B", "#/components/schemas/C"}
    assert reader.entry_refs(ref("A")) == names
    assert reader.entry_refs({"allOf": [ref("C"), {"description": "D"}]}) == {"#/components/schemas/C"}
    assert reader.entry_refs({"allOf": [ref("C"), {"properties": {}}]}) == frozenset()
    assert reader.entry_refs({"allOf": [ref("C"), ref("A")]}) == frozenset()
    assert reader.entry_refs(ref("Loop")) == {"#/components/schemas/Loop"}
    assert reader.entry_refs(ref("Gone")) == {"#/components/schemas/Gone"}
    assert reader.entry_refs(True) == frozenset()


def test_long_rules_in_words_are_cut() -> None:
    """A mapping of hundreds of forms would be repeated at each place that uses it."""
    mapping: JsonObject = {f"form{index}": "#/x" for index in range(1_000)}
    shape = shape_of({"discriminator": {"propertyName": "kind", "mapping": mapping}})
    assert len(shape.notes[0]) == 2_000
    assert shape.notes[0].startswith("`kind` tells which form it is: form0, form1, ")


def test_a_loop_of_references_among_branches_ends() -> None:
    """Following it to its end would never return."""
    shape = shape_of({"anyOf": [ref("A"), {"type": "string"}]}, A=ref("B"), B=ref("A"))
    assert shape.types is None
    assert shape.alternatives == ()


def test_alternatives_of_a_schema_on_the_trail_are_not_read_again() -> None:
    """A child that extends its parent would otherwise contain all its siblings, itself among them."""
    reader = reader_of(
        Pet={"properties": {"kind": {}}, "oneOf": [ref("Cat"), ref("Dog")]},
        Cat={"allOf": [ref("Pet"), {"properties": {"lives": {}}}]},
        Dog={"allOf": [ref("Pet")]},
    )
    assert len(reader.read_shape(ref("Pet")).alternatives) == 1
    cat = reader.read_shape(ref("Cat"), ["#/components/schemas/Pet"])
    assert (list(cat.properties), cat.alternatives) == (["kind", "lives"], ())


def test_a_reference_that_leads_nowhere_is_a_problem_and_no_exception() -> None:
    """One dead reference must not cost the operation."""
    shape = shape_of({"allOf": [ref("Gone"), {"type": "string"}]})
    assert shape.types == ("string",)
    assert ["Gone" in problem for problem in shape.problems] == [True]


def test_parts_that_are_no_schemas_are_passed_over() -> None:
    """Booleans, and nonsense where a schema should be."""
    shape = shape_of({"allOf": [True, 3, {"properties": {"a": "text"}}], "nullable": True})
    assert (shape.types, shape.properties, shape.nullable) == (("object",), {"a": "text"}, True)


def test_null_alone_is_told_from_null_among_others() -> None:
    """A value that must be null is neither a string nor anything."""
    assert shape_of({"type": "null"}).only_null
    assert shape_of({"const": None}).only_null
    assert not shape_of({"enum": ["a", None]}).only_null
    assert shape_of({"enum": ["a", None]}).nullable
    assert not shape_of({"type": "string", "enum": ["a", None]}).nullable


def test_what_branches_say_about_their_single_values_is_kept() -> None:
    """It is the only place where a document explains its codes."""
    shape = shape_of({"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "description": "Two."}]})
    assert (shape.enum, shape.notes) == ([1, 2], ("1 = One; 2 = Two.",))


def test_a_branch_that_says_nothing_leaves_the_others_in_place() -> None:
    """Intercom writes "other types" so; without the branch before it, the point of the operation is lost."""
    options: JsonObject = {"properties": {"options": {"type": "array"}}, "required": ["options"]}
    shape = shape_of({"type": "object", "oneOf": [options, {"title": "other type"}]})
    assert shape.alternatives[0].branches == [options, {"title": "other type"}]
    assert not shape.is_incomplete


@pytest.mark.parametrize(
    "branches", [[{}, {"title": "T"}], [{"required": ["a"]}, {}], [{"type": "null"}, {}], [True]]
)
def test_branches_of_which_one_says_nothing_and_none_describes_a_form_add_nothing(
    branches: list[JsonValue],
) -> None:
    """Whoever fits the branch that says nothing needs none of the others."""
    shape = shape_of({"type": "object", "properties": {"a": {}}, "anyOf": branches})
    assert (shape.alternatives, shape.notes) == ((), ())


def test_values_that_are_listed_beside_an_array_are_those_of_its_items() -> None:
    """No array would fit a list of texts: authors write the list one level too high."""
    shape = shape_of({"type": "array", "enum": ["a", "b"], "items": {"type": "string"}})
    assert (shape.types, shape.enum) == (("array",), None)
    assert shape.items == {"allOf": [{"type": "string"}, {"enum": ["a", "b"]}]}
    assert shape.problems == ("its list of values holds no array; they are taken as values of its items",)
    assert shape_of({"type": "array", "enum": ["a"]}).items == {"enum": ["a"]}
    assert shape_of({"type": "array", "enum": [["a"], []]}).enum == [["a"], []]


def test_parts_without_a_common_value_are_reported() -> None:
    """Nothing fits both lists, which no tool can say; the author has to hear of it."""
    shape = shape_of({"allOf": [{"enum": ["a"]}, {"enum": ["b"]}]})
    assert shape.enum == ["a"]
    assert shape.problems == ("its parts have no value in common; the list of the first one counts",)
