"""Finds the references of a document that lead back to themselves.

Receives references and a resolver; gives for each the number of its cycle, or none. Two references have the
same number when each leads to the other. Everything that keeps flattened schemas finite relies on this, and
so does their reuse: what is flattened below a reference depends on the schemas above only within one cycle.
"""

from collections.abc import Callable, Iterator

from toolserver.errors import ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import schema_reference_of

MAX_STEPS = 10_000_000
"""Maximum number of nodes visited for one document; beyond it, every further reference counts as part of a
single large cycle (references to overlapping places can make the visit quadratic)."""

BEYOND_LIMIT = -1
"""Number of that cycle."""


class ReferenceCycles:
    """The cycles of one document, found on demand (Tarjan's algorithm, without recursion)."""

    def __init__(
        self,
        resolve: Callable[[str], JsonValue],
        *,
        subtypes: Callable[[str, JsonObject], list[str]] = lambda _ref, _node: [],
        max_steps: int = MAX_STEPS,
    ) -> None:
        """`resolve` gives the node of a reference or raises `ReferenceFailed`.

        `subtypes` gives references that the node of a reference leads to without naming them.
        """
        self._resolve = resolve
        self._subtypes = subtypes
        self._max_steps = max_steps
        self._numbers: dict[str, int | None] = {}
        self._order: dict[str, int] = {}
        self._lowest: dict[str, int] = {}
        self._open: dict[str, None] = {}
        self._to_themselves: set[str] = set()
        self._steps = 0

    def number_of(self, ref: str) -> int | None:
        """The number of the cycle that `ref` is on; None when it does not lead back to itself."""
        if ref not in self._numbers:
            self._visit(ref)
        return self._numbers[ref]

    def _visit(self, start: str) -> None:
        stack = [(start, self._enter(start))]
        while stack:
            ref, onward = stack[-1]
            following = next((each for each in onward if self._is_new(ref, each)), None)
            if following is not None:
                stack.append((following, self._enter(following)))
                continue
            stack.pop()
            if stack:
                above = stack[-1][0]
                self._lowest[above] = min(self._lowest[above], self._lowest[ref])
            if self._lowest[ref] == self._order[ref]:
                self._close(ref)

    def _is_new(self, ref: str, following: str) -> bool:
        if following in self._open:
            self._lowest[ref] = min(self._lowest[ref], self._order[following])
            return False
        return following not in self._numbers

    def _enter(self, ref: str) -> Iterator[str]:
        self._order[ref] = self._lowest[ref] = len(self._order)
        self._open[ref] = None
        below = self._references_below(ref)
        if ref in below:
            self._to_themselves.add(ref)
        return iter(below)

    def _close(self, ref: str) -> None:
        """Numbers the cycle whose first visited reference is `ref`; its others were opened after it."""
        members: list[str] = []
        while not members or members[-1] != ref:
            members.append(self._open.popitem()[0])
        number = self._order[ref] if len(members) > 1 or ref in self._to_themselves else None
        if self._steps > self._max_steps:
            number = BEYOND_LIMIT
        self._numbers.update(dict.fromkeys(members, number))

    def _references_below(self, ref: str) -> dict[str, None]:
        found: dict[str, None] = {}
        try:
            start = self._resolve(ref)
        except ReferenceFailed:
            return found
        if isinstance(start, dict) and "discriminator" in start:
            found.update(dict.fromkeys(self._subtypes(ref, start)))
        pending = [start] if isinstance(start, (dict, list)) else []
        most = self._max_steps - self._steps
        for node in pending:  # which grows during the loop
            if isinstance(node, dict):
                if "$ref" in node or "$dynamicRef" in node:
                    onward = schema_reference_of(node)
                    found.update({} if onward is None else {onward: None})
                inside = node.values()
            else:
                inside = node
            pending += [value for value in inside if isinstance(value, (dict, list))]
            if len(pending) > most:
                break
        self._steps += len(pending)
        return found
