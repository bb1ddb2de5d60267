"""What a document states is in a tool, in its plan, or in a warning.

Parameters, what is required, types, values, bounds, formats, patterns, defaults; bodies and content types;
security with its alternatives and scopes; servers. `make test` compares a few of the real documents, and
`make test-all` all of them.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.real_documents.corpus import Corpus
from tests.real_documents.documents import RealDocument
from tests.support.documents.stated import (
    Stated,
    missing_schemes,
    missing_values,
    missing_variables,
    read_stated,
)
from tests.support.documents.stated_operation import OperationComparer
from tests.support.documents.style_rows import style_row
from tests.support.documents.vectors import VECTORS, document_of, read_rows
from tests.support.examples import examples
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools

SOURCE_URL = "https://docs.example/specs/openapi.json"


FEW = (
    "cafe-3.2.yaml",
    "connexion-simple-swagger.yaml",
    "petstore-v3.yaml",
    "readme-3.0-parameters-extreme.json",
    "readme-3.1-security.json",
    "readme-3.1-train-travel.json",
    "redoc-demo-3.1.yaml",
)


def silent_in(text: str) -> Iterator[str]:
    """Everything in a document that became of nothing, and of which nothing is said."""
    tools, stated = DocumentTools(parse_document(text), source_url=SOURCE_URL), Stated(read_stated(text))
    for operation in tools.compiled.operations:
        for find in (missing_values, missing_schemes, missing_variables):
            for each in find(stated, tools, operation):
                yield f"{operation.key}: {find.__name__} {each!r}"
        for lost in OperationComparer(stated, tools, operation).list_lost():
            yield f"{operation.key}: {lost}"


def all_silent_in(documents: Mapping[str, str]) -> dict[str, list[str]]:
    """By the name of the document; without those that lose nothing."""
    silent = {name: [*silent_in(text)] for name, text in documents.items()}
    return {name: found for name, found in silent.items() if found}


def texts_of(files: Mapping[RealDocument, Path]) -> dict[str, str]:
    return {document.file: path.read_text(encoding="utf-8") for document, path in files.items()}


def test_a_few_real_documents_lose_nothing_in_silence(corpus: Corpus) -> None:
    """The small ones in which each kind of parameter, body, security and server occurs."""
    assert all_silent_in(texts_of(corpus.find(*FEW))) == {}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_real_documents_lose_nothing_in_silence(corpus: Corpus) -> None:
    """Finding W-3, O-1, O-6, O-9: what a limit or a repair leaves out is a warning, whatever its kind is."""
    assert all_silent_in(texts_of(corpus.find())) == {}


def test_documents_of_other_tools_lose_nothing_in_silence() -> None:
    """Each was written for one thing that a reader may get wrong."""
    rows = read_rows("request_vectors.json")
    styles = read_rows("style_vectors.json")
    texts = {json.dumps({"paths": {}, **document_of(row)}): str(row["id"]) for row in rows}
    texts |= {json.dumps(document_of(built)): str(row["id"]) for row in styles for built in style_row(row)}
    assert all_silent_in({f"{row}, {len(text)}": text for text, row in texts.items()}) == {}


def test_documents_of_overlays_lose_nothing_in_silence() -> None:
    """Those that an overlay changed have to be read like any other."""
    files = (VECTORS / "overlays").glob("*/output.yaml")
    assert all_silent_in({file.parent.name: file.read_text(encoding="utf-8") for file in files}) == {}


WORDS = st.sampled_from(
    [
        *("08", "1.10", "1.1", "TRUE", "true", "no", "on", "1e3", "0x1F", "~", "null", "2024-01-02", ".5"),
        *("auto", "'1'", "'true'", "'08'", "7", "-0", "+1", "010", "0o17", ".nan", "'a b'", "x/y"),
    ]
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", ""])
VERSIONS = st.sampled_from(["openapi: 3.0.3", "openapi: 3.1.0", "openapi: 3.2.0", "swagger: '2.0'"])
NAMES = st.sampled_from(["key", "login", "other", *(f"k{number}" for number in range(30))])


@st.composite
def listed(draw: st.DrawFn) -> str:
    """Keywords of a scalar with a list of values, in YAML."""
    stated = draw(TYPES)
    values = ", ".join(draw(st.lists(WORDS, min_size=1, max_size=5)))
    nullable = ", nullable: true" if draw(st.booleans()) else ""
    return f"{f'type: {stated}, ' if stated else ''}enum: [{values}]{nullable}"


@st.composite
def schemas(draw: st.DrawFn) -> str:
    """The keywords somewhere in a schema."""
    own = draw(listed())
    forms = [
        f"{{{own}}}",
        f"{{type: array, items: {{{own}}}}}",
        f"{{type: object, properties: {{p: {{{own}}}}}}}",
        f"{{type: object, additionalProperties: {{{own}}}}}",
        f"{{allOf: [{{{own}}}, {{description: d}}]}}",
        f"{{anyOf: [{{{own}}}, {{type: object, properties: {{q: {{type: string}}}}}}]}}",
    ]
    return draw(st.sampled_from(forms))


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document of one operation, in YAML."""
    version = draw(VERSIONS)
    if version.startswith("swagger"):
        parameters = [
            f"{{name: a, in: {draw(st.sampled_from(['query', 'header', 'formData']))}, {draw(listed())}}}",
            f"{{name: b, in: query, type: array, items: {{{draw(listed())}}}}}",
        ]
        body = f"parameters: [{', '.join(parameters)}]"
        return f"{version}\npaths: {{/x: {{post: {{{body}}}}}}}\n"
    parameters = [
        f"{{name: a, in: {draw(st.sampled_from(['query', 'header']))}, schema: {draw(schemas())}}}",
        f"{{name: x, in: path, required: true, schema: {{{draw(listed())}}}}}",
    ]
    properties = f"{{type: object, properties: {{b: {draw(schemas())}, c: {draw(schemas())}}}}}"
    body = (
        f"parameters: [{', '.join(parameters)}], "
        f"requestBody: {{content: {{application/json: {{schema: {properties}}}}}}}"
    )
    return f"{version}\npaths: {{'/x/{{x}}': {{post: {{{body}}}}}}}\n"


@pytest.mark.wide
@examples(600)
@given(documents())
def test_no_allowed_value_is_lost_in_silence(text: str) -> None:
    """Finding W-3, O-1: a list of values is mended or told, wherever it stands and however it is written."""
    assert [*silent_in(text)] == [], text


@st.composite
def requirements(draw: st.DrawFn) -> list[JsonValue]:
    """A `security` array with schemes that exist, and one that may not."""
    scopes = st.lists(st.sampled_from("abc"), max_size=2)
    entries = draw(st.lists(st.dictionaries(NAMES, scopes, max_size=12), max_size=60))
    return [{name: [*needed] for name, needed in entry.items()} for entry in entries]


@pytest.mark.wide
@examples(200)
@given(requirements(), st.booleans())
def test_no_security_scheme_is_lost_in_silence(entries: list[JsonValue], at_root: bool) -> None:
    """Finding O-6: a scheme that is not asked for is one whose key the user has saved in vain."""
    scheme: JsonObject = {"type": "apiKey", "in": "header", "name": "X-Key"}
    names = {name for entry in entries if isinstance(entry, dict) for name in entry}
    schemes: JsonObject = {name: scheme for name in names if name != "other"}
    own: JsonObject = {"security": entries}
    root: JsonObject = {
        "openapi": "3.1.0",
        "components": {"securitySchemes": schemes},
        "paths": {"/x": {"get": {} if at_root else own}},
        **(own if at_root else {}),
    }
    assert [*silent_in(json.dumps(root))] == []


VALUES: list[JsonValue] = [
    *({"default": "v"}, {"default": 8443}, {}, {"enum": ["e"]}, {"default": None}, {"default": []}),
    "odd",
]
URLS: list[JsonValue] = ["https://{a}.example", "https://{b}.example/{a}", "https://plain.example"]


@st.composite
def servers(draw: st.DrawFn) -> list[JsonValue]:
    """Servers with variables, described or not."""
    found: list[JsonValue] = []
    for url in draw(st.lists(st.sampled_from(URLS), max_size=3)):
        described = draw(st.dictionaries(st.sampled_from(["a", "b"]), st.sampled_from(VALUES)))
        found.append({"url": url, "variables": described})
    return found


@pytest.mark.wide
@examples(300)
@given(servers(), servers(), servers())
def test_no_server_variable_is_lost_in_silence(
    of_document: list[JsonValue], of_path: list[JsonValue], of_operation: list[JsonValue]
) -> None:
    """Finding O-9, W-34: an address of which a part became nothing is nobody's, and users accepted it."""
    item: JsonObject = {"get": {"servers": of_operation}, "servers": of_path}
    root: JsonObject = {"openapi": "3.1.0", "servers": of_document, "paths": {"/x": item}}
    assert [*silent_in(json.dumps(root))] == []
