"""Parameters and what a browser cannot send."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject
from toolserver.operation.body import BodyField
from toolserver.operation.parameter import Described, Location, Parameter, ParameterReader, Sending

DOCUMENT = document_with({})


def parameter_of(node: JsonObject) -> Parameter:
    parameter = ParameterReader(DOCUMENT).read_parameter(node)
    assert isinstance(parameter, Parameter)
    return parameter


@pytest.mark.parametrize(
    ("location", "style", "explode"),
    [
        ("path", "simple", False),
        ("query", "form", True),
        ("header", "simple", False),
        ("cookie", "form", True),
    ],
)
def test_style_and_explode_have_the_defaults_of_their_place(
    location: Location, style: str, explode: bool
) -> None:
    """OpenAPI Parameter Object: style by location, explode true for form alone."""
    parameter = parameter_of({"name": "a", "in": location})
    assert parameter.sending == Sending("a", location, location == "path", style, explode)
    assert parameter.describe_parameter(DOCUMENT) == Described("", {}, deprecated=False)


def test_everything_a_parameter_says_is_kept() -> None:
    """Each field changes the request or what the model reads."""
    node: JsonObject = {
        "name": "page[size]",
        "in": "query",
        "required": True,
        "description": "D",
        "schema": {"$ref": "#/x"},
        "style": "deepObject",
        "explode": True,
        "allowReserved": True,
        "deprecated": True,
    }
    parameter = parameter_of(node)
    assert parameter.sending == Sending("page[size]", "query", True, "deepObject", True, allow_reserved=True)
    assert parameter.describe_parameter(DOCUMENT) == Described("D", {"$ref": "#/x"}, deprecated=True)


def test_explode_follows_the_style_that_was_given() -> None:
    """A spaceDelimited one without explode is "a b", not repeated names."""
    assert parameter_of({"name": "a", "in": "query", "style": "spaceDelimited"}).sending.explode is False
    assert parameter_of({"name": "a", "in": "query", "explode": False}).sending.explode is False


def test_a_style_that_the_place_does_not_know_is_the_default_one() -> None:
    """A wrong style is the commonest slip, and the default is what such an API understands."""
    assert parameter_of({"name": "a", "in": "header", "style": "form"}).sending.style == "simple"


def test_a_content_parameter_takes_the_json_type_and_its_schema() -> None:
    """OpenAPI: `content` has exactly one entry; where there are more, JSON can be written."""
    node: JsonObject = {
        "name": "f",
        "in": "query",
        "content": {"text/plain": {}, "application/json": {"schema": {"a": 1}}},
    }
    assert (
        parameter_of(node).sending.content_type,
        parameter_of(node).describe_parameter(DOCUMENT).schema,
    ) == (
        "application/json",
        {"a": 1},
    )
    node = {"name": "f", "in": "query", "content": {"text/plain": {}}}
    assert (
        parameter_of(node).sending.content_type,
        parameter_of(node).describe_parameter(DOCUMENT).schema,
    ) == (
        "text/plain",
        {},
    )
    node = {"name": "f", "in": "query", "schema": True, "content": {"text/plain": {}}}
    assert (
        parameter_of(node).sending.content_type,
        parameter_of(node).describe_parameter(DOCUMENT).schema,
    ) == (
        None,
        True,
    )


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        ({"in": "query"}, "A parameter has no name."),
        ({"name": "a"}, "The parameter 'a' has an unknown location: ''."),
        ({"name": "a", "in": "body"}, "The parameter 'a' has an unknown location: 'body'."),
    ],
)
def test_what_cannot_be_placed_is_named(node: JsonObject, problem: str) -> None:
    """The caller leaves it out with this sentence instead of losing the operation."""
    assert ParameterReader(document_with({})).read_parameter(node) == problem


@pytest.mark.parametrize(
    ("location", "name", "sendable"),
    [
        ("header", "X-Api-Key", True),
        ("header", "Idempotency-Key", True),
        ("header", "If-None-Match", True),
        ("header", "Cookie", False),
        ("header", "User-Agent", False),
        ("header", "HOST", False),
        ("header", "Sec-Fetch-Mode", False),
        ("header", "Proxy-Authorization", False),
        ("header", "Secure", True),
        ("query", "cookie", True),
        ("path", "host", True),
        ("cookie", "session", False),
    ],
)
def test_cookies_and_forbidden_headers_cannot_be_sent(location: Location, name: str, sendable: bool) -> None:
    """Fetch standard §2.2.2: a page's attempt to set them is dropped without an error."""
    assert (parameter_of({"name": name, "in": location}).sending.unsendable is None) is sendable


@pytest.mark.parametrize(
    ("openapi", "location", "allowed"),
    [("3.1.0", "query", True), ("3.0.4", "path", False), ("3.1.0", "header", False), ("3.2.0", "path", True)],
)
def test_reserved_characters_are_allowed_where_the_version_allows_them(
    openapi: str, location: str, allowed: bool
) -> None:
    """Parameter Object: only in queries until 3.1.2, in every place since 3.2.0."""
    node: JsonObject = {"name": "a", "in": location, "allowReserved": True}
    parameter = ParameterReader(document_with({}, openapi=openapi)).read_parameter(node)
    assert isinstance(parameter, Parameter)
    assert parameter.sending.allow_reserved is allowed


@pytest.mark.parametrize(("name", "default"), [("accept-Language", "en-us"), ("X-Language", None)])
def test_only_accept_language_keeps_its_default(name: str, default: str | None) -> None:
    """Without it a browser sends its user's languages, which such an API may refuse; others send nothing."""
    schema: JsonObject = {"type": "string", "enum": ["de", "en-us"], "default": "en-us"}
    assert parameter_of({"name": name, "in": "header", "schema": schema}).sending.default == default


def test_a_whole_query_string_has_fields_like_a_form() -> None:
    """OpenAPI 3.2: `content` with one media type; a form may have encodings."""
    media: JsonObject = {"encoding": {"f": {"style": "deepObject"}}}
    content: JsonObject = {"application/x-www-form-urlencoded": media}
    parameter = parameter_of({"name": "q", "in": "querystring", "content": content})
    assert parameter.sending.fields == {"f": BodyField("f", style="deepObject")}


def test_the_examples_of_a_parameter_stand_beside_its_schema() -> None:
    """Most documents put them there, and a model learns the form of a value from one."""
    node: JsonObject = {"name": "a", "in": "query", "schema": {"type": "string"}}
    assert parameter_of({**node, "example": "x"}).describe_parameter(DOCUMENT).schema == {
        "type": "string",
        "examples": ["x"],
    }
    named: JsonObject = {
        "one": {"value": 1},
        "lost": {"$ref": "#/nowhere"},
        "new": {"dataValue": 2},
        "none": {},
    }
    assert parameter_of({**node, "examples": named}).describe_parameter(DOCUMENT).schema == {
        "type": "string",
        "examples": [1, 2],
    }
    assert parameter_of({**node, "examples": {}}).describe_parameter(DOCUMENT).schema == {"type": "string"}


def test_the_examples_of_a_parameter_override_those_of_its_schema() -> None:
    """So OpenAPI says. One that shows a list as it is sent ("a,b") would mislead: callers give a list."""
    node: JsonObject = {"name": "a", "in": "query"}
    own: JsonObject = {"type": "string", "example": "y"}
    overridden = parameter_of({**node, "schema": own, "example": "x"}).describe_parameter(DOCUMENT).schema
    assert overridden == {**own, "examples": ["x"]}
    listed: JsonObject = {"type": "array", "items": {}, "example": ["c"]}
    assert (
        parameter_of({**node, "schema": listed, "example": "a,b"}).describe_parameter(DOCUMENT).schema
        == listed
    )
