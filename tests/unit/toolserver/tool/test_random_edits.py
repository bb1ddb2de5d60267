"""Random overlays of a document that has what edits reach: nothing of them is accepted unseen."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.documents.compiled import compiled, document_text, overlay_text, tools_of
from tests.support.examples import examples
from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject
from toolserver.tool.compile import CompiledOperation

DOCUMENT: JsonObject = {
    "paths": {
        "/a": {
            "parameters": [{"name": "p", "in": "query", "schema": {"$ref": "#/components/schemas/S"}}],
            "post": {
                "operationId": "postA",
                "requestBody": {
                    "content": {"application/json": {"schema": {"properties": {"b": {"type": "string"}}}}}
                },
                "responses": {"200": {"description": "ok"}},
            },
            "get": {"operationId": "getA", "deprecated": True, "responses": {"200": {"description": "ok"}}},
        }
    },
    "components": {"schemas": {"S": {"type": "integer", "default": 1}}},
}
EDITABLE = json.dumps({**json.loads(document_text()), **DOCUMENT})
PLACES = st.sampled_from(
    [
        "$",
        "$.info",
        "$.servers[*]",
        "$.paths['/a']",
        "$.paths['/a'].post",
        "$.paths['/a'].parameters[0]",
        "$.components.schemas.S",
        *("$..schema", "$..*", "$..[?@.type]", "$..properties.b", "$.paths.*.get"),
    ]
)
SAID = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["", "b", "getA", "ask", "a.b", "body"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("x-tool-bridge", "name", "description", "hidden", "fixed", "order", "approval"),
                    *("result_select", "examples", "default", "type", "schema", "parameters", "in"),
                    *("properties", "required", "summary", "operationId", "servers", "url", "$ref"),
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
RANDOM_ACTIONS = st.one_of(
    st.fixed_dictionaries({"target": PLACES, "update": SAID}),
    st.fixed_dictionaries({"target": PLACES, "copy": PLACES}),
    st.fixed_dictionaries({"target": PLACES, "remove": st.just(value=True)}),
)


@pytest.mark.wide
@examples(1_200)
@given(st.lists(RANDOM_ACTIONS, min_size=1, max_size=4))
def test_a_random_overlay_gets_nothing_accepted_that_was_not_shown(actions: list[JsonObject]) -> None:
    """Issue 41: who has accepted an operation keeps just that request, and what its model reads of it."""
    before = {each.digest: each for each in compiled(EDITABLE).operations}
    try:
        tools = tools_of(EDITABLE, overlays=[overlay_text(*actions)])
        schemas = {each.key: tools.schema_of(each.key) for each in tools.compiled.operations}
    except DocumentError:
        return
    assert all(json.loads(schema.schema_json)["type"] == "object" for schema in schemas.values())
    for edited in tools.compiled.operations:
        if (accepted := before.get(edited.digest)) is not None:
            assert facts_of(edited) == facts_of(accepted)


def facts_of(operation: CompiledOperation) -> tuple[object, ...]:
    """Everything of an operation that its user decides about."""
    return (
        operation.key,
        operation.plan_json,
        operation.description,
        operation.result_select,
        operation.always_asks,
        operation.safe,
        operation.origin,
    )
