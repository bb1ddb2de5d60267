"""How scalars were written, carried from the files of a document into one text."""

import json
from typing import cast

import pytest

from toolserver.json_types import JsonObject, JsonValue, WrittenArray, WrittenObject
from toolserver.openapi.bundle import bundle_document
from toolserver.openapi.document import parse_document, read_value
from toolserver.openapi.json_text import MAX_TEXTS


def bundled(text: str, other: str) -> JsonObject:
    """The bundle of a document and the file `a.yaml` beside it."""
    source_url, address = "https://docs.example/openapi.yaml", "https://docs.example/a.yaml"
    found = bundle_document(text, source_url=source_url, texts={address: other}).text
    assert found is not None
    return cast(JsonObject, json.loads(found))


def test_scalars_stay_as_they_were_written_in_every_file() -> None:
    """Finding W-3: a bundle is JSON, which has no 08; split documents are YAML more often than not."""
    schema = "{type: string, default: TRUE, enum: [08, {x: [1.10]}, TRUE, plain]}"
    own = (
        f"openapi: 3.1.0\npaths: {{}}\ncomponents: {{schemas: {{S0: {{$ref: 'a.yaml#/A'}}, B: {schema}}}}}\n"
    )
    root = bundled(own, f"A: {schema}\n")
    assert root["x-as-written"] == {
        "components": {
            "schemas": {"B": {"default": "TRUE", "enum": {"0": "08", "1": {"x": {"0": "1.10"}}, "2": "TRUE"}}}
        },
        "x-bundled": {
            "a": {"A": {"default": "TRUE", "enum": {"0": "08", "1": {"x": {"0": "1.10"}}, "2": "TRUE"}}}
        },
    }
    for name in ("S0", "B"):
        read = parse_document(json.dumps(root))
        target = read.follow_refs(read.resolve_ref(f"#/components/schemas/{name}"))
        assert isinstance(target, WrittenObject)
        values = target["enum"]
        assert isinstance(values, WrittenArray)
        assert (target.texts, values.texts) == ({"default": "TRUE"}, {0: "08", 2: "TRUE"})
    plain = own.replace("TRUE", "x").replace("08", "x").replace("1.10", "x")
    assert "x-as-written" not in bundled(plain, "A: {type: string}\n")


@pytest.mark.parametrize(
    "texts",
    ["text", [1], {"info": "text", "none": {"a": "b"}, "paths": {"x": {}}, "tags": {"7": "a", "x": "b"}}],
)
def test_texts_that_belong_nowhere_are_passed_over(texts: JsonValue) -> None:
    """Whoever writes such a field into a document of theirs must not break it."""
    root: JsonObject = {"openapi": "3.1.0", "paths": {}, "tags": ["a", 1], "x-as-written": texts}
    read = parse_document(json.dumps(root))
    assert (read.root["paths"], read.root["tags"], read.title) == ({}, ["a", 1], "Untitled API")


@pytest.mark.parametrize(
    "head", ["openapi: 3.1.0\npaths: {}\nx: ", '{"openapi": "3.1.0", "paths": {}, "x": ']
)
def test_too_many_texts_are_told(head: str) -> None:
    """Finding W-3: a limit keeps a hostile text from filling the memory, and is said like any other."""
    values = "[" + "1.10, " * MAX_TEXTS + "1.10]"
    read = parse_document(head + values + ("}" if head.startswith("{") else ""))
    listed = read.root["x"]
    assert isinstance(listed, WrittenArray)
    assert len(listed.texts) == MAX_TEXTS
    assert read.warnings == (
        "More than 100,000 numbers are written unusually; the others count by their values.",
    )


def test_merged_and_repeated_keys_have_the_text_of_the_value_that_counts() -> None:
    """Finding W-3: a text of another value would be worse than none."""
    text = "x: &x {a: 08, b: 1.10, c: 09}\ny: {<<: *x, a: 8, b: 2.20}\nz: {a: 08, a: 8, b: 1, b: 01}\n"
    root = read_value(text)
    assert isinstance(root, dict)
    merged, repeated = root["y"], root["z"]
    assert isinstance(merged, WrittenObject)
    assert isinstance(repeated, WrittenObject)
    assert (merged, merged.texts) == ({"a": 8, "b": 2.2, "c": 9}, {"b": "2.20", "c": "09"})
    assert (repeated, repeated.texts) == ({"a": 8, "b": 1}, {"b": "01"})


def test_lone_surrogates_and_texts_may_stand_together() -> None:
    """A text that has to be repaired is written anew; its numbers count by their values."""
    assert read_value('{"a": "\\ud800", "b": 1.10}') == {"a": "?", "b": 1.1}
    assert read_value("1.10") == 1.1
