"""XML bodies after OpenAPI's XML Object: names, attributes, wrapping, namespaces, text and CDATA nodes."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import TypeAlias

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.request.scalar_text import primitive_text

Scope: TypeAlias = Mapping[str, str]
"""Prefixes ("" is the default namespace) and their namespaces."""

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_IN_TEXT = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord("\r"): "&#13;"}
_IN_ATTRIBUTE = {**_IN_TEXT, ord('"'): "&quot;", ord("\n"): "&#10;", ord("\t"): "&#9;"}


def write_xml(value: JsonValue, root: JsonObject) -> str:
    """The value as the node `root` of a plan says; a string that begins with `<` is sent as it is.

    Raises:
        RequestError: invalid_arguments: a name or a character that XML does not know.
    """
    if isinstance(value, str) and value.lstrip().startswith("<"):
        return value
    node: JsonObject = {**root, "wrapped": True} if isinstance(value, list) else root
    return _write_element(value, node, text_at(root, "name") or "root", {})


def _write_element(value: JsonValue, node: JsonObject, fallback: str, scope: Scope) -> str:
    name = text_at(node, "name") or fallback
    if isinstance(value, list):
        return _write_list(value, node, name, scope)
    match text_at(node, "node"):
        case "none":
            return _content_of(value, node, scope)
        case "text":
            return _legal_text(_or_empty(value)).translate(_IN_TEXT)
        case "cdata":
            return f"<![CDATA[{_legal_text(_or_empty(value)).replace(']]>', ']]]]><![CDATA[>')}]]>"
        case _:
            return _wrapped(node, name, value, scope, lambda inner: _content_of(value, node, inner))


def _write_list(items: list[JsonValue], node: JsonObject, name: str, scope: Scope) -> str:
    item_node = object_at(node, "items")

    def write_all(inner: Scope) -> str:
        return "".join(_write_element(item, item_node, name, inner) for item in items)

    return _wrapped(node, name, None, scope, write_all) if node.get("wrapped") else write_all(scope)


def _wrapped(
    node: JsonObject, name: str, value: JsonValue, scope: Scope, write: Callable[[Scope], str]
) -> str:
    """An element around what `write` gives, with the attributes of `value` and new namespaces."""
    inner = dict(scope)
    attributes = ""
    for attribute in _nodes_of(node):
        text = value.get(text_at(attribute, "property")) if isinstance(value, dict) else None
        if text_at(attribute, "node") == "attribute" and text is not None:
            own = text_at(attribute, "name") or text_at(attribute, "property")
            written, declared = _qualified(attribute, own, inner, is_attribute=True)
            attributes += f'{declared} {written}="{_legal_text(text).translate(_IN_ATTRIBUTE)}"'
    tag, declaration = _qualified(node, name, inner, is_attribute=False)
    inside = write(inner)
    start = f"<{tag}{declaration}{attributes}"
    return f"{start}>{inside}</{tag}>" if inside else f"{start}/>"


def _qualified(node: JsonObject, name: str, scope: dict[str, str], *, is_attribute: bool) -> tuple[str, str]:
    """The name as written, and the declaration it needs; a default namespace reaches no attribute."""
    prefix = text_at(node, "prefix")
    namespace = text_at(node, "namespace")
    tag = f"{prefix}:{name}" if prefix else name
    if not _is_name(tag):
        raise _invalid(f'"{name}" cannot be the name of an XML element.')
    if not namespace or scope.get(prefix) == namespace or (is_attribute and not prefix):
        return tag, ""
    scope[prefix] = namespace
    declared = f"xmlns:{prefix}" if prefix else "xmlns"
    return tag, f' {declared}="{_legal_text(namespace).translate(_IN_ATTRIBUTE)}"'


def _is_name(tag: str) -> bool:
    if not tag or not (tag[0].isalpha() or tag[0] in "_:"):
        return False
    return all(char in "_:.·-" or unicodedata.category(char)[0] in "LNM" for char in tag)


def _content_of(value: JsonValue, node: JsonObject, scope: Scope) -> str:
    if value is None:
        return ""
    if not isinstance(value, dict):
        return _legal_text(value).translate(_IN_TEXT)
    known = {text_at(member, "property"): member for member in _nodes_of(node)}
    return "".join(
        _write_element(value[name], known.get(name, {}), name, scope)
        for name in {**known, **value}
        if value.get(name) is not None and text_at(known.get(name, {}), "node") != "attribute"
    )


def _nodes_of(node: JsonObject) -> list[JsonObject]:
    return [member for member in array_at(node, "properties") if isinstance(member, dict)]


def _or_empty(value: JsonValue) -> JsonValue:
    return "" if value is None else value


def _legal_text(value: JsonValue) -> str:
    text = primitive_text(value)
    if _ILLEGAL.search(text):
        raise _invalid("The body holds a character that no XML document may hold.")
    return text


def _invalid(problem: str) -> RequestError:
    return RequestError("invalid_arguments", problem, argument="body")
