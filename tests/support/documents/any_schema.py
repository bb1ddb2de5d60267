"""Any schema that may stand in a document: every combination of keywords, right and wrong, with circles."""

from typing import cast

from hypothesis import strategies as st

from toolserver.json_types import JsonObject

NAMES = ("A", "B", "C")
REFS = tuple(f"#/components/schemas/{name}" for name in NAMES)


def as_schema(drawn: object) -> JsonObject:
    return cast(JsonObject, drawn)


def both_of(plain: JsonObject, more: object) -> JsonObject:
    return plain | as_schema(more)


PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(
            ["string", "integer", "object", "array", "null", "any", ["string", "null"], ["object", "array"]]
        ),
        "nullable": st.booleans(),
        "enum": st.lists(st.sampled_from([1, "a", None, True, 1.5, "b", {"x": 1}]), max_size=4),
        "const": st.sampled_from([1, "a", None]),
        "minimum": st.sampled_from([0, "1e3", "x", True, 2**70, 1.5]),
        "exclusiveMinimum": st.sampled_from([True, 3, "4"]),
        "maxLength": st.sampled_from([3, -1, "5", 2.0, 1.5]),
        "pattern": st.sampled_from(["^a", "(", 3]),
        "required": st.sampled_from([["p"], ["p", "p", 1], True, None]),
        "readOnly": st.booleans(),
        "default": st.sampled_from([None, "x", 2**70, [1]]),
        "description": st.text(max_size=5),
        "format": st.sampled_from(["int32", "date", 4]),
        "$ref": st.sampled_from([*REFS, "#/nowhere", "x.yaml#/y"]),
        "$dynamicRef": st.sampled_from([REFS[1], "#node", 1]),
        "$dynamicAnchor": st.just("node"),
    },
)  # fmt: skip
SCHEMAS = st.recursive(
    PLAIN.map(as_schema) | st.booleans() | st.sampled_from(["text", 1, None]),
    lambda inner: st.builds(
        both_of,
        PLAIN.map(as_schema),
        st.fixed_dictionaries(
            {},
            optional={
                "properties": st.dictionaries(st.sampled_from(["p", "q", "$ref", ""]), inner, max_size=3),
                "patternProperties": st.dictionaries(st.sampled_from(["^p", "q"]), inner, max_size=2),
                "additionalProperties": inner,
                "unevaluatedProperties": inner,
                "propertyNames": inner,
                "dependentRequired": st.sampled_from([{"p": ["q"]}, {"q": []}, {"p": True}, True]),
                "discriminator": st.sampled_from([{"propertyName": "p", "mapping": {"m": REFS[0]}}, {}, "p"]),
                "not": inner,
                "if": inner,
                "then": inner,
                "contains": inner,
                "dependentSchemas": st.dictionaries(st.sampled_from(["p"]), inner, max_size=1),
                "items": inner | st.lists(inner, max_size=2),
                "prefixItems": st.lists(inner, max_size=2),
                "anyOf": st.lists(inner, max_size=3),
                "oneOf": st.lists(inner, max_size=3),
                "allOf": st.lists(inner, max_size=3),
            },
        ),
    ),
    max_leaves=12,
)
