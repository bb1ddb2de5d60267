"""Chooses among media types.

Receives the keys of `content` maps; gives the one to use. Knows names of media types, not their contents.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, TypeAlias

JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
FORM_DATA = "multipart/form-data"
OCTETS = "application/octet-stream"
EVENTS = "text/event-stream"

BodyKind: TypeAlias = Literal["json", "form", "multipart", "text", "xml", "sequence", "binary"]
"""How a body is encoded; the order is the order of preference where a document offers several."""

_JSON_NAMES = ("text/json", "application/x-json", "text/x-json")
_JSON_RANGES = ("*/*", "application/*", "*", "")
_MEDIA_TYPE = re.compile(r"[!#$%&'+.^_`|~\w-]+/[!#$%&'+.^_`|~\w-]+[ \t]*(?:;[ -~]*)?", re.ASCII)
"""Two tokens (RFC 9110 §5.6.2) without the `*` of ranges, and parameters that a header can carry."""

_SEQUENCE_NAMES = frozenset(
    f"application/{name}" for name in ("jsonl", "x-jsonl", "jsonlines", "x-jsonlines", "ndjson", "x-ndjson")
)
_TEXT_NAMES = frozenset(
    f"application/{name}"
    for name in (
        *("yaml", "x-yaml", "toml", "graphql", "sql", "sparql-query", "sparql-update", "csv", "sdp"),
        *("javascript", "ecmascript", "x-sh", "jwt", "n-triples", "trig", "x-ldif", "pem-certificate-chain"),
    )
)
_USUAL_TYPES: dict[BodyKind, str] = {
    "json": JSON,
    "form": FORM,
    "multipart": FORM_DATA,
    "text": "text/plain",
    "xml": "application/xml",
    "sequence": "application/jsonl",
    "binary": OCTETS,
}
_MAX_ACCEPT_CHARS = 128
"""Maximum length of an Accept header: a longer one is not CORS-safelisted and would cost a preflight (Fetch
standard §2.2.2)."""


@lru_cache(maxsize=256)
def base_type(media_type: str) -> str:
    """The type without parameters, lower case: "application/json" for "Application/JSON; charset=utf-8"."""
    return media_type.partition(";")[0].strip().lower()


def is_json(media_type: str) -> bool:
    """Whether a body of this type is one JSON value; ranges that include JSON do not count."""
    name = base_type(media_type)
    return name == JSON or name in _JSON_NAMES or (name.endswith("+json") and "*" not in name)


def is_json_range(media_type: str) -> bool:
    """Whether the key is a range that includes JSON."""
    name = base_type(media_type)
    return name in _JSON_RANGES or (name.endswith("+json") and "*" in name)


def is_media_type(name: str) -> bool:
    """Whether it can be a Content-Type: a type and a subtype, no range."""
    return _MEDIA_TYPE.fullmatch(name.strip()) is not None


def is_media_range(name: str) -> bool:
    """Whether it is a media type, or a range of some ("*/*", "image/*", "application/*+json")."""
    return is_media_type(name.replace("*", "x"))


def types_to_choose(names: Iterable[str]) -> tuple[str, ...]:
    """The types and ranges among these, if a file leaves a choice: octets beside one type are none."""
    usable = tuple(name for text in names if is_media_range(name := text.strip()))
    return usable if sum(base_type(name) != OCTETS for name in usable) > 1 else ()


def body_kind(media_type: str) -> BodyKind:
    """How a body of this type is encoded; unknown types count as bytes."""
    name = base_type(media_type)
    if is_json(name) or is_json_range(name):
        return "json"
    if name == FORM:
        return "form"
    if name.startswith("multipart/"):
        return "multipart"
    if name in ("application/xml", "text/xml") or name.endswith("+xml"):
        return "xml"
    if name in _SEQUENCE_NAMES or name.endswith("json-seq"):
        return "sequence"
    is_text = name.startswith("text/") or name in _TEXT_NAMES or name.endswith("+yaml")
    return "text" if is_text else "binary"


def choose_json(media_types: Iterable[str]) -> str | None:
    """The key to use for JSON: application/json, other JSON types, then ranges with it; else None."""
    keys = list(media_types)
    for matches in (_is_plain_json, is_json, is_json_range):
        for key in keys:
            if matches(key):
                return key
    return None


def _is_plain_json(media_type: str) -> bool:
    return base_type(media_type) == JSON


@lru_cache(maxsize=256)
def sent_type(media_type: str, kind: BodyKind) -> str:
    """The Content-Type to send for a key of `content` whose body is written as `kind`.

    A range, or what is no media type at all, becomes the usual type of its kind. Only ranges of files
    ("image/*") stay: the file that is sent has a type of its own.
    """
    if is_media_type(media_type):
        return media_type.strip()
    name = base_type(media_type)
    if kind == "binary" and is_media_range(name) and not is_json_range(name):
        return name
    if kind == "sequence" and name.endswith("+json-seq"):
        return "application/json-seq"
    return "application/yaml" if name.endswith("+yaml") else _USUAL_TYPES[kind]


def accept_of(keys: Iterable[str]) -> str:
    """The Accept header for the keys of all success responses' `content`; "" when they name no type.

    Only the JSON type where there is one: a tool's caller reads JSON best.
    """
    media_types = list(dict.fromkeys(key.strip() for key in keys))
    json_type = choose_json(key for key in media_types if not is_json_range(key))
    if json_type is not None:
        return base_type(json_type)
    if any(is_json_range(key) for key in media_types):
        return ""
    accepted = ""
    for key in filter(is_media_range, media_types):
        longer = f"{accepted}, {base_type(key)}" if accepted else base_type(key)
        if len(longer) <= _MAX_ACCEPT_CHARS:
            accepted = longer
    return accepted
