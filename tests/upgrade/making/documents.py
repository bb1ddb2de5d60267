"""The documents of the snapshot: names that clash, an operation without an id, a key that the API wants."""

import json
from collections.abc import Mapping
from typing import Any

from tests.upgrade.shop import KEY_HEADER, ORIGIN

Json = dict[str, Any]

NAMED: Json = {
    "required": True,
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "api_key": {"type": "string"}},
            }
        }
    },
}
NUMBER: Json = {"name": "number", "in": "path", "required": True, "schema": {"type": "integer"}}
LIMIT: Json = {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}}


def operation(name: str | None, **members: Any) -> Json:
    """An operation; None: without an id, so that its name comes from its path."""
    named = {} if name is None else {"operationId": name}
    return {**named, "tags": ["shop"], "responses": {"200": {"description": "ok"}}, **members}


def document(title: str, paths: Mapping[str, Json], *, server: str = f"{ORIGIN}/v1", key: bool = True) -> str:
    """The text of a document."""
    schemes = {"shopKey": {"type": "apiKey", "in": "header", "name": KEY_HEADER}}
    secured: Json = {"components": {"securitySchemes": schemes}, "security": [{"shopKey": []}]}
    return json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": title, "version": "1"},
            "servers": [{"url": server}],
            "paths": paths,
            **(secured if key else {}),
        }
    )


OLD_SHOP = document("Old Shop", {"/products": {"get": operation("listProducts")}})
"""Was there first, so that it has the plain name; later nobody names it, and the name stays its own."""

CORNER_SHOP = document(
    "Corner Shop",
    {
        "/products": {
            "get": operation("listProducts", parameters=[LIMIT]),
            "post": operation("addProduct", requestBody=NAMED),
        },
        "/products/{number}": {
            "parameters": [NUMBER],
            "put": operation("renameProduct", requestBody=NAMED),
            "delete": operation("removeProduct"),
        },
        "/orders/{number}": {"parameters": [NUMBER], "get": operation(None)},
    },
)

ANNS_ATTIC = document("Ann's Attic", {"/lamps": {"get": operation("findLamps")}}, key=False)
"""Had a name, too, before Ann deleted it."""

ANNS_SHED = document(
    "Ann's Shed",
    {
        "/tools": {
            "get": operation("listProducts"),
            "post": operation("run_command", requestBody=NAMED),
        },
        "/lamps": {"get": operation("list lamps (all)"), "delete": operation("findLamps")},
    },
    server="/shed",
    key=False,
)
"""Ann's own: a name that another server has, one that is reserved, one that has to be rewritten."""

SPLIT = {
    "/split.json": document(
        "Split Shop", {"/cups": {"get": operation("listCups", parameters=[{"$ref": "limit.json#/limit"}])}}
    ),
    "/limit.json": json.dumps({"limit": LIMIT}),
}
"""A document that refers to another one, by their paths; a page asks its user before it reads the other."""
