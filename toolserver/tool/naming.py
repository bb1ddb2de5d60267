"""Names tools: fit for every model provider, unique, and stable over time.

Receives operation ids, methods and paths; gives names of the form `[a-zA-Z0-9_-]{1,64}`. Pure: stored and
taken names come in as values.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from toolserver.errors import quote_text
from toolserver.openapi.edits import EXTENSION
from toolserver.operation.operation import Operation
from toolserver.tool.middle_cut import DIGEST_CHARS, cut_middle

MAX_NAME_CHARS = 64
_MAX_PREFIX_CHARS = 24

OPEN_WEBUI_NAMES = frozenset(
    [
        "display_file",
        "write_file",
        "replace_file_content",
        "run_command",
        "fetch_url",
        "view_file",
        "view_knowledge_file",
        "query_knowledge_files",
        "query_chat_files",
        "ask_user",
        "delegate_task",
        "search_tools",
        "call_tool",
    ]
)
"""Names that Open WebUI 0.12.4 treats specially or uses for tools of its own."""

OWN_NAMES = frozenset(("find_operations", "run_operation", "read_result", "subquery"))
"""Names of the bridge's own tools."""

RESERVED_NAMES = OPEN_WEBUI_NAMES | OWN_NAMES

_LEGAL = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ILLEGAL = re.compile(r"[^a-zA-Z0-9_-]+")
_WORD = re.compile(r"[a-zA-Z0-9]")


OperationKey: TypeAlias = tuple[str, str]
"""Identifies an operation among all servers, by the server's id and the operation's own key, such as "GET
/pets/{id}"; names are stored under it. A plain tuple: ten thousand are made for each view of a user, and the
garbage collector soon looks at none of them again."""


def sanitize_name(text: str) -> str:
    """`text` as a name. A legal one is returned unchanged; equal texts give equal names.

    Runs of other characters become one "_"; longer names lose their middle to a hash of the whole text, so
    that two texts with a common beginning and end stay distinct. Text without any legal character becomes
    "tool_" and a hash.
    """
    if _LEGAL.fullmatch(text):
        return text
    name = _ILLEGAL.sub("_", text).strip("_-")
    if not name:
        return f"tool_{_hash(text)}"
    if len(name) <= MAX_NAME_CHARS:
        return name
    return cut_middle(name, _hash(text), MAX_NAME_CHARS)


def method_path_name(method: str, path: str) -> str:
    """The name of an operation without an id: "get_pets_by_petId" for GET /pets/{petId}, "get" for GET /.

    Lower-case method, then the words of the path; a template expression adds "by" and its own words.
    """
    return sanitize_name(method_path_text(method, path))


def method_path_text(method: str, path: str) -> str:
    """The same in full, however long; of legal characters only."""
    words = [method.lower()]
    for part in re.findall(r"\{[^{}]*\}|[^{}]+", path.partition("#")[0]):
        found = re.findall(r"[a-zA-Z0-9_]+", part)
        words += ["by", *found] if part.startswith("{") and found else found
    return "_".join(words)


def suggest_names(operations: Iterable[Operation]) -> list[str]:
    """One name per operation, in their order, unique among them.

    The name comes from the operation id; without one (or with one in another script) from method and path.
    Ids that are legal already keep their spelling; then sanitized ones follow in document order, and later
    duplicates get "_2".
    """
    preferred = [_preferred_name(operation) for operation in operations]
    if len({name for name, _ in preferred}) == len(preferred):
        return [name for name, _ in preferred]  # as in nearly all documents: nobody has to give way
    names: dict[int, str] = {}
    used: set[str] = set()
    for is_exact_turn in (True, False):
        for index, (name, exact) in enumerate(preferred):
            if exact is is_exact_turn and name not in used:
                names[index] = name
                used.add(name)
    counters: dict[str, int] = {}
    for index, (name, _) in enumerate(preferred):
        if index not in names:
            names[index] = _numbered(name, used, counters)
            used.add(names[index])
    return [names[index] for index in range(len(preferred))]


def describe_taken_names(operations: Sequence[Operation]) -> Mapping[str, str]:
    """Warnings about operations whose edit chose a name that another one has as well, by key."""
    edited = {operation.key: operation.edit.name for operation in operations if operation.edit.name}
    if not edited:
        return {}
    having: dict[str, list[str]] = {}
    for operation in operations:
        having.setdefault(_preferred_name(operation)[0], []).append(operation.key)
    return {
        key: f"`name` of `{EXTENSION}` is the name of {quote_text(other)}, too; one of them gets another."
        for key, name in edited.items()
        for other in [each for each in having[name] if each != key][:1]
    }


class NameAssignment:
    """The final names of operations, in order; they may come in several parts.

    A stored name never changes, unless one of the bridge's own tools has taken it since. Otherwise the first
    holder keeps the plain name; a newcomer whose name is reserved, in `taken`, or stored for any operation
    (even one that no longer exists) becomes "<prefix>__<name>", then "<prefix>__<name>_2". The caller stores
    the new names.
    """

    def __init__(self, *, stored: Mapping[OperationKey, str], taken: Collection[str] = ()) -> None:
        """`stored` must not change meanwhile."""
        self._stored = stored
        self._used = {*taken, *stored.values(), *RESERVED_NAMES}
        self._counters: dict[str, int] = {}

    def assign_names(
        self, entries: Iterable[tuple[OperationKey, str]], *, prefix: str
    ) -> dict[OperationKey, str]:
        """The name of every entry (an operation and its suggested name).

        `prefix` is the server's name, cut to 24 characters.
        """
        stored, used = self._stored, self._used
        short_prefix = sanitize_name(prefix)[:_MAX_PREFIX_CHARS].rstrip("_-") or "server"
        assigned: dict[OperationKey, str] = {}
        for key, suggested in entries:
            if key in stored and stored[key] not in OWN_NAMES:
                assigned[key] = stored[key]
                continue
            name = sanitize_name(suggested)
            if name in used:
                name = sanitize_name(f"{short_prefix}__{name}")
            if name in used:
                name = _numbered(name, used, self._counters)
            assigned[key] = name
            used.add(name)
        return assigned


def _preferred_name(operation: Operation) -> tuple[str, bool]:
    """The name that an operation prefers, and whether it is exactly its id."""
    if operation.edit.name:
        return operation.edit.name, True
    identifier = operation.operation_id or ""
    if _is_plain_word(identifier):
        return identifier, True
    if _WORD.search(identifier) is None:
        return method_path_name(operation.method, operation.path), False
    name = sanitize_name(identifier)
    return name, name == identifier


def _is_plain_word(text: str) -> bool:
    """Whether it is a legal name, as nearly all ids; patterns take twice as long to find out."""
    return text.isidentifier() and text.isascii() and len(text) <= MAX_NAME_CHARS and text[0] != "_"


def _numbered(name: str, taken: Collection[str], counters: dict[str, int]) -> str:
    """`name` with the first free number from 2; `counters` skips numbers that are known to be taken."""
    number = counters.get(name, 1)
    while True:
        number += 1
        suffix = f"_{number}"
        room = MAX_NAME_CHARS - len(suffix)
        candidate = (name if len(name) <= room else cut_middle(name, _hash(name), room)) + suffix
        if candidate not in taken:
            counters[name] = number
            return candidate


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:DIGEST_CHARS]
