"""What an operation states beside its schemas, and which of it is neither in its plan nor told.

Parameters with place, need and style; the body with its content types; security, alternative by alternative;
servers. OpenAPI 3 and Swagger 2.0, whose parameters are read as they stand there.
"""

from collections.abc import Iterable, Iterator

import orjson

from tests.support.documents.stated import (
    Stated,
    is_address_of,
    is_true,
    missing_variables,
    nodes_of,
    text_of_value,
)
from tests.support.documents.stated_schema import Lost, SchemaComparer
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.tool.compile import CompiledOperation, DocumentTools

IGNORED = frozenset({"accept", "content-type", "authorization"})
"""Header parameters that "SHALL be ignored" (Parameter Object)."""

_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
_NOT_SCHEMA = frozenset({"name", "in", "required"})
"""Keywords of a parameter of 2.0 that are none of its schema, or mean something else there."""

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_COLLECTIONS = {"ssv": "spaceDelimited", "pipes": "pipeDelimited"}


def _objects(entries: JsonValue) -> Iterator[JsonObject]:
    return (each for each in entries if isinstance(each, dict)) if isinstance(entries, list) else iter(())


class OperationComparer:
    """One operation of a document and its tool."""

    def __init__(self, stated: Stated, tools: DocumentTools, operation: CompiledOperation) -> None:
        schema = tools.schema_of(operation.key)
        self.stated, self.tools, self.operation = stated, tools, operation
        self.schema: JsonObject = orjson.loads(schema.schema_json)
        self.plan: JsonObject = orjson.loads(self.operation.plan_json)
        self.item, self.node = nodes_of(self.stated, self.operation)
        self.told = (*self.operation.warnings, *schema.warnings, *self.tools.compiled.warnings)
        self.comparer = SchemaComparer(self.stated, self.told, self.operation.description)

    def list_lost(self) -> Iterator[Lost]:
        """Everything that became of nothing, and of which nothing is said."""
        yield from self._parameters()
        yield from self._body()
        yield from self._security()
        yield from self._servers()

    def _says(self, *values: str) -> bool:
        return any(all(value in each for value in values) for each in self.told)

    def _argument(self, name: str) -> list[JsonValue]:
        node = object_at(self.schema, "properties").get(name)
        return [] if node is None else [node]

    def _parameters(self) -> Iterator[Lost]:
        planned = {
            (text_at(each, "in"), text_at(each, "name").lower()): each
            for each in _objects(self.plan.get("parameters"))
        }
        unsendable = {text_at(each, "name") for each in _objects(self.plan.get("unsendable"))}
        for (place, key), parameter in self._declared().items():
            name = text_at(parameter, "name")
            sent = planned.get((place, key))
            if sent is not None:
                yield from self._parameter(parameter, sent)
            elif not ((key in IGNORED and place == "header") or name in unsendable or self._says(name)):
                yield Lost(name, "parameter", place)

    def _declared(self) -> dict[tuple[str, str], JsonObject]:
        """By place and name: those of the operation count before those of its path item."""
        entries = [
            self.stated.resolve(each)
            for each in (*array_at(self.item, "parameters"), *array_at(self.node, "parameters"))
        ]
        return {
            (text_at(each, "in"), text_at(each, "name").lower()): each
            for each in entries
            if isinstance(each, dict) and text_at(each, "in") not in ("body", "formData")
        }

    def _parameter(self, parameter: JsonObject, sent: JsonObject) -> Iterator[Lost]:
        name, argument = text_at(parameter, "name"), text_at(sent, "argument")
        needed = is_true(parameter.get("required")) or text_at(parameter, "in") == "path"
        if needed and not (sent["required"] and argument in array_at(self.schema, "required")):
            yield Lost(name, "required", "")
        content = object_at(parameter, "content")
        if content:
            (media_type, media), *_ = content.items()
            if sent.get("content_type") != media_type:
                yield Lost(name, "content type", media_type)
            schema = object_at(self._resolved(media), "schema")
        else:
            schema = parameter if self.stated.is_swagger() else parameter.get("schema")
            yield from self._style(parameter, sent)
        if not self._argument(argument):
            yield Lost(name, "argument", argument)
        yield from self.comparer.compare(self._plain(schema), self._argument(argument), argument)

    def _plain(self, schema: JsonValue) -> JsonValue:
        """A parameter of 2.0 as its schema: `required` there is no list of names."""
        if self.stated.is_swagger() and isinstance(schema, dict) and "in" in schema:
            return {key: value for key, value in schema.items() if key not in _NOT_SCHEMA}
        return schema

    def _style(self, parameter: JsonObject, sent: JsonObject) -> Iterator[Lost]:
        name, place = text_at(parameter, "name"), text_at(parameter, "in")
        if self.stated.is_swagger():
            collected = text_at(parameter, "collectionFormat")
            style = _COLLECTIONS.get(collected, _STYLES.get(place, ""))
            explode = "true" if collected == "multi" else "false"
            if text_at(parameter, "type") != "array" or collected == "tsv":
                return
        else:
            style = text_at(parameter, "style") or _STYLES.get(place, "")
            explode = text_of_value(parameter.get("explode")) or str(style in ("form", "cookie")).lower()
        if style in ("spaceDelimited", "pipeDelimited", "deepObject") and "explode" not in parameter:
            explode = str(sent.get("explode")).lower()  # said by no version in the same way
        if sent.get("style") != style and not self._says(name, style):
            yield Lost(name, "style", style)
        if str(sent.get("explode")).lower() != explode and not self._says(name, "explode"):
            yield Lost(name, "explode", explode)
        if is_true(parameter.get("allowReserved")) and not sent.get("allow_reserved"):
            yield Lost(name, "allowReserved", "")

    def _resolved(self, node: JsonValue) -> JsonObject:
        found = self.stated.resolve(node)
        return found if isinstance(found, dict) else {}

    def _body(self) -> Iterator[Lost]:
        yield from self._unsent_parts()
        content, required = self._stated_body()
        body = object_at(self.plan, "body")
        if not content:
            return
        if not body:
            if not self._says("body"):
                yield Lost("body", "body", "")
            return
        if required and not body.get("required"):
            yield Lost("body", "required", "")
        sent = {text_at(body, "content_type"), *map(str, array_at(body, "content_types"))}
        media_type = next((key for key in content if key in sent), "")
        for key in content:
            if key not in sent and not media_type and not self._says(key):
                yield Lost("body", "content type", key)
        media_type = media_type or next(iter(content))
        if text_at(body, "kind") != "binary" and not self._says("are not described; a file is sent"):
            yield from self._body_schema(content[media_type], body)
        yield from self._other_types(content, media_type)

    def _stated_body(self) -> tuple[JsonObject, bool]:
        """Its media types with their schemas, and whether it is needed."""
        if not self.stated.is_swagger():
            node = self._resolved(self.node.get("requestBody"))
            media = {key: self._resolved(each) for key, each in object_at(node, "content").items()}
            return {key: each.get("schema", {}) for key, each in media.items()}, is_true(node.get("required"))
        return self._swagger_body()

    def _swagger_body(self) -> tuple[JsonObject, bool]:
        entries = [
            self._resolved(each)
            for each in (*array_at(self.item, "parameters"), *array_at(self.node, "parameters"))
        ]
        holder = self.node if "consumes" in self.node else self.stated.root
        consumes = [str(each) for each in array_at(holder, "consumes")]
        fields = {text_at(each, "name"): each for each in entries if text_at(each, "in") == "formData"}
        if whole := [each for each in entries if text_at(each, "in") == "body"]:
            types = consumes or ["application/json"]
            return dict.fromkeys(types, whole[-1].get("schema", {})), is_true(whole[-1].get("required"))
        if not fields:
            return {}, False
        needed = [name for name, each in fields.items() if is_true(each.get("required"))]
        properties: JsonObject = {
            name: {key: value for key, value in each.items() if key not in _NOT_SCHEMA}
            for name, each in fields.items()
        }
        schema: JsonObject = {"properties": properties, "required": [*needed]}
        return dict.fromkeys(consumes or _FORMS, schema), bool(needed)

    def _unsent_parts(self) -> Iterator[Lost]:
        """Parameters of 2.0 beside the one that is the body."""
        entries = [self._resolved(each) for each in array_at(self.node, "parameters")]
        parts = [each for each in entries if text_at(each, "in") in ("body", "formData")]
        if any(text_at(each, "in") == "body" for each in parts):
            for part in parts[:-1]:
                if not self._says(name := text_at(part, "name")):
                    yield Lost(name, "parameter", text_at(part, "in"))

    def _body_schema(self, schema: JsonValue, body: JsonObject) -> Iterator[Lost]:
        if "argument" in body:
            argument = text_at(body, "argument")
            yield from self.comparer.compare(schema, self._argument(argument), argument)
            return
        names = {
            text_at(each, "name"): text_at(each, "argument") for each in _objects(body.get("properties"))
        }
        properties = object_at(self.schema, "properties")
        required = array_at(self.schema, "required")
        spread: JsonObject = {
            "type": "object",
            "properties": {name: properties[argument] for name, argument in names.items()},
            "required": [name for name, argument in names.items() if argument in required],
        }
        comparer = SchemaComparer(self.stated, self._by_name(names), self.operation.description)
        yield from comparer.compare(schema, [spread], "")

    def _by_name(self, names: dict[str, str]) -> tuple[str, ...]:
        """The warnings, about properties in place of arguments."""
        renamed = {argument: name for name, argument in names.items() if argument != name}
        return (
            *self.told,
            *(
                each.replace(argument, name, 1)
                for each in self.told
                for argument, name in renamed.items()
                if each.startswith(argument)
            ),
        )

    def _other_types(self, content: JsonObject, chosen: str) -> Iterator[Lost]:
        """Properties that only a content type has that is not sent."""
        known = self.stated.property_names(content[chosen])
        for media_type, schema in content.items():
            for name in self.stated.property_names(schema) - known:
                if known and not self._says(media_type):
                    yield Lost(name, "property of", media_type)

    def _security(self) -> Iterator[Lost]:
        entries = array_at(self.node if "security" in self.node else self.stated.root, "security")
        certificates = {
            each.scheme for each in self.tools.compiled.security_schemes if each.type == "mutualTLS"
        }
        planned = [
            {text_at(each, "scheme") for each in _objects(together)}
            for together in array_at(self.plan, "security")
        ]
        for entry in entries:
            if not isinstance(entry, dict):
                continue
            names = entry.keys() - certificates
            if names not in planned and not self._says_of_alternative(names):
                yield Lost("security", "alternative", " and ".join(sorted(names)))
            elif names in planned:
                yield from self._scopes(entry)

    def _scopes(self, entry: JsonObject) -> Iterator[Lost]:
        scopes = dict(self.operation.scopes)
        for name in entry:
            if self._type_of(name) in ("oauth2", "openIdConnect"):
                for scope in map(str, array_at(entry, name)):
                    if scope not in scopes.get(name, ()):
                        yield Lost("security", f"scope of {name}", scope)

    def _says_of_alternative(self, names: Iterable[str]) -> bool:
        """Whether a warning names a scheme of it, or says how many more there are."""
        told = ("security requirement", "ways to authenticate", "security scheme")
        return self._says("more security requirements are left out") or any(
            self._says(subject, repr(name)) for subject in told for name in names
        )

    def _type_of(self, scheme: str) -> str:
        return next((each.type for each in self.tools.compiled.security_schemes if each.scheme == scheme), "")

    def _servers(self) -> Iterator[Lost]:
        for name in missing_variables(self.stated, self.tools, self.operation):
            yield Lost("servers", "variable", name)
        base_url = text_at(self.plan, "base_url")
        servers = (
            array_at(self.node, "servers")
            or array_at(self.item, "servers")
            or array_at(self.stated.root, "servers")
        )
        urls = [text_at(each, "url") for each in servers if isinstance(each, dict)]
        is_told = self._says("Its own server") or self._says("names its server only as")
        if urls and not any(is_address_of(base_url, url) for url in urls) and not is_told:
            yield Lost("servers", "address", urls[0])
