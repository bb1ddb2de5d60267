"""Rows of the style tables as rows of request_vectors.json: one document per row and location."""

from collections.abc import Iterator
from typing import cast

from tests.support.documents.vectors import Json, Row

SERVER = "https://x.example"


def style_row(row: Row) -> Iterator[Row]:
    """Nothing where the specification leaves the result undefined."""
    if row["expected"] is None and row.get("expected_any_of") is None:
        return
    for location in cast("list[str]", row["locations"]):
        if location == "body":
            yield body_row(row)
        else:
            yield parameter_row(row, location)


def version_of(row: Row) -> str:
    return "3.1.2" if row["version"] == "rfc6570" else str(row["version"])


def parameters_of(row: Row) -> list[Json]:
    given = cast("list[Json] | None", row.get("parameters"))
    return given or [{"name": row["name"], "value": row["value"], "explode": row.get("explode")}]


def parameter_row(row: Row, location: str) -> Row:
    given = parameters_of(row)
    declared = [declaration(row, location, str(entry["name"]), entry.get("explode")) for entry in given]
    path = "/" + "".join(f"{{{entry['name']}}}" for entry in given) if location == "path" else "/"
    expected = cast("list[str]", row.get("expected_any_of") or [row["expected"]])
    return {
        "id": row["id"],
        "kind": "request",
        "source": row["source"],
        "spec": document(version_of(row), path, {"get": {"parameters": declared, "responses": {}}}),
        "path": path,
        "method": "get",
        "params": {location: {str(entry["name"]): entry["value"] for entry in given}},
        "expected": expectation(location, expected, str(given[0]["name"])),
    }


def declaration(row: Row, location: str, name: str, explode: object) -> Json:
    declared: Json = {"name": name, "in": location, "required": True}
    if "content" in row:
        return {**declared, "content": {str(row["content"]): {"schema": {}}}}
    declared["schema"] = {}
    if row.get("style") is not None:
        declared["style"] = row["style"]
    if explode is not None:
        declared["explode"] = explode
    if row.get("allowReserved"):
        declared["allowReserved"] = True
    return declared


def expectation(location: str, texts: list[str], name: str) -> Json:
    if location == "cookie":
        return {"cookies": [[name, text] for text in texts]}
    if location == "header":
        return {"one_of_headers": {name.lower(): texts}}
    mark = "/" if location == "path" else "/?"
    return {"one_of_urls": [f"{SERVER}{mark}{text}" if text else f"{SERVER}/" for text in texts]}


def body_row(row: Row) -> Row:
    schema: Json = {"type": "object", "properties": {}}
    value = cast("Json", row["value"])
    for name, member in value.items():
        cast("Json", schema["properties"])[name] = {
            "type": "object" if isinstance(member, dict) else "string"
        }
    content_type = str(row["body_content_type"])
    media: Json = {"schema": schema, **({"encoding": row["encoding"]} if "encoding" in row else {})}
    operation: Json = {"requestBody": {"content": {content_type: media}}, "responses": {}}
    return {
        "id": row["id"],
        "kind": "request",
        "source": row["source"],
        "spec": document(version_of(row), "/", {"post": operation}),
        "path": "/",
        "method": "post",
        "params": {"body": value},
        "expected": {"post_data": {"mimeType": content_type, "text": row["expected"]}},
    }


def document(version: str, path: str, item: Json) -> Json:
    return {
        "openapi": version,
        "info": {"title": "A row", "version": "1"},
        "servers": [{"url": SERVER}],
        "paths": {path: item},
    }
