"""Parsing, limits and references."""

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.openapi import document_with
from toolserver.errors import DocumentError, ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue, object_at
from toolserver.openapi.document import DocumentLimits, parse_document, reference_of
from toolserver.openapi.json_pointer import pointer_token

HEAD = '{"openapi": "3.1.0", "info": {"title": " Shop ", "version": "7", "description": "D"}, "paths": {}'


def code_of(text: str, limits: DocumentLimits | None = None) -> str:
    with pytest.raises(DocumentError) as failure:
        parse_document(text, limits=limits)
    return failure.value.code


def reference_code(root: JsonObject, ref: str) -> str:
    with pytest.raises(ReferenceFailed) as failure:
        document_with({}, root).follow_refs({"$ref": ref})
    assert failure.value.pointer == ref or failure.value.code == "circular_reference"
    return failure.value.code


def test_a_json_document_is_read_with_its_envelope() -> None:
    """Title, version and digest identify a document to its user."""
    document = parse_document(HEAD + "}")
    assert (document.version, document.openapi, document.title) == ("3.1", "3.1.0", "Shop")
    assert (document.version_text, document.description, document.warnings) == ("7", "D", ())


def test_a_yaml_document_is_the_same_document() -> None:
    """The form of the text is the author's choice; YAML makes numbers of versions like `3.0`."""
    document = parse_document("openapi: 3.0\ninfo: {title: Shop, version: 1.0}\npaths: {}\n")
    assert (document.version, document.openapi, document.version_text) == ("3.0", "3.0", "1.0")


def test_json_with_yaml_habits_is_read_as_flow_yaml() -> None:
    """Trailing commas and bare keys are legal YAML, and documents written by hand have them."""
    assert parse_document("{openapi: 3.1.0, paths: {},}").version == "3.1"


@pytest.mark.parametrize("family", ["3.0", "3.1", "3.2"])
def test_every_patch_of_a_family_is_accepted(family: str) -> None:
    """Patch releases change wording, not meaning, and pre-releases are in use."""
    assert {document_with({}, openapi=f"{family}{rest}").version for rest in ("", ".0", ".17", ".0-rc1")} == {
        family
    }


@pytest.mark.parametrize("padding", ["", "x" * 1_000_001])
def test_an_integer_of_thousands_of_digits_is_read_as_text_and_told(padding: str) -> None:
    """Python neither reads nor writes it; one such value must not cost the whole document."""
    digits = "-" + "9" * 5000
    text = (
        f'{{"openapi": "3.1.0", "paths": {{}}, "x-large": {digits}, "x-small": 1, "x-padding": "{padding}"}}'
    )
    document = parse_document(text)
    assert document.root["x-large"] == digits
    assert document.root["x-small"] == 1
    assert document.warnings == ("A number of 5,001 characters is read as text.",)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_json_or_yaml"),
        ("  \n", "not_json_or_yaml"),
        ("<!DOCTYPE html><html></html>", "not_json_or_yaml"),
        ('{"openapi": "3.1.0", "paths": {', "not_json_or_yaml"),
        ("just words", "not_a_document"),
        ("[1, 2]", "not_a_document"),
        ("{}", "not_a_document"),
        ('{"openapi": true}', "not_a_document"),
        ('{"openapi": "4.0.0"}', "unsupported_version"),
        ('{"openapi": "3"}', "unsupported_version"),
        ('{"swagger": "1.2"}', "unsupported_version"),
        ('{"swagger": 1.2}', "unsupported_version"),
        ('{"swaggerVersion": "1.2", "apis": []}', "unsupported_version"),
        ("{a: " + "[" * 5000 + "]" * 5000 + "}", "too_deep"),
    ],
)
def test_what_is_no_document_is_refused_by_code(text: str, code: str) -> None:
    """The page shows a different advice for each code."""
    assert code_of(text) == code


def test_a_broken_json_text_is_told_where_it_breaks() -> None:
    """The YAML reader's complaint about the same text would mislead."""
    with pytest.raises(DocumentError, match="not valid JSON at line 2, column 12"):
        parse_document('{"openapi": "3.1.0",\n "paths": {]}')


def test_a_hundred_thousand_levels_of_json_are_refused() -> None:
    """Neither the C scanner's recursion nor ours may take the process down."""
    assert code_of('{"a":' * 100_000 + "1" + "}" * 100_000) == "too_deep"


def test_limits_of_size_depth_and_count_each_refuse_on_their_own() -> None:
    """One number each: bytes for memory, depth for everything that recurses later, nodes for time."""
    text = HEAD + ', "x-a": [[[[1]]]], "x-é": "é"}'
    size = len(text.encode())
    parse_document(text, limits=DocumentLimits(max_bytes=size, max_depth=5, max_nodes=16))
    assert code_of(text, DocumentLimits(max_bytes=size - 1)) == "too_large"
    assert code_of(text, DocumentLimits(max_bytes=10)) == "too_large"
    assert code_of(text, DocumentLimits(max_depth=4)) == "too_deep"
    assert code_of(text, DocumentLimits(max_nodes=12)) == "too_large"


@pytest.mark.parametrize("deepest", ["[]", "{}", '[1, "a", null]', '{"a": 1.5}'])
@pytest.mark.parametrize("wide", [1, 3_000])
def test_the_limit_of_depth_is_exact(deepest: str, wide: int) -> None:
    """What the deepest array or object holds, and how much stands beside it, makes no difference."""
    beside = ", ".join(["[[0]]"] * wide)

    def nested(levels: int) -> str:
        return f'{HEAD}, "x": [{beside}, {"[" * (levels - 3)}{deepest}{"]" * (levels - 3)}, {beside}]}}'

    parse_document(nested(254))
    assert code_of(nested(255)) == "too_deep"


@pytest.mark.parametrize("wide", [10, 3_000])
def test_the_limit_of_values_counts_each_once(wide: int) -> None:
    """Those of the head, the array, and its items."""
    text = f'{HEAD}, "x": [{", ".join(["1"] * wide)}]}}'
    parse_document(text, limits=DocumentLimits(max_nodes=8 + wide))
    assert code_of(text, DocumentLimits(max_nodes=7 + wide)) == "too_large"


def test_a_document_without_paths_is_read_and_says_so() -> None:
    """OpenAPI 3.1 allows one with webhooks only; it is no error, but offers no tools."""
    assert parse_document('{"openapi": "3.1.0"}').warnings == (
        "The document has no paths, so there is nothing to call.",
    )


@pytest.mark.parametrize("info", ["{}", '{"title": " "}', "5"])
def test_a_document_without_a_title_still_has_a_name(info: str) -> None:
    """The page shows it as a link, and a link without words cannot be clicked."""
    assert parse_document(f'{{"openapi": "3.1.0", "info": {info}, "paths": {{}}}}').title == "Untitled API"


def test_doubled_keys_and_numbers_that_are_none_are_reported() -> None:
    """Both are read as every JSON reader reads them, or as null; silence would hide a lost operation."""
    document = parse_document(HEAD + ', "x-a": NaN, "x-b": [-Infinity], "x-a": {"c": 1, "c": 2}}')
    assert (document.root["x-a"], document.root["x-b"]) == ({"c": 2}, [None])
    assert document.warnings == (
        "The key 'c' appears twice in one object; the last one counts.",
        "The key 'x-a' appears twice in one object; the last one counts.",
        "NaN is not a JSON value; it is read as null.",
    )


def test_a_text_of_doubled_keys_is_neither_slow_nor_loud() -> None:
    """A hostile object may double every key; counting each by itself would take hours."""
    pairs = ", ".join(f'"{index % 1_000}{"k" * 300}": 1' for index in range(2_000))
    warnings = parse_document(HEAD + f', "x-a": {{{pairs}}}}}').warnings
    assert (len(warnings), max(map(len, warnings)) < 300) == (51, True)
    assert warnings[-1].startswith("and at least ")


def test_half_a_surrogate_pair_never_leaves_the_parser() -> None:
    """UTF-8 cannot carry it, so the first encoder downstream would fail for the whole document."""
    document = parse_document(HEAD + r', "x-a": "\ud83d", "x-\udc00": "\ud83d\ude00"}')
    assert (document.root["x-a"], document.root["x-?"]) == ("?", "\U0001f600")
    assert parse_document(HEAD + ', "x-a": "\ud83d"}').root["x-a"] == "?"


def test_the_digest_depends_on_the_text_and_not_on_how_it_travelled() -> None:
    """A byte order mark or CRLF line ends added on the way must not look like a new document."""
    digest = parse_document(HEAD + "\n}").digest
    assert parse_document("\ufeff" + HEAD + "\r\n}").digest == digest
    assert parse_document(HEAD + "\n }").digest != digest
    assert len(digest) == 64


def test_big_integers_keep_their_digits() -> None:
    """Ids and bounds beyond 2^53 are common in examples and defaults."""
    assert parse_document(HEAD + f', "x-a": {2**70}}}').root["x-a"] == 2**70


@pytest.mark.parametrize(
    ("ref", "value"),
    [
        ("#/x-a/plain", 1),
        ("#/x-a/a~1b", 2),
        ("#/x-a/m~0n", 3),
        ("#/x-a/~01", 4),
        ("#/x-a/%7Bid%7D", 5),
        ("#/x-a/{id}", 5),
        ("#/x-a/per%25cent", 6),
        ("#/x-a/100%", 7),
        ("#/x-a/%C3%A9", 8),
        ("#/x-a/%41", 11),
        ("#/x-a/%2541", 11),
        ("#/x-a/", 9),
        ("#/x-list/1", "b"),
        ("#/x-list/2/deep", True),
        ("#/x-via/plain", 1),
        ("#/x-via/twice/2/deep", True),
        ("#here", {"$anchor": "here"}),
        ("urn:thing", {"$id": "urn:thing", "$defs": {"in": 10}}),
        ("urn:thing#/$defs/in", 10),
    ],
)
def test_references_reach_every_place_of_the_document(ref: str, value: JsonValue) -> None:
    """RFC 6901 §3, §4, §6; JSON Schema 2020-12 §8.2; and pointers through references, as tools write them."""
    keys: JsonObject = {
        "plain": 1,
        "a/b": 2,
        "m~n": 3,
        "~1": 4,
        "{id}": 5,
        "per%cent": 6,
        "100%": 7,
        "é": 8,
        "": 9,
        "%41": 11,
        "twice": {"$ref": "#/x-list"},
    }
    root: JsonObject = {
        "x-a": keys,
        "x-list": ["a", "b", {"deep": True}],
        "x-via": {"$ref": "#/x-a"},
        "x-named": [{"$anchor": "here"}, {"$id": "urn:thing", "$defs": {"in": 10}}],
    }
    document = document_with({}, root)
    assert document.resolve_ref(ref) == value
    assert document.resolve_ref(ref) is document.resolve_ref(ref)
    assert document.resolve_ref("#here") is document.resolve_ref("#%68ere")


def test_the_empty_reference_is_the_document() -> None:
    """RFC 6901 §5: the empty pointer names the whole."""
    document = document_with({})
    assert document.resolve_ref("#") is document.root


@pytest.mark.parametrize(
    ("ref", "code"),
    [
        ("#/nowhere", "unresolved_reference"),
        ("#/x-list/1", "unresolved_reference"),
        ("#/x-list/01", "unresolved_reference"),
        ("#/x-list/-", "unresolved_reference"),
        ("#/x-list/0/below", "unresolved_reference"),
        ("#unnamed", "unresolved_reference"),
        ("#/" + "x" * 5000, "unresolved_reference"),
        ("other.yaml#/components/schemas/A", "external_reference"),
        ("https://example.com/schema.json", "external_reference"),
        ("#/x-loop", "circular_reference"),
        ("#/x-loop/below", "circular_reference"),
        ("#/x-maze/a/b/c/d", "circular_reference"),
    ],
)
def test_references_that_lead_nowhere_fail_by_code(ref: str, code: str) -> None:
    """The reader of one operation catches them, and its user reads the reason."""
    root: JsonObject = {
        "x-list": ["text"],
        "x-loop": {"$ref": "#/x-loop2"},
        "x-loop2": {"$ref": "#/x-loop"},
        "x-maze": {"$ref": "#/x-maze/p/q/r/s"},
    }
    assert reference_code(root, ref) == code


def test_a_chain_is_followed_to_its_end() -> None:
    """Parameters, bodies and path items may be references to references."""
    root: JsonObject = {
        "x-1": {"$ref": "#/x-2", "description": "beside"},
        "x-2": {"$ref": "#/x-3"},
        "x-3": {"v": 1},
    }
    document = document_with({}, root)
    assert document.follow_refs({"$ref": "#/x-1"}) == {"v": 1}
    assert document.follow_refs({"$ref": 5}) == {"$ref": 5}
    assert reference_of(["$ref"]) is None


keys = st.text(max_size=6) | st.sampled_from(["a/b", "~0", "~1", "%2F", "%", "{x}", "0", "$ref "])


@given(st.lists(keys, min_size=1, max_size=5))
def test_a_pointer_written_by_the_rules_finds_its_node(path: list[str]) -> None:
    """RFC 6901 §6: escape, then percent-encode; whatever characters the keys hold."""
    node: JsonValue = "found"
    for key in reversed(path):
        node = {key: node}
    text = json.dumps({"openapi": "3.1.0", "paths": {}, "x": node}, ensure_ascii=True)
    document = parse_document(text)
    ref = "#/x/" + "/".join(quote(pointer_token(key), safe="~") for key in path)
    assert document.resolve_ref(ref) == "found"


@given(
    st.text(max_size=40), st.dictionaries(keys, st.text(max_size=5) | st.dictionaries(st.just("$ref"), keys))
)
def test_no_reference_does_worse_than_fail(ref: str, nodes: dict[str, JsonValue]) -> None:
    """References come from strangers: any text must end in a node or in one kind of error."""
    document = document_with({}, x=nodes)
    try:
        document.follow_refs({"$ref": ref})
    except ReferenceFailed:
        return


def _rebased(openapi: str = "3.1.0", **schemas: JsonValue) -> JsonObject:
    text = json.dumps(
        {
            "openapi": openapi,
            "info": {"title": "T", "version": "1"},
            "paths": {},
            "components": {"schemas": schemas},
        }
    )
    return object_at(object_at(parse_document(text).root, "components"), "schemas")


_AT = "#/components/schemas"


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ({"$ref": "#/$defs/d"}, {"$ref": f"{_AT}/A/$defs/d"}),
        ({"$ref": "#"}, {"$ref": f"{_AT}/A"}),
        ({"$ref": "#here"}, {"$ref": f"{_AT}/A/$defs/d"}),
        ({"$dynamicRef": "#there"}, {"$dynamicRef": f"{_AT}/A/$defs/e"}),
        ({"$ref": "nested#/$defs/d"}, {"$ref": f"{_AT}/A/$defs/n/$defs/d"}),
        ({"$ref": f"{_AT}/B"}, {"$ref": f"{_AT}/B"}),
        ({"$ref": "#gone"}, {"$ref": "#gone"}),
        ({"$ref": "https://elsewhere.example/x"}, {"$ref": "https://elsewhere.example/x"}),
        ({"default": {"$ref": "#/$defs/d"}}, {"default": {"$ref": "#/$defs/d"}}),
    ],
)
def test_an_identifier_is_the_base_of_what_is_below_it(reference: JsonObject, target: JsonObject) -> None:
    """Finding O-11: JSON Schema 2020-12 §8.2.1 and §9.1; `#` is the schema that has the `$id`.

    Authors who mean the document nevertheless are understood, too.
    """
    named: JsonObject = {
        "d": {"$anchor": "here", "type": "integer"},
        "e": {"$dynamicAnchor": "there"},
        "n": {"$id": "nested", "$defs": {"d": {"title": "deep"}}},
    }
    first: JsonObject = {"$id": "https://s.example/b", "$defs": {"x": {"$anchor": "here"}}}
    own: JsonObject = {"$id": "https://s.example/a", "$defs": named, "items": reference}
    assert object_at(_rebased(B=first, A=own), "A")["items"] == target


def test_an_identifier_is_no_base_before_3_1() -> None:
    """Finding O-11: Schema Objects of 3.0 have no `$id`."""
    schema: JsonObject = {"$id": "https://s.example/a", "$defs": {"d": {}}, "items": {"$ref": "#/$defs/d"}}
    assert object_at(_rebased("3.0.3", A=schema), "A")["items"] == {"$ref": "#/$defs/d"}
