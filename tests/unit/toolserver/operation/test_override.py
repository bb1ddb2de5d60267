"""Descriptions beside references to what operations share."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject
from toolserver.operation.operation import read_operations


@pytest.mark.parametrize(("openapi", "beside"), [("3.0.3", False), ("3.1.1", True), ("3.2.0", True)])
def test_a_description_beside_a_reference_overrides_the_components(openapi: str, beside: bool) -> None:
    """Finding O-10: 3.1.2 §4.8.23; before, what stands beside a reference is ignored.

    Path items whose references are the same are read once, but not where their descriptions differ.
    """
    page: JsonObject = {"name": "page", "in": "query", "description": "component", "schema": {}}
    components: JsonObject = {
        "parameters": {"Page": page, "Onward": {"$ref": "#/components/parameters/Page", "description": "on"}},
        "requestBodies": {"B": {"content": {"application/json": {}}, "description": "component"}},
    }
    paths: JsonObject = {
        f"/{name}": {
            "parameters": [{"$ref": f"#/components/parameters/{target}", **more}],
            "post": {"requestBody": {"$ref": "#/components/requestBodies/B", **more}},
        }
        for name, target, more in [
            ("plain", "Page", {}),
            ("own", "Page", {"description": "beside"}),
            ("other", "Page", {"description": "besides"}),
            ("chain", "Onward", {}),
        ]
    }
    document = document_with(paths, openapi=openapi, components=components)
    told = [
        (operation.parameters[0].describe_parameter(document).description, operation.body.description)
        for operation in read_operations(document).operations
        if operation.body is not None
    ]
    own = [("beside", "beside"), ("besides", "besides"), ("on", "component")]
    assert told == [("component", "component"), *(own if beside else [("component", "component")] * 3)]
