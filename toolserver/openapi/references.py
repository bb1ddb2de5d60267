"""Finds the references of one file, and what they are relative to.

Receives the value of a file and its address; gives its references with their base URIs, and the names that
others may refer to: `$id`s and anchors (JSON Schema 2020-12 §8.2, OpenAPI 3.2 §4.2). Literal values such as
examples and defaults contain no references, whatever they look like. Resolves nothing.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias
from urllib.parse import unquote, urldefrag, urljoin

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.changed_tree import change_objects
from toolserver.openapi.json_pointer import pointer_token, token_key

_LITERALS = frozenset(("const", "default", "enum", "example", "value"))
"""Keywords whose value is data; `examples` is data only as an array."""

_NAME_MAPS = frozenset(
    (
        *("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"),
        *("callbacks", "examples", "headers", "links", "mediaTypes", "parameters", "pathItems"),
        *("requestBodies", "responses", "schemas", "securityDefinitions", "securitySchemes"),
        *("content", "encoding", "paths", "variables", "webhooks"),
    )
)
"""Keywords whose object maps free names: what looks like a keyword there is a name."""

_TELLING = frozenset(("$id", "$anchor", "$dynamicAnchor", "discriminator", "servers", "security"))
"""Keywords that matter here, besides `$ref`; few objects have any."""

_Trail: TypeAlias = "tuple[_Trail, str] | None"
"""The path from the root to a node, last step first."""


@dataclass(slots=True)
class FoundReference:
    """One reference, at `holder[key]`; in a security requirement the key itself is the reference."""

    holder: JsonObject
    key: str
    ref: str
    base: str
    """URI that it is relative to, without fragment."""
    file: str
    """Address of its file."""
    may_fetch: bool = True
    """False: worth rewriting, but no reason to fetch a file. That applies below extensions (`x-…`), which
    often refer to code or prose, and to discriminator mappings, of which only the keys are read."""
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that a URI names."""

    pointer: str
    """A JSON pointer."""
    node: JsonValue
    file: str
    """Address of its file."""


@dataclass(slots=True)
class FileReferences:
    """The result of `find_references`."""

    address: str
    base: str
    """The file's own URI: its address, or its `$self` (3.2)."""
    references: list[FoundReference] = field(default_factory=list[FoundReference])
    """In document order."""
    names: dict[str, Resource] = field(default_factory=dict[str, Resource])
    """By URI: the file itself, its `$id`s and, with fragment, its anchors; pointers begin at its root."""
    identifiers: set[str] = field(default_factory=set[str])
    """Every `$self` and `$id` as written."""
    servers: list[JsonObject] = field(default_factory=list[JsonObject])


def join_uri(base: str, reference: str) -> str:
    """`reference` resolved against `base`, without fragment; unchanged if it cannot be parsed."""
    try:
        return urldefrag(urljoin(base, reference)).url
    except ValueError:
        return reference


def find_references(root: JsonValue, address: str, *, uri_security: bool = False) -> FileReferences:
    """Every reference of a file. Nodes shared by YAML aliases are visited once.

    `uri_security`: names in security requirements may be URIs (OpenAPI 3.2).
    """
    found = FileReferences(address, address)
    if isinstance(root, dict) and (own := text_at(root, "$self")):
        found.base = join_uri(address, own)
        found.identifiers.add(own)
    found.names = dict.fromkeys((address, found.base), Resource("", root, address))
    _Finder(found, uri_security).walk(root)
    return found


def starts_within(resource: Resource, fragment: str) -> bool:
    """Whether a pointer begins in the resource.

    Pointers below an `$id` are relative to it, but many authors mean the document nevertheless.
    """
    first = token_key(unquote(fragment[1:].partition("/")[0]))
    return not isinstance(resource.node, dict) or first in resource.node


def walk_containers(root: JsonValue) -> Iterator[tuple[int, list[JsonObject | list[JsonValue]]]]:
    """The objects and arrays of a tree, level by level; shared nodes appear once per level."""
    level = [root] if isinstance(root, dict | list) else []
    depth = 0
    while level:
        depth += 1
        yield depth, level
        below = [
            value
            for container in level
            for value in (container.values() if isinstance(container, dict) else container)
            if isinstance(value, (dict, list))
        ]
        level = list({id(value): value for value in below}.values())


def rebase_references(root: JsonObject) -> JsonObject:
    """The root in which references below an `$id` to what is in the document are pointers from its root.

    Others may hold the same nodes, such as those of a document before its edits: what changes is copied.
    """
    found = find_references(root, "")
    pointers: defaultdict[int, JsonObject] = defaultdict(dict)
    for each in found.references:
        target = _pointer_below(found, each) if each.base != found.base and not each.is_key else None
        if target is not None:
            pointers[id(each.holder)][each.key] = f"#{target}"
    if not pointers:
        return root
    return change_objects(root, lambda node, members: members.update(pointers.get(id(node), {})))


def _pointer_below(found: FileReferences, reference: FoundReference) -> str | None:
    base, _, fragment = reference.ref.partition("#")
    uri = join_uri(reference.base, base) if base else reference.base
    resource = found.names.get(uri)
    if resource is None or not fragment:
        return resource and resource.pointer
    if fragment.startswith("/"):
        return resource.pointer + fragment if starts_within(resource, fragment) else None
    named = found.names.get(f"{uri}#{unquote(fragment)}")
    return named and named.pointer


@dataclass(slots=True)
class _Step:
    node: JsonObject | list[JsonValue]
    base: str
    trail: _Trail
    maps_names: bool
    may_fetch: bool


@dataclass(slots=True)
class _Finder:
    found: FileReferences
    uri_security: bool

    def walk(self, root: JsonValue) -> None:
        if not isinstance(root, dict | list):
            return
        seen: set[int] = set()
        waiting = [_Step(root, self.found.base, None, maps_names=False, may_fetch=True)]
        while waiting:
            step = waiting.pop()
            if id(step.node) not in seen:
                seen.add(id(step.node))
                waiting.extend(reversed(list(self._below(step))))

    def _below(self, step: _Step) -> Iterator[_Step]:
        if isinstance(step.node, list):
            for index, value in enumerate(step.node):
                if isinstance(value, dict | list):
                    yield _Step(
                        value, step.base, (step.trail, str(index)), maps_names=False, may_fetch=step.may_fetch
                    )
            return
        base = self._take(step.node, step)
        for key, value in step.node.items():
            if not isinstance(value, dict | list) or _is_literal(key, value, step):
                continue
            is_keyword = not step.maps_names
            yield _Step(
                value,
                base,
                (step.trail, key),
                maps_names=is_keyword and key in _NAME_MAPS,
                may_fetch=step.may_fetch and not (is_keyword and key.startswith("x-")),
            )

    def _take(self, node: JsonObject, step: _Step) -> str:
        """Records what one object declares; gives the base URI for what is below it."""
        base = step.base
        if not step.maps_names and not _TELLING.isdisjoint(node):
            base = self._take_names(node, step)
            self._take_others(node, base)
        for keyword in ("$ref", "$dynamicRef"):
            ref = node.get(keyword)
            if isinstance(ref, str):
                self._add_reference(node, keyword, ref, base, may_fetch=step.may_fetch)
        return base

    def _take_names(self, node: JsonObject, step: _Step) -> str:
        base, identifier = step.base, text_at(node, "$id")
        if identifier.startswith("#"):  # an anchor of draft-07
            self._name(base + identifier, node, step)
        elif identifier:
            base = join_uri(base, identifier)
            self.found.identifiers.add(identifier.removesuffix("#"))
            self._name(base, node, step)
        for keyword in ("$anchor", "$dynamicAnchor"):
            if anchor := text_at(node, keyword):
                self._name(f"{base}#{anchor}", node, step)
        return base

    def _name(self, uri: str, node: JsonObject, step: _Step) -> None:
        self.found.names.setdefault(uri, Resource(_pointer(step.trail), node, self.found.address))

    def _take_others(self, node: JsonObject, base: str) -> None:
        mapping = object_at(object_at(node, "discriminator"), "mapping")
        for name, target in mapping.items():
            if isinstance(target, str) and _is_uri(target):
                self._add_reference(mapping, name, target, base, may_fetch=False)
        self.found.servers += [entry for entry in array_at(node, "servers") if isinstance(entry, dict)]
        if self.uri_security:
            for entry in array_at(node, "security"):
                for name in list(entry) if isinstance(entry, dict) else ():
                    if isinstance(entry, dict) and _is_uri(name):
                        self._add_reference(entry, name, name, base, is_key=True)

    def _add_reference(
        self,
        holder: JsonObject,
        key: str,
        ref: str,
        base: str,
        *,
        may_fetch: bool = True,
        is_key: bool = False,
    ) -> None:
        found = FoundReference(holder, key, ref, base, self.found.address, may_fetch, is_key)
        self.found.references.append(found)


def _is_uri(name: str) -> bool:
    """Whether a name is a URI rather than that of a component.

    Names of components contain neither slashes nor "#" (OpenAPI 3.1 §4.8.7.1), nor do they end like files.
    """
    return "/" in name or "#" in name or name.endswith((".json", ".yaml", ".yml"))


def _is_literal(key: str, value: JsonValue, step: _Step) -> bool:
    return not step.maps_names and (key in _LITERALS or (key == "examples" and isinstance(value, list)))


def _pointer(trail: _Trail) -> str:
    tokens: list[str] = []
    while trail is not None:
        trail, token = trail
        tokens.append(pointer_token(token))
    return "".join(f"/{token}" for token in reversed(tokens))
