"""Warnings about edits that cannot do what they say."""

import pytest

from tests.support.documents.compiled import document_text, operation, overlay_text, tools_of
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.argument_names import bind_names, describe_taken_names

PAGE: JsonObject = {"name": "page", "in": "query", "schema": {"type": "integer"}}
SIZE: JsonObject = {**PAGE, "name": "size"}


def warnings_of(key: str, target: str, **said: JsonValue) -> tuple[str, ...]:
    """Of an operation whose document has one edit."""
    paths: JsonObject = {
        "/a": {"get": {"operationId": "getA", "parameters": [PAGE, SIZE], "responses": {}}},
        "/b": operation("getB"),
    }
    edit = overlay_text({"target": target, "update": {"x-tool-bridge": said}})
    tools = tools_of(document_text(paths=paths), overlays=[edit])
    (found,) = [each for each in tools.compiled.operations if each.key == key]
    return (*found.warnings, *tools.schema_of(key).warnings)


def test_a_name_that_another_tool_has_is_told() -> None:
    """Issue 41: one of the two gets another name, which nothing else would say."""
    own = "$.paths['/a'].get"
    assert warnings_of("GET /a", own, name="getB") == (
        "`name` of `x-tool-bridge` is the name of 'GET /b', too; one of them gets another.",
    )
    assert warnings_of("GET /b", own, name="getB") == ()
    assert warnings_of("GET /a", own, name="getC") == warnings_of("GET /a", own, name="getA") == ()


def test_a_name_that_another_argument_has_is_told_with_what_became_of_that() -> None:
    """Issue 41: models would read of an argument that no user named so."""
    first = "$.paths['/a'].get.parameters[0]"
    assert warnings_of("GET /a", first, name="size") == (
        "`name` in `x-tool-bridge` of 'page' is the name of another argument, too: "
        "'size' is called 'size__query' now.",
    )
    assert warnings_of("GET /a", first, name="count") == ()


def test_of_equal_names_the_argument_is_told_that_got_another() -> None:
    """A property of the body keeps its name, so the parameter that was edited does not get it."""
    targets = [("query", "page"), ("body_property", "size")]
    chosen = {("query", "page"): "size", ("query", "hidden"): "size"}
    (said,) = describe_taken_names(bind_names(targets, chosen), chosen)  # type: ignore[arg-type]
    assert said.endswith("'page' is called 'size__query' now.")


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ({"page": "first"}, "`page` must be integer"),
        ({"pages": 1}, "There is no argument `pages`"),
        ({"page": 1}, ""),
    ],
)
def test_an_example_that_does_not_fit_is_told(example: JsonObject, said: str) -> None:
    """Issue 41: no model is shown it, as its provider would refuse the whole request."""
    (*warnings,) = warnings_of("GET /a", "$.paths['/a'].get", examples=[{"size": 1}, example])
    assert [said in each and "number 2" in each for each in warnings] == ([True] if said else [])


def test_the_size_of_an_example_is_that_of_its_json() -> None:
    """What Python would write is another size: `true` for `True`, and quotes without backslashes."""
    quotes: JsonObject = {"text": '"' * 2_001}
    assert len(repr(quotes)) < 4_000
    told = warnings_of("GET /a", "$.paths['/a'].get", examples=[quotes])
    assert told == ("`examples` of `x-tool-bridge` has a value that it cannot have.",)
