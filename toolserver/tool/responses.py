"""Describes the responses of an operation for people: status, description, schemas, examples and headers.

Receives a `Document` and an operation's path and method; gives JSON. Bounded: what is too deep or too much is
left out, as nothing but a reader's eye depends on it.
"""

from dataclasses import dataclass
from itertools import islice

from toolserver.errors import ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at
from toolserver.openapi.document import Document
from toolserver.schema.example import examples_of

MAX_RESPONSES = 40
MAX_MEDIA_TYPES = 5
MAX_NODES = 2_000
"""Maximum number of nodes of a schema, references resolved."""
MAX_DEPTH = 12
MAX_EXAMPLE_BYTES = 20_000
"""Maximum bytes of an example; a longer one is left out."""


@dataclass(slots=True)
class _Inlining:
    """Resolves the references of one schema, until there are too many nodes."""

    document: Document
    remaining: int = MAX_NODES

    def inline(self, node: JsonValue, depth: int = 0, above: tuple[int, ...] = ()) -> JsonValue:
        """The node without references; one that leads back to itself, or too deep, is `{}`."""
        self.remaining -= 1
        if self.remaining <= 0 or depth > MAX_DEPTH or id(node) in above:
            return {}
        if isinstance(node, list):
            return [self.inline(item, depth + 1, above) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            try:
                return self.inline(self.document.follow_refs(node), depth, (*above, id(node)))
            except ReferenceFailed:
                return {}
        return {name: self.inline(value, depth + 1, (*above, id(node))) for name, value in node.items()}


def describe_responses(document: Document, path: str, method: str) -> list[JsonValue]:
    """The responses by status, in the document's order: at most forty, none where nothing is described."""
    operation = _operation_node(document, path, method)
    found: list[JsonValue] = []
    for status, entry in islice(object_at(operation, "responses").items(), MAX_RESPONSES):
        response = _followed(document, entry)
        if not status.startswith("x-"):
            content = _content(document, response, operation)
            description = _description_beside(document, entry) or text_at(response, "description")
            found.append({"status": status, "description": description, "content": content})
    return found


def success_of(document: Document, path: str, method: str) -> tuple[str, JsonValue]:
    """Media type and schema of the first answer that means success; JSON before other types.

    ("", None) where nothing is described; the schema is None if the answer has another type than JSON.
    """
    operation = _operation_node(document, path, method)
    responses = object_at(operation, "responses")
    for status in sorted(status for status in responses if status[:1] == "2") or ["default"]:
        response = _followed(document, responses.get(status))
        if "schema" in response:  # Swagger 2.0
            return "application/json", response["schema"]
        content = object_at(response, "content")
        for media_type in sorted(content, key=lambda name: not _is_json(name)):
            media = _followed(document, content[media_type])
            return media_type, media.get("schema", {}) if _is_json(media_type) else None
    return "", None


def _is_json(media_type: str) -> bool:
    return "json" in media_type or media_type == "*/*"


def _operation_node(document: Document, path: str, method: str) -> JsonObject:
    paths = _followed(document, document.root.get("paths"))
    item = _followed(document, paths.get(path))
    node = item.get(method.lower(), object_at(item, "additionalOperations").get(method))
    return node if isinstance(node, dict) else {}


def _followed(document: Document, node: JsonValue) -> JsonObject:
    try:
        followed = document.follow_refs(node)
    except ReferenceFailed:
        return {}
    return followed if isinstance(followed, dict) else {}


def _description_beside(document: Document, node: JsonValue) -> str:
    try:
        return document.description_beside(node)
    except ReferenceFailed:
        return ""


def _content(document: Document, response: JsonObject, operation: JsonObject) -> list[JsonValue]:
    content = object_at(response, "content")
    if not content and "schema" in response:  # Swagger 2.0, whose paths are not converted
        produced = array_at(operation, "produces") or array_at(document.root, "produces")
        examples = object_at(response, "examples")
        types = [name for name in produced if isinstance(name, str)] or ["application/json"]
        content = {name: _media_of_swagger(response, examples, name) for name in types}
    return [
        _described(document, media_type, _followed(document, media))
        for media_type, media in islice(content.items(), MAX_MEDIA_TYPES)
    ]


def _media_of_swagger(response: JsonObject, examples: JsonObject, name: str) -> JsonValue:
    media: JsonObject = {"schema": response["schema"]}
    return media | {"example": examples[name]} if name in examples else media


def _described(document: Document, media_type: str, media: JsonObject) -> JsonValue:
    described: JsonObject = {"media_type": media_type}
    if "schema" in media:
        described["schema"] = _Inlining(document).inline(media["schema"])
    example = next(iter(examples_of(document, media)), None)
    if example is not None and len(dump_json(example)) <= MAX_EXAMPLE_BYTES:
        described["example"] = example
    return described
