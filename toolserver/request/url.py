"""Puts base URL, path template and query together, and refuses paths that would leave their template."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from toolserver.errors import RequestError, quote_text
from toolserver.json_types import JsonObject, array_at, text_at
from toolserver.openapi.servers import absolute_url

_MAX_DECODINGS = 5
"""Decoding stops here: no file name needs more rounds."""
_EXPRESSION = re.compile(r"\{([^{}]+)\}")
_SLASH = re.compile(r"/(?![^{}]*\})")
"""A slash that is not part of a name in braces."""
_UNWRITABLE = re.compile('[ "<>^`|\x80-\ud7ff\ue000-\U0010ffff]')
"""Characters that a URL may not hold, but for a lone "%": it may be meant."""
_CONTROL_OR_BACKSLASH = re.compile(r"[\\\x00-\x1f\x7f]")
_ENCODED = re.compile(r"%(?:2E|2F|5C|25)", re.IGNORECASE)


@dataclass(slots=True)
class UrlParts:
    """What the arguments give to a URL, already encoded."""

    path: dict[str, str] = field(default_factory=dict[str, str])
    """Text by name of the path parameter."""
    arguments: dict[str, str] = field(default_factory=dict[str, str])
    """Arguments by name of the path parameter."""
    query: list[str] = field(default_factory=list[str])


def join_url(plan: JsonObject, base_url: str, parts: UrlParts) -> str:
    """The whole URL; path and query of `base_url` are kept.

    Raises:
        RequestError: no_base_url, unsendable, invalid_arguments.
    """
    base, own = _read_base(base_url)
    template, _, asked = text_at(plan, "path").partition("#")[0].partition("?")
    path = _filled(template, parts.path)
    _check_template(template)
    _check_segments(_SLASH.split(template), plan, parts)
    query = "&".join(filter(None, (own, _filled(asked, parts.path), *parts.query)))
    slash = "" if path == "" or path.startswith("/") else "/"
    return f"{base}{slash}{path}{'?' if query else ''}{query}"


def _read_base(text: str) -> tuple[str, str]:
    """Address and query of a base URL."""
    if not text:
        raise RequestError("no_base_url", "The document does not say where the API is. Give a base URL.")
    address = absolute_url(text, None)
    if not address:
        raise RequestError("no_base_url", f"{quote_text(text)} is not an http or https address.")
    parts = urlsplit(text)
    if "@" in parts.netloc:
        raise RequestError("no_base_url", "A base URL must not hold a user name or password.")
    return _UNWRITABLE.sub(_encoded, address), _UNWRITABLE.sub(_encoded, parts.query)


def _encoded(match: re.Match[str]) -> str:
    return quote(match[0], safe="")


def _filled(template: str, values: Mapping[str, str]) -> str:
    def text_of(place: int, part: str) -> str:
        if place % 2 == 0:
            return _UNWRITABLE.sub(_encoded, part)
        if part not in values:
            message = f"The path needs {quote_text(part)}, which the document does not declare."
            raise RequestError("unsendable", message, argument=part)
        return values[part]

    return "".join(text_of(place, part) for place, part in enumerate(_EXPRESSION.split(template)))


def _check_template(template: str) -> None:
    literal = _EXPRESSION.sub("x", template)
    if _CONTROL_OR_BACKSLASH.search(literal) or literal.startswith("//") or _has_dot_segment(literal):
        raise RequestError("unsendable", "The path of the document leads to another place than it says.")


def _check_segments(segments: Sequence[str], plan: JsonObject, parts: UrlParts) -> None:
    for index, segment in enumerate(segments):
        names = _EXPRESSION.findall(segment)
        if not names:
            continue
        text = _filled(segment, parts.path)
        argument = parts.arguments.get(names[0], names[0])
        # Only at the end a server keeps its place where the "." of an empty label is taken away.
        is_empty_label = index == len(segments) - 1 and segment == f"{{{names[0]}}}" and text == "."
        if _has_dot_segment(text) and not (is_empty_label and _is_label(plan, names[0])):
            message = f'"{argument}" must not be "." or "..": that would change the path of the request.'
            raise RequestError("invalid_arguments", message, argument=argument)
        if not text.strip("/") and not plan.get("safe"):
            message = f'"{argument}" must not be empty: the request would reach another address.'
            raise RequestError("invalid_arguments", message, argument=argument)


def _is_label(plan: JsonObject, name: str) -> bool:
    return any(
        isinstance(each, dict)
        and (each.get("in"), each.get("name"), each.get("style")) == ("path", name, "label")
        for each in array_at(plan, "parameters")
    )


def _has_dot_segment(text: str) -> bool:
    decoded = text
    for _ in range(_MAX_DECODINGS):
        # Servers take away what follows ";".
        if any(re.match(r"\.\.?(?:;|\Z)", segment) for segment in re.split(r"[/\\]", decoded)):
            return True
        following = _ENCODED.sub(lambda triple: unquote(triple[0]), decoded)
        if following == decoded:
            return False
        decoded = following
    return True
