"""Documents of several files."""

import json

import pytest

from toolserver.bundle import MAX_FILES, Bundle, bundle_document
from toolserver.document import Limits, parse_document
from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject, JsonValue

SOURCE = "https://docs.example/api/openapi.yaml"


def document(*references: str, **root: JsonValue) -> str:
    schemas: JsonObject = {f"S{number}": {"$ref": ref} for number, ref in enumerate(references)}
    return json.dumps({"openapi": "3.1.0", "paths": {}, "components": {"schemas": schemas}, **root})


def bundled(text: str, source_url: str | None = SOURCE, **texts: str) -> Bundle:
    """Files by name beside the document."""
    return bundle_document(
        text,
        source_url=source_url,
        texts={f"https://docs.example/api/{name}.yaml": content for name, content in texts.items()},
    )


def target_of(bundle: Bundle, name: str = "S0") -> JsonValue:
    read = parse_document(bundle.text)
    return read.follow(read.resolve(f"#/components/schemas/{name}"))


def test_a_document_without_other_files_is_left_as_it_is() -> None:
    """Its digest must not change, nor its order or its comments."""
    text = "# mine\n" + document("#/components/schemas/S1", "urn:example:x", components_="")
    assert bundled(text) == Bundle(text, (), ())


def test_missing_files_are_listed_once_as_addresses() -> None:
    """Whoever can fetch reads this list."""
    text = document("a.yaml#/A", "./a.yaml#/B", "../b.json", "https://other.example/c.yaml#/C")
    assert bundled(text).missing == (
        "https://docs.example/api/a.yaml",
        "https://docs.example/b.json",
        "https://other.example/c.yaml",
    )


def test_a_relative_reference_needs_an_address() -> None:
    """A pasted document has none; what is left fails with a reason where it is used."""
    assert bundled(document("a.yaml#/A", "https://other.example/c.yaml"), None).missing == (
        "https://other.example/c.yaml",
    )


def test_references_lead_into_the_bundled_files() -> None:
    """By pointer and to the whole file, from YAML as from JSON."""
    bundle = bundled(document("a.yaml#/A", "b.yaml"), a="A: {type: integer}", b="type: string")
    assert bundle.missing == ()
    assert (target_of(bundle), target_of(bundle, "S1")) == ({"type": "integer"}, {"type": "string"})


def test_references_of_files_are_relative_to_them() -> None:
    """To themselves, to other files, and back to the document."""
    bundle = bundled(
        document("a.yaml#/A", "a.yaml#/B", "a.yaml#/C", Own={"type": "null"}),
        a="A: {$ref: '#/D'}\nB: {$ref: 'b.yaml#/x'}\nC: {$ref: 'openapi.yaml#/Own'}\nD: {type: integer}",
        b="x: {type: number}",
    )
    assert [target_of(bundle, name) for name in ("S0", "S1", "S2")] == [
        {"type": "integer"},
        {"type": "number"},
        {"type": "null"},
    ]


def test_files_that_refer_to_each_other_end() -> None:
    """A circle of files is one of references, which every reader can stop."""
    bundle = bundled(
        document("a.yaml"), a="properties: {b: {$ref: b.yaml}}", b="properties: {a: {$ref: a.yaml}}"
    )
    assert bundle.missing == ()
    assert json.loads(bundle.text)["x-bundled"]["2"] == {"properties": {"a": {"$ref": "#/x-bundled/1"}}}


def test_aliased_nodes_are_rewritten_once() -> None:
    """YAML shares them; a second rewriting would break the reference."""
    bundle = bundled(
        document("a.yaml#/A"),
        a="x: &x {$ref: '#/T'}\nA: {properties: {p: *x, q: {items: *x}}}\nT: {type: integer}",
    )
    assert target_of(bundle) == {
        "properties": {"p": {"$ref": "#/x-bundled/1/T"}, "q": {"items": {"$ref": "#/x-bundled/1/T"}}}
    }


def test_the_documents_own_name_is_no_other_file() -> None:
    """`$self` (3.2) and `$id` (3.1) name what is here already."""
    root: JsonObject = {"$self": "https://apis.example/main", "Own": {"$id": "https://apis.example/pet"}}
    text = document("https://apis.example/main#/Own", "https://apis.example/pet", **root)
    bundle = bundled(text)
    assert (bundle.missing, bundle.text) == ((), text)


def test_a_broken_file_costs_only_what_needs_it() -> None:
    """The reason is told."""
    bundle = bundled(document("a.yaml#/A", "b.yaml#/B"), a="{", b="B: {type: integer}")
    assert target_of(bundle, "S1") == {"type": "integer"}
    (problem,) = bundle.problems
    assert problem.startswith("The file 'https://docs.example/api/a.yaml' cannot be read. ")


def test_anchors_of_files_keep_their_names() -> None:
    """They name a node wherever it stands."""
    bundle = bundled(document("a.yaml#here"), a="A: {$anchor: here, type: integer}")
    assert target_of(bundle) == {"$anchor": "here", "type": "integer"}


def test_there_is_an_end_to_files_and_bytes() -> None:
    """A document must not make the bridge read the whole web."""
    names = [f"f{number}" for number in range(MAX_FILES + 1)]
    with pytest.raises(DocumentError) as failure:
        bundled(document(*(f"{name}.yaml" for name in names)), **dict.fromkeys(names, "{}"))
    assert failure.value.code == "too_many_files"
    with pytest.raises(DocumentError) as failure:
        bundle_document(
            document("a.yaml"),
            source_url=SOURCE,
            texts={"https://docs.example/api/a.yaml": "x" * 1000},
            limits=Limits(max_bytes=500),
        )
    assert failure.value.code == "too_large"
