"""Regular expressions of schemas, in the syntax that every reader of JSON Schema can compile.

Receives patterns as documents write them; gives the same pattern in what ECMA-262 with its `u` flag, Python's
`re` and the engine of linear time have in common, if it can be said in that. Knows nothing of schemas.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

import jsonschema_rs

from toolserver.json_types import JsonObject

COMPILED_BYTES = 1_000_000
"""Maximum compiled size of one pattern, in bytes; a larger one is not executed."""

ENGINE = jsonschema_rs.RegexOptions(size_limit=COMPILED_BYTES, dfa_size_limit=COMPILED_BYTES)
"""Selects the regex engine that takes linear time, whoever wrote pattern and text. It supports neither
look-around nor back-references."""

MAX_PATTERN_CHARS = 2_000
"""Maximum characters of a pattern; a longer one is no rule that anyone could read. Chosen."""

_CACHED = 4_096
_ATOM = r"\\(?:[tnvfr]|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[\^$\\.*+?()\[\]{}|/])"
_TOKEN = re.compile(
    rf"""(?P<set>\[\^?)
    | (?P<named>\(\?P?<[a-zA-Z_][a-zA-Z0-9_]*>)
    | (?P<open>\((?:\?:)?(?!\?))
    | (?P<close>\))
    | (?P<count>(?:[*+?]|\{{[0-9]+(?:,[0-9]*)?\}})\??)
    | (?P<edge>[\^$|]|\\[bBAzZ])
    | (?P<atom>{_ATOM}|\\[dDwWsS]|\.)
    | \\(?P<quoted>[^a-zA-Z0-9])
    | (?P<plain>[^\\()*+?\[])
    """,
    re.VERBOSE | re.DOTALL,
)
"""One token outside of brackets."""

_MEMBER = re.compile(
    rf"""(?P<family>\\[dDwWsS])
    | (?P<dash>-)
    | (?P<atom>{_ATOM}|\\-)
    | \\(?P<quoted>[^a-zA-Z0-9])
    | (?P<plain>[^\\\]])
    """,
    re.VERBOSE | re.DOTALL,
)
"""One member of a set in brackets."""

_SLASHED = re.compile(r"\A/\^|(?<!\\)(?:\\\\)*\$/[a-z]*\Z")
"""A slash before the beginning of the text, or behind its end."""

_GROUPING = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)
"""What groups and chooses, and what only looks like it: escaped, or in a set."""

_RENAMED = {r"\A": "^", r"\z": "$", r"\Z": "$"}
_BRACKETS = frozenset("{}]")
_DOUBLED = frozenset("&|~-")
"""Characters that are an operator of sets for some engine when they stand twice."""


_ONE_CHARACTER = re.compile(
    r"""(?P<start>\^?)
    (?:\.|\\[dDwWsS]|\\[pP]\{[\w=]+\}|\[(?:\\[^\n]|[^\]\\])+\])
    \{(?P<least>[0-9]{1,9})(?P<comma>,(?P<most>[0-9]{1,9})?)?\}
    (?P<end>\$?)""",
    re.VERBOSE,
)
"""So many of one kind of character."""

_ENDLESS = 10**9

_SAME_FORMS = {r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$": r"^[+-]?(\d+\.?\d*|\.\d+)$"}
"""Patterns without a portable form that many documents have, with one that matches the same: Pydantic's of a
`Decimal`."""


def length_bounds(pattern: str) -> JsonObject:
    """The keywords for the length of all that matches a pattern, where that is plain; see `portable_pattern`.

    Without both edges it may match a part of a longer text.
    """
    found = _ONE_CHARACTER.fullmatch(pattern)
    if found is None:
        return {}
    least = int(found["least"])
    most = int(found["most"] or _ENDLESS) if found["comma"] else least
    lengths: JsonObject = {"minLength": least} if least else {}
    is_whole = bool(found["start"] and found["end"])
    return {**lengths, "maxLength": most} if is_whole and least <= most < _ENDLESS else lengths


def is_runnable(pattern: str) -> bool:
    """Whether the engine of linear time can execute a pattern."""
    schema: JsonObject = {"pattern": pattern}
    try:
        jsonschema_rs.Draft202012Validator(schema, offline=True, pattern_options=ENGINE)
    except jsonschema_rs.ValidationError:
        return False
    return True


@lru_cache(maxsize=_CACHED)
def portable_pattern(pattern: str) -> str | None:
    r"""The pattern as every reader can compile it; None if there is no such form.

    Needless escapes such as `\-` and names of groups go, lone brackets get an escape; it matches the same.
    There is none for look-around, back-references, inline flags and Unicode classes (`\p{L}`), nor for
    patterns that are broken, too large for the engine, or between slashes, so that nothing matches them.
    """
    if len(pattern) > MAX_PATTERN_CHARS or stands_between_slashes(pattern):
        return None
    try:
        portable = "".join(_tokens(_SAME_FORMS.get(pattern, pattern)))
        re.compile(portable)
    except (_NotPortable, re.error, RecursionError, OverflowError):
        return None
    return portable if is_runnable(portable) else None


def stands_between_slashes(pattern: str) -> bool:
    """Whether it is written as in JavaScript (`/^[A-Z]+$/i`): its slashes keep every text from matching."""
    return _SLASHED.search(pattern) is not None and not _has_choice(pattern)


def _has_choice(pattern: str) -> bool:
    """Whether the whole pattern is a choice, of which another part may match."""
    depth = 0
    for sign in (found[0] for found in _GROUPING.finditer(pattern)):
        if sign == "|" and depth == 0:
            return True
        depth += {"(": 1, ")": -1}.get(sign, 0)
    return False


class _NotPortable(Exception):
    """The pattern needs what the syntaxes do not share."""


def _tokens(pattern: str) -> Iterator[str]:
    """The tokens of a pattern in the shared syntax."""
    at, is_countable = 0, False
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            raise _NotPortable
        at = token.end()
        kind = token.lastgroup
        match kind:
            case "set":
                members, at = _read_set(pattern, at)
                yield token[0] + members
            case "named":
                yield "(?:"
            case "plain" | "quoted":
                yield f"\\{token[kind]}" if token[kind] in _BRACKETS else token[kind]
            case "count" if not is_countable:
                raise _NotPortable
            case _:
                yield _RENAMED.get(token[0], token[0])
        is_countable = kind in ("set", "close", "atom", "plain", "quoted")


def _read_set(pattern: str, at: int) -> tuple[str, int]:
    """The members of the set that begins at `at` and its "]", and where the pattern goes on."""
    found: list[re.Match[str]] = []
    while member := _MEMBER.match(pattern, at):
        found.append(member)
        at = member.end()
    if not found or at == len(pattern):
        raise _NotPortable
    kinds = ["", *(member.lastgroup or "" for member in found), ""]
    written = ""
    for index, member in enumerate(found, start=1):
        text = member[kinds[index]]
        if text == "[" or (text == "-" and "family" in (kinds[index - 1], kinds[index + 1])):
            text = f"\\{text}"
        elif text in _DOUBLED and written.endswith(text):
            text = f"\\x{ord(text):02x}"
        elif text in ("^", "]", "-") and kinds[index] == "quoted":
            text = f"\\{text}"
        written += text
    return f"{written}]", at + 1
