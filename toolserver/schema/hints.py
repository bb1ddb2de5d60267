"""Describes the constraints of a schema in words, at the end of its description.

Receives an argument-schema node; gives text. Some readers of a tool keep only types and descriptions
(measured: Open WebUI's browser converter), so each constraint appears twice: as a keyword and here. For
readers of keywords `compact` takes the words away again. Knows nothing of references or composition, which
are resolved by now.
"""

import json
import re
from collections.abc import Iterator

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.pattern import (
    MAX_PATTERN_CHARS,
    is_runnable,
    portable_pattern,
    stands_between_slashes,
)

MAY_BE_NULL = "May be null."
"""Last words of a node that accepts null; the argument validator reads them (see
`toolserver.arguments.arguments`)."""

NEEDED_WITH_BODY = "Required when a body is sent."
"""Said of the required properties of an optional body. They are required by keyword, too, so that a caller
that reads nothing else sends a whole body. The argument validator lets all of them be missing together. The
page's form reads these words (`static/forms/form_state.js`), as strict schemas do."""

_NAME = re.compile("`([^`]+)`")
_CHOICE = re.compile(r"\bNeeds (exactly|at least) one of: (`[^`]+`(?:(?: and |; )`[^`]+`)+)\.(?=\s|\Z)")

_PATTERN = re.compile(r"\bPattern: `([^`]+)`\.(?=\s|\Z)")

ENUM_CHARS = 2_000
"""Maximum characters of a list of allowed values in words; at 400, 84 of a measured 4,791 lists were cut, at
2,000 only 4."""

PATTERN_CHARS = 200
"""Maximum characters of a pattern that is told beside its keyword; without a keyword it is always told."""

VALUE_CHARS = 200
DESCRIPTION_CHARS = 4_000
"""Maximum characters of one argument's description; longer ones are cut (chosen: the longest useful ones seen
have ~3,000)."""

TOOL_DESCRIPTION_CHARS = 16_000
"""Maximum characters of a whole tool's description, chosen by feel: 4,000 tokens of every chat."""

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters that a person does not see and a model reads: control, zero-width, bidi, fillers, selectors,
tags."""

_PLAIN_BYTES = bytes((*b"\t\n", *range(0x20, 0x7F)))

PLAIN_VALUE = re.compile(r"[^\s,;\"'.](?:[^,;\"'\n]*[^\s,;\"'.])?")
WIDTH_FORMATS = frozenset({"int32", "int64", "float", "double"})
_BOUNDS = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    )
)
_FORM = frozenset(
    (
        *("pattern", "format", "contentEncoding", "contentMediaType", "uniqueItems", "examples"),
        "deprecated",
    )
)
_DESCRIBED = _BOUNDS | _FORM | {"enum", "default"}
SENTENCE_END = (".", "!", "?", ":", ";", "…", "。")


def clean_text(text: str, limit: int = DESCRIPTION_CHARS) -> str:
    """`text` without invisible characters and outer white space, cut to `limit` characters with an "…"."""
    if holds_unseen(text):
        text = UNSEEN.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return cut_text(text, limit)


def cut_text(text: str, limit: int) -> str:
    """`text` without outer white space, cut to `limit` characters with an "…"."""
    text = text.strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def holds_unseen(text: str) -> bool:
    """Whether there are invisible characters among the few that are not printable ASCII.

    Deleting bytes takes a quarter of the time of asking hundreds of characters whether they are printable.
    """
    others = text.encode("utf-8", "surrogatepass").translate(None, _PLAIN_BYTES)
    return bool(others) and UNSEEN.search(others.decode("utf-8", "surrogatepass")) is not None


def join_sentences(*texts: str) -> str:
    """The texts as one paragraph; a text of several lines is followed by a line break."""
    joined = ""
    for text in filter(None, texts):
        if not joined:
            joined = text
        elif "\n" in joined:
            joined += "\n" + text
        else:
            joined += (" " if joined.endswith(SENTENCE_END) else ". ") + text
    return joined


def find_sentence(text: str, sentence: str) -> int:
    """Where a sentence stands last between white space or at an end; -1: nowhere."""
    start = text.rfind(sentence)
    while start >= 0:
        end = start + len(sentence)
        if f" {text[:start]}"[-1].isspace() and f"{text[end:]} "[0].isspace():
            return start
        start = text.rfind(sentence, 0, end - 1)
    return -1


def value_text(value: JsonValue) -> str:
    """One value in a sentence: plain words stay bare, everything else is JSON."""
    if isinstance(value, str) and PLAIN_VALUE.fullmatch(value):
        return clean_text(value)
    return clean_text(json.dumps(value, ensure_ascii=False))


def describe_choice(forms: list[list[str]], *, exclusive: bool) -> str:
    """The sentence for an object that needs all names of at least one form, or of exactly one."""
    listed = "; ".join(" and ".join(f"`{clean_text(name)}`" for name in names) for names in forms)
    return f"Needs {'exactly' if exclusive else 'at least'} one of: {listed}."


def read_choice(description: str) -> tuple[list[list[str]], bool] | None:
    """The forms that `describe_choice` wrote into a description, and whether exactly one may hold.

    The argument validator reads them here, because no keyword for them survives every reader of tools.
    """
    found = _CHOICE.search(description)
    if found is None:
        return None
    return [_NAME.findall(names) for names in found[2].split("; ")], found[1] == "exactly"


def told_pattern(description: str) -> str | None:
    """The pattern that a description tells because not every reader can compile it, if the bridge can.

    The argument validator reads it here, because such a pattern is no keyword.
    """
    for pattern in _PATTERN.findall(description):
        is_told = portable_pattern(pattern) is None and not stands_between_slashes(pattern)
        if is_told and is_runnable(pattern):
            return pattern
    return None


def describe_constraints(node: JsonObject) -> str:
    """The constraints of one node as sentences, in the order: values, default, bounds, form, example."""
    return " ".join(constraint_sentences(node))


def constraint_sentences(node: JsonObject) -> list[str]:
    """The same, one by one."""
    if _DESCRIBED.isdisjoint(node):
        return []
    sentences = [*_values(node)]
    if not _BOUNDS.isdisjoint(node):
        sentences += _bounds(node, "Value", "minimum", "maximum")
        sentences += _exclusive_bounds(node)
        sentences += _bounds(node, "Length", "minLength", "maxLength")
        sentences += _bounds(node, "Number of items", "minItems", "maxItems")
        sentences += _bounds(node, "Number of keys", "minProperties", "maxProperties")
    if not _FORM.isdisjoint(node):
        sentences += _form(node)
    return sentences


def _values(node: JsonObject) -> Iterator[str]:
    allowed = node.get("enum")
    if isinstance(allowed, list):
        yield _allowed_values([value for value in allowed if value is not None])
    if "default" in node:
        text = value_text(node["default"])
        if len(text) <= VALUE_CHARS:
            yield f"Default: {text}."


def _allowed_values(allowed: list[JsonValue]) -> str:
    if len(allowed) == 1:
        return f"Must be: {value_text(allowed[0])}."
    texts: list[str] = []
    length = 0
    for value in allowed:
        text = value_text(value)
        length += len(text) + 2
        if length > ENUM_CHARS:
            return f"One of: {', '.join(texts)}, … ({len(allowed)} values)."
        texts.append(text)
    return f"One of: {', '.join(texts)}." if texts else ""


def _told_chars(pattern: str) -> int:
    return PATTERN_CHARS if portable_pattern(pattern) is not None else MAX_PATTERN_CHARS


def _pattern_text(pattern: str) -> str:
    """The pattern in backticks if it stays the same there; else as a JSON string, which escapes much."""
    return f"`{pattern}`" if clean_text(pattern) == pattern and "`" not in pattern else json.dumps(pattern)


def _bounds(node: JsonObject, subject: str, least_key: str, most_key: str) -> Iterator[str]:
    least = node.get(least_key)
    most = node.get(most_key)
    if least is None and most is None:
        return
    if least is None and subject != "Value":
        least = 0
    if most is None:
        yield f"{subject} >= {least}."
    elif least is None:
        yield f"{subject} <= {most}."
    else:
        yield f"{subject} {least}." if least == most else f"{subject} {least}\N{EN DASH}{most}."


def _exclusive_bounds(node: JsonObject) -> Iterator[str]:
    if "exclusiveMinimum" in node:
        yield f"Value > {node['exclusiveMinimum']}."
    if "exclusiveMaximum" in node:
        yield f"Value < {node['exclusiveMaximum']}."
    if "multipleOf" in node:
        yield f"Multiple of {node['multipleOf']}."


def _form(node: JsonObject) -> Iterator[str]:
    pattern = node.get("pattern")
    if isinstance(pattern, str) and len(pattern) <= _told_chars(pattern):
        yield f"Pattern: {_pattern_text(pattern)}."
    form = node.get("format")
    if isinstance(form, str) and form not in WIDTH_FORMATS:
        yield f"Format: {clean_text(form)}."
    for key, subject in (("contentEncoding", "Encoding"), ("contentMediaType", "Content")):
        value = node.get(key)
        if isinstance(value, str):
            yield f"{subject}: {clean_text(value)}."
    if node.get("uniqueItems") is True:
        yield "No item twice."
    examples = node.get("examples")
    if isinstance(examples, list) and examples:
        text = value_text(examples[0])
        if len(text) <= VALUE_CHARS:
            yield f"Example: {text}."
    if node.get("deprecated") is True:
        yield "Deprecated."
