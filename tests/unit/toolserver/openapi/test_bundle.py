"""Documents of several files."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.compiled import compiled, document_text, operation
from toolserver.errors import DocumentError, ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.bundle import MAX_FILES, Bundle, Problem, bundle_document
from toolserver.openapi.document import DocumentLimits, parse_document

SOURCE = "https://docs.example/api/openapi.yaml"
A = "https://docs.example/api/a.yaml"


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


def root_of(bundle: Bundle) -> dict[str, Any]:
    assert bundle.text is not None
    return json.loads(bundle.text)


def target_of(bundle: Bundle, name: str = "S0") -> JsonValue:
    assert bundle.text is not None
    read = parse_document(bundle.text)
    return read.follow_refs(read.resolve_ref(f"#/components/schemas/{name}"))


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


@pytest.mark.parametrize(
    "reference",
    ["http://[bad/a.yaml#/A", "http:///a.yaml", "ftp://h/a.yaml", "urn:x", "x" * 5000 + ".yaml", "%"],
)
@pytest.mark.parametrize("source", [SOURCE, None, "no address", "http://[bad"])
def test_what_is_no_address_is_never_asked_for(reference: str, source: str | None) -> None:
    """Nor does it end the reading of the rest."""
    bundle = bundled(document(reference, "https://h.example/b.yaml"), source)
    assert {url.partition("/")[0] for url in bundle.missing} == {"https:"}
    assert "https://h.example/b.yaml" in bundle.missing
    named = {reference.partition("#")[0]: "{}"}
    again = bundle_document(document(reference), source_url=source, texts=named, omitted=named)
    assert again.problems == ()


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
    assert root_of(bundle)["x-bundled"]["b"] == {"properties": {"a": {"$ref": "#/x-bundled/a"}}}


def test_aliased_nodes_are_rewritten_once() -> None:
    """YAML shares them; a second rewriting would break the reference."""
    bundle = bundled(
        document("a.yaml#/A"),
        a="x: &x {$ref: '#/T'}\nA: {properties: {p: *x, q: {items: *x}}}\nT: {type: integer}",
    )
    assert target_of(bundle) == {
        "properties": {"p": {"$ref": "#/x-bundled/a/T"}, "q": {"items": {"$ref": "#/x-bundled/a/T"}}}
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
    assert (problem.url, "JSON" in problem.reason) == (A, True)
    assert bundled(document("a.yaml"), a="Not found").problems == (
        Problem(A, "The text is not an object in JSON or YAML."),
    )
    with pytest.raises(ReferenceFailed, match=r"another file, which is left out: The text"):
        target_of(bundle)


def test_anchors_of_files_keep_their_names() -> None:
    """They name a node wherever it stands."""
    bundle = bundled(document("a.yaml#here"), a="A: {$anchor: here, type: integer}")
    assert target_of(bundle) == {"$anchor": "here", "type": "integer"}


@pytest.mark.parametrize("reference", ["a.yaml#here", "b.yaml#here", "a.yaml#old"])
def test_anchors_of_one_name_in_several_files_do_not_meet(reference: str) -> None:
    """Each is a name of its own file; in the bundle they are pointers. Draft-07 writes them as `$id`."""
    bundle = bundled(
        document(reference, "a.yaml", "b.yaml"),
        a="A: {$anchor: here, title: a.yaml#here}\nB: {$id: '#old', title: a.yaml#old}",
        b="A: {$anchor: here, title: b.yaml#here}\nB: {$ref: '#here'}",
    )
    target = target_of(bundle)
    assert isinstance(target, dict)
    assert target["title"] == reference
    assert root_of(bundle)["x-bundled"]["b"]["B"] == {"$ref": "#/x-bundled/b/A"}


def test_files_of_one_name_do_not_meet() -> None:
    """Split documents have an `index.yaml` in every folder."""
    bundle = bundled(
        document("a/index.yaml", "b/index.yaml"), **{"a/index": "{title: a}", "b/index": "{title: b}"}
    )
    assert (target_of(bundle), target_of(bundle, "S1")) == ({"title": "a"}, {"title": "b"})
    assert list(root_of(bundle)["x-bundled"]) == ["index", "index-2"]


@pytest.mark.parametrize(
    "fragment", ["/paths/~1pets~1%7Bid%7D", "/paths/~1pets~1{id}", "/x~0y", "/%C3%BC%20%23", "/list/1"]
)
def test_pointers_keep_their_escapes(fragment: str) -> None:
    """RFC 6901 §3 and §6: `~0`, `~1` and percent-encoding."""
    target = {"title": "here"}
    file = {"paths": {"/pets/{id}": target}, "x~y": target, "ü #": target, "list": [{}, target]}
    assert target_of(bundled(document(f"a.yaml#{fragment}"), a=json.dumps(file))) == target


def test_an_identifier_is_the_base_of_what_is_below_it() -> None:
    """JSON Schema 2020-12 §8.2.1: also a relative one, and pointers begin at it."""
    pet: JsonObject = {
        "$id": "schemas/pet",
        "$defs": {"Name": {"title": "name"}},
        "properties": {"name": {"$ref": "#/$defs/Name"}, "owner": {"$ref": "owner"}},
    }
    owner: JsonObject = {"$id": "https://docs.example/api/schemas/owner", "title": "owner"}
    bundle = bundled(document("a.yaml", Pet=pet, Owner=owner), a="{}")
    assert root_of(bundle)["Pet"]["properties"] == {
        "name": {"$ref": "#/Pet/$defs/Name"},
        "owner": {"$ref": "#/Owner"},
    }


def test_pointers_of_authors_who_overlook_an_identifier_still_work() -> None:
    """Many documents give schemas an `$id` and go on to write `#/components/…` below it."""
    pet: JsonObject = {"$id": "https://elsewhere.example/pet", "items": {"$ref": "#/components/schemas/S0"}}
    bundle = bundled(document("a.yaml", Pet=pet), a="{}")
    assert root_of(bundle)["Pet"]["items"] == {"$ref": "#/components/schemas/S0"}


def test_files_are_found_by_what_they_call_themselves() -> None:
    """`$self` (3.2) and `$id` say an address that need not be the one a file came from."""
    root: JsonObject = {"$self": "https://apis.example/v1/main"}
    text = document("shared/a", "https://apis.example/b", **root)
    bundle = bundle_document(
        text,
        source_url="file:///spec/openapi.json",
        texts={
            "file:///spec/1.yaml": "{$self: 'https://apis.example/v1/shared/a', title: a}",
            "file:///spec/2.yaml": "{$id: 'https://apis.example/b', title: b}",
        },
    )
    assert [target_of(bundle, name) for name in ("S0", "S1")] == [
        {"$self": "https://apis.example/v1/shared/a", "title": "a"},
        {"$id": "https://apis.example/b", "title": "b"},
    ]
    assert bundle_document(text, source_url="file:///spec/openapi.json", texts={}).missing == (
        "https://apis.example/v1/shared/a",
        "https://apis.example/b",
    )


def test_an_identifier_that_leads_nowhere_does_not_hide_the_file_beside() -> None:
    """Schemas with an `$id` of a site that was never put up refer to their neighbours."""
    bundle = bundled(
        document("a.yaml"),
        a="{$id: 'https://never.example/a.yaml', items: {$ref: b.yaml}}",
        b="{title: b}",
    )
    assert root_of(bundle)["x-bundled"]["a"]["items"] == {"$ref": "#/x-bundled/b"}


def test_parts_of_every_kind_are_found_in_other_files() -> None:
    """Path items, parameters, bodies, responses, whole maps: all that a reference may stand for."""
    text = json.dumps(
        {
            "openapi": "3.1.0",
            "paths": {"$ref": "paths.yaml"},
            "components": {"$ref": "parts.yaml#/components"},
        }
    )
    paths = """
/pets/{id}:
  parameters: [{$ref: 'parts.yaml#/components/parameters/Id'}]
  put:
    operationId: putPet
    requestBody: {$ref: 'parts.yaml#/components/requestBodies/Pet'}
    responses: {'200': {$ref: 'parts.yaml#/components/responses/Pet'}}
    security: [{key: []}]
"""
    parts = """
components:
  parameters: {Id: {name: id, in: path, required: true, schema: {type: integer}}}
  requestBodies: {Pet: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
  responses: {Pet: {description: ok, content: {application/json: {}}}}
  schemas: {Pet: {type: object, properties: {name: {type: string}}}}
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}
"""
    bundle = bundled(text, paths=paths, parts=parts)
    tools = compiled(bundle.text or "", source_url=SOURCE)
    (operation,) = tools.operations
    plan = json.loads(operation.plan_json)
    assert (operation.operation_id, tools.skipped, operation.warnings) == ("putPet", (), ())
    assert [parameter["name"] for parameter in plan["parameters"]] == ["id"]
    assert [field["name"] for field in plan["body"]["properties"]] == ["name"]
    assert plan["security"] == [[{"scheme": "key", "type": "apiKey", "in": "header", "name": "X-Key"}]]
    assert plan["accept"] == "application/json"


def test_operations_that_need_a_file_which_will_not_come_say_why() -> None:
    """The others work: one 404 must not cost a whole document."""
    paths: JsonObject = {
        "/good": operation("good"),
        "/bad": {"get": {"parameters": [{"$ref": "a.yaml#/Id"}], "responses": {}}},
    }
    for source, name in ((SOURCE, A), ("file:///home/ann/api/openapi.json", "../a.yaml")):
        text = document_text(paths=paths).replace("a.yaml", "../a.yaml" if name != A else "a.yaml")
        wanted = bundle_document(text, source_url=source, texts={})
        assert wanted.text is None
        bundle = bundle_document(
            text, source_url=source, texts={}, omitted=dict.fromkeys(wanted.missing, "Not there.")
        )
        result = compiled(bundle.text or "")
        assert [tool.operation_id for tool in result.operations] == ["good"]
        (skipped,) = result.skipped
        reference = f"The reference '{name}#/Id' leads to another file, which is left out: Not there."
        assert skipped.reason == reference
        assert f"The file '{name}' is left out: Not there." in result.warnings
        assert "ann" not in (bundle.text or ""), "whose disk it was is nobody's business"


def test_what_only_looks_like_a_reference_is_left_alone() -> None:
    """Examples are data, `externalValue` is for people; a property may be called `default`."""
    schema: JsonObject = {
        "example": {"$ref": "1.yaml"},
        "default": {"$ref": "2.yaml"},
        "enum": [{"$ref": "3.yaml"}],
        "examples": [{"$ref": "4.yaml"}],
        "properties": {"default": {"$ref": "yes.yaml"}, "$ref": {"type": "string"}},
    }
    media: JsonObject = {"examples": {"a": {"value": {"$ref": "5.yaml"}, "externalValue": "6.json"}}}
    assert bundled(document(Schema=schema, Media=media)).missing == ("https://docs.example/api/yes.yaml",)


def test_extensions_and_mappings_ask_for_no_file() -> None:
    """Extensions refer to code samples; of mappings only the keys are read. Both follow what is there."""
    root: JsonObject = {
        "x-codeSamples": [{"source": {"$ref": "sample.py"}}, {"$ref": "a.yaml#/Cat"}],
        "Pet": {
            "discriminator": {
                "propertyName": "kind",
                "mapping": {"cat": "a.yaml#/Cat", "dog": "dog.yaml", "own": "Pet", "x": "#/Pet"},
            }
        },
    }
    bundle = bundled(document("a.yaml#/Cat", **root), a="Cat: {}")
    assert bundle.missing == ()
    assert root_of(bundle)["Pet"]["discriminator"]["mapping"] == {
        "cat": "#/x-bundled/a/Cat",
        "dog": "https://docs.example/api/dog.yaml",
        "own": "Pet",
        "x": "#/Pet",
    }
    assert root_of(bundle)["x-codeSamples"][1] == {"$ref": "#/x-bundled/a/Cat"}


def test_a_security_requirement_may_be_a_uri() -> None:
    """OpenAPI 3.2; earlier versions know names only."""
    paths: JsonObject = {"/a": {"get": {"operationId": "a", "security": [{"a.yaml#/Key": []}]}}}
    text = document_text(paths=paths)
    assert bundled(text).missing == ()
    bundle = bundled(text.replace("3.1.0", "3.2.0"), a="Key: {type: http, scheme: bearer}")
    (tool,) = compiled(bundle.text or "").operations
    assert json.loads(tool.plan_json)["security"][0][0]["scheme"] == "Key"


def test_relative_servers_of_a_file_are_relative_to_it() -> None:
    """OpenAPI 3.1 §4.8.5: to the document that holds the server."""
    item = "{servers: [{url: ../v2}, {url: '{scheme}://x'}], get: {operationId: a, responses: {}}}"
    bundle = bundled(document_text(paths={"/a": {"$ref": "deep/a.yaml"}}), **{"deep/a": item})
    assert root_of(bundle)["x-bundled"]["a"]["servers"] == [
        {"url": "https://docs.example/api/v2"},
        {"url": "{scheme}://x"},
    ]


def test_parts_of_a_swagger_document_serve_a_newer_one() -> None:
    """Authors move to OpenAPI 3 file by file."""
    swagger = {
        "swagger": "2.0",
        "parameters": {
            "Limit": {"name": "limit", "in": "query", "type": "array", "items": {"type": "integer"}}
        },
        "definitions": {"Pet": {"type": "object", "properties": {"name": {"type": "string"}}}},
        "paths": {
            "/b": {
                "post": {"parameters": [{"in": "body", "name": "b", "schema": {"$ref": "#/definitions/Pet"}}]}
            }
        },
    }
    parameters: list[JsonValue] = [{"$ref": "a.yaml#/parameters/Limit"}]
    paths: JsonObject = {
        "/a": {"get": {"operationId": "a", "parameters": parameters, "responses": {}}},
        "/b": {"$ref": "a.yaml#/paths/~1b"},
    }
    bundle = bundled(document_text(paths=paths), a=json.dumps(swagger))
    first, second = compiled(bundle.text or "").operations
    (limit,) = json.loads(first.plan_json)["parameters"]
    assert (limit["style"], limit["explode"]) == ("form", False)
    assert json.loads(second.plan_json)["body"]["properties"] == [{"name": "name", "argument": "name"}]


def test_a_swagger_document_is_bundled_too() -> None:
    """Its definitions and path items stand in other files as often."""
    text = json.dumps({"swagger": "2.0", "host": "h.example", "paths": {"/a": {"$ref": "a.yaml"}}})
    item = "get: {operationId: a, parameters: [{$ref: 'b.yaml#/p'}]}"
    bundle = bundled(text, a=item, b="p: {name: q, in: query, type: string, required: true}")
    (tool,) = compiled(bundle.text or "").operations
    assert [entry["name"] for entry in json.loads(tool.plan_json)["parameters"]] == ["q"]


def test_a_bundle_reads_the_same_wherever_its_files_lay() -> None:
    """Its digest decides whether a document has changed."""
    text = document("sub/a.yaml", "c.yaml")
    bundles = {
        bundle_document(
            text,
            source_url=f"file:///{folder}/openapi.json",
            texts={f"file:///{folder}/sub/a.yaml": "{}"},
            omitted={f"file:///{folder}/c.yaml": "No."},
        ).text
        for folder in ("a", "b/c")
    }
    assert len(bundles) == 1


def test_fields_of_the_documents_own_are_not_lost() -> None:
    """A document that was bundled before keeps what it has."""
    kept: JsonObject = {"old": {"title": "old"}}
    root: JsonObject = {"x-bundled": kept}
    bundle = bundled(document("a.yaml", "#/x-bundled/old", **root), a="{}")
    assert (target_of(bundle), target_of(bundle, "S1")) == ({}, {"title": "old"})


TARGETS = ("", "a.yaml", "b.yaml", "sub/c.yaml", "../api/a.yaml")
FRAGMENTS = ("", "#", "#/A", "#/A/items", "#here", "#/none")
REFERENCES: list[JsonObject] = [{"$ref": target + fragment} for target in TARGETS for fragment in FRAGMENTS]
LEAVES: list[JsonObject] = [*REFERENCES, {"$anchor": "here"}, {"$id": "b.yaml"}]


def nested(inner: st.SearchStrategy[JsonObject]) -> st.SearchStrategy[JsonObject]:
    optional: dict[str, st.SearchStrategy[Any]] = {"A": inner, "anyOf": st.lists(inner, max_size=3)}
    return st.fixed_dictionaries({"items": inner}, optional=optional)


SCHEMAS = st.recursive(st.sampled_from(LEAVES), nested, max_leaves=8)


@given(root=SCHEMAS, files=st.dictionaries(st.sampled_from(["a", "b", "sub/c"]), SCHEMAS))
def test_whatever_refers_to_whatever_ends_and_stays_inside(
    root: JsonObject, files: Mapping[str, JsonObject]
) -> None:
    """Circles, anchors and names in any arrangement; what is supplied is never asked for again."""
    texts = {name: json.dumps(value) for name, value in files.items()}
    bundle = bundled(document(A=root, paths={}), **texts)
    assert not {f"https://docs.example/api/{name}.yaml" for name in files} & set(bundle.missing)
    if bundle.text is None:
        left_out = dict.fromkeys(bundle.missing, "Left out.")
        again = bundle_document(
            document(A=root, paths={}),
            source_url=SOURCE,
            texts={f"https://docs.example/api/{name}.yaml": text for name, text in texts.items()},
            omitted=left_out,
        )
        assert again.missing == ()
        assert again.text is not None
        parse_document(again.text)


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
            limits=DocumentLimits(max_bytes=500),
        )
    assert failure.value.code == "too_large"


def test_a_document_of_references_alone_is_refused_by_count() -> None:
    """A reference bomb: nobody shall fetch, or even list, a million addresses."""
    with pytest.raises(DocumentError) as failure:
        bundled(document(*(f"{number}.yaml" for number in range(MAX_FILES + 1))))
    assert failure.value.code == "too_many_files"
    assert len(bundled(document(*["x.yaml"] * 20_000)).missing) == 1


def test_aliases_that_would_be_written_out_are_counted() -> None:
    """What YAML shares, JSON repeats: a small file must not become gigabytes."""
    bomb = f"x: &x {'y' * 100_000}\nA: [{', '.join(['*x'] * 1000)}]"
    with pytest.raises(DocumentError) as failure:
        bundled(document("a.yaml"), a=bomb)
    assert failure.value.code == "too_large"


def test_a_file_may_be_as_deep_as_the_bundle_can_hold() -> None:
    """One that is deeper is left out by name, rather than costing the whole."""
    for depth, is_problem in ((252, False), (253, True)):
        bundle = bundled(document("a.yaml"), a="[" * depth + "]" * depth)
        assert bool(bundle.problems) is is_problem
        assert bundle.text is not None
        parse_document(bundle.text)
