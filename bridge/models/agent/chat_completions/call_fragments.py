"""Whose fragment is it: pieces of calls, as a chat stream sends them, put together. Pure.

The rules, each of which counts where those before it do not decide (`docs/reference/model-loop.md` has them
for readers):

1. Its id: a fragment with the id of a call belongs to that call. Empty ids are none.
2. A new name begins a call, and so does a new id with any name. The same name once more goes on with the
   call, unless its arguments are complete. A name in two parts is one name where the first part is no tool.
3. The open call under its index, then the last call: a fragment with neither id nor name cannot begin a call.
   Complete arguments take nothing more, except that `{}` gives way to an object.

What no rule places, and what could belong to a second call just as well, leaves the round in doubt: nobody
knows whose arguments are missing something. Its calls are `incomplete` then, though the round is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bridge.models.agent.chat_completions.stream_items import ItemStatus, StreamedCall
from bridge.models.agent.round_bounds import BLOCK_CHARS, RoundBounds
from toolserver.json_types import JsonObject, JsonValue, dump_json, object_at, text_at


@dataclass(frozen=True, slots=True)
class CallFragment:
    """An entry of `delta.tool_calls`."""

    index: int | None
    call_id: str
    name: str
    piece: str
    """Of the arguments."""
    extra: JsonValue
    """What the provider wants back with the call, such as the signature of its reasoning; else None."""

    @property
    def may_begin(self) -> bool:
        """Whether arguments could begin with this piece."""
        piece = self.piece.strip()
        return piece in ("", "null") or piece.startswith("{")


def read_fragment(delta: JsonObject) -> CallFragment:
    """Parse an entry of `delta.tool_calls`; a member of a wrong type counts as missing."""
    function = object_at(delta, "function")
    return CallFragment(
        _index_of(delta.get("index")),
        text_at(delta, "id").strip(),
        text_at(function, "name").strip(),
        _arguments_text(function.get("arguments")),
        delta.get("extra_content"),
    )


class OfferedNames:
    """The names of the tools of a request."""

    __slots__ = ("_by_name", "_tools")

    def __init__(self, tools: Iterable[JsonObject]) -> None:
        """`tools`: in the Responses form; read when the first call comes."""
        self._tools = tools
        self._by_name: dict[str, JsonObject] | None = None

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def takes_arguments(self, name: str) -> bool:
        """Return whether the tool has parameters; True for an unknown one."""
        tool = self._named.get(name)
        if tool is None or "parameters" not in tool:
            return True
        parameters = object_at(tool, "parameters")
        return bool(parameters.get("properties") or parameters.get("additionalProperties"))

    def join(self, first: str, second: str) -> str:
        """Return the name of which these are parts; "" where they are the names of two calls."""
        if first in self:
            return ""
        if second.startswith(first) and second in self:
            return second
        both = first + second
        return both if any(name.startswith(both) for name in self._named) else ""

    @property
    def _named(self) -> dict[str, JsonObject]:
        if self._by_name is None:
            self._by_name = {name: tool for tool in self._tools if (name := text_at(tool, "name"))}
        return self._by_name


class ChatCalls:
    """The calls of one round, all open until its end: their fragments may come in any order."""

    def __init__(
        self,
        new_call: Callable[[], StreamedCall],
        new_id: Callable[[], str],
        offered: OfferedNames,
        bounds: RoundBounds,
    ) -> None:
        """`new_call`: takes the next place in the output; `new_id`: never returns the same text twice."""
        self._bounds = bounds
        self._new_call = new_call
        self._new_id = new_id
        self._offered = offered
        self._calls: list[StreamedCall] = []
        self._by_index: dict[int, StreamedCall] = {}
        self._by_id: dict[str, StreamedCall] = {}
        self._last: StreamedCall | None = None
        """The call of the last fragment."""
        self._rivals: set[StreamedCall] = set()
        """Calls to which a fragment of another one might have belonged as well, while they lack arguments."""
        self._is_unsure = False
        """Whether a fragment belongs to no call, or to either of two."""

    @property
    def are_whole(self) -> bool:
        """Whether no call lacks anything, so that it needs no finish reason to be known as complete."""
        return not self._is_in_doubt and all(map(self._is_settled, self._calls))

    def read_delta(self, delta: JsonObject) -> list[JsonObject]:
        """Return the events of one entry of `delta.tool_calls`.

        Raises:
            ModelError: a call, or the round, is too large.
        """
        fragment = read_fragment(delta)
        call = self._call_of(fragment)
        if call is None:
            self._is_unsure = True
            return []
        self._last = call
        if fragment.call_id:
            call.call_id, call.has_id = call.call_id or fragment.call_id, True
            if fragment.call_id not in self._by_id:
                self._bounds.count_chars(BLOCK_CHARS + len(fragment.call_id))
            self._by_id[fragment.call_id] = call
        if fragment.name and fragment.name != call.name:
            call.name = self._offered.join(call.name, fragment.name) if call.name else fragment.name
            self._bounds.check_name(call.name)
        if fragment.extra is not None:
            call.collect_extra(fragment.extra)
        before = call.arguments.longest
        told = call.add_arguments(fragment.piece)
        self._bounds.count_chars(call.arguments.longest - before)
        begins = told or call.name in self._offered  # else more of the name may come
        return [*(self._begin(call) if begins else []), *told]

    def finish_calls(self, status: ItemStatus) -> Iterator[list[JsonObject]]:
        """Yield the last events of every call, in the order of the calls; the very last carries the item."""
        status = "incomplete" if self._is_in_doubt else status
        for call in self._calls:
            yield [*self._begin(call), *call.finish_item(status)]

    @property
    def _is_in_doubt(self) -> bool:
        """Whether it is not known which arguments belong to which call."""
        nameless = (call for call in self._calls if not call.name)
        return (
            self._is_unsure
            or not all(map(self._is_settled, self._rivals))
            or not all(call.arguments.is_empty for call in nameless)
        )

    def _is_settled(self, call: StreamedCall) -> bool:
        """Return whether no more arguments need to come for a call."""
        return call.arguments.is_whole or not (call.has_arguments or self._offered.takes_arguments(call.name))

    def _begin(self, call: StreamedCall) -> list[JsonObject]:
        if call.has_begun:
            return []
        call.call_id = call.call_id or f"call_{self._new_id()}"
        return call.begin_item()

    def _call_of(self, fragment: CallFragment) -> StreamedCall | None:
        """Return the call of a fragment, perhaps a new one; None: it has no place."""
        if not fragment.name and not fragment.call_id:
            return self._open_call(fragment)
        if (known := self._by_id.get(fragment.call_id)) is not None:
            return known if self._is_same(known, fragment) else self._new_call_of(fragment)
        call = self._last if fragment.index is None else self._by_index.get(fragment.index)
        if call is None:
            last = self._last
            return last if last and self._is_rest_of(last, fragment) else self._new_call_of(fragment)
        return call if self._goes_on(call, fragment) else self._new_call_of(fragment)

    def _is_same(self, call: StreamedCall, fragment: CallFragment) -> bool:
        """Return whether a fragment with the id of a call is of it; some providers repeat one id."""
        if fragment.name and call.name and fragment.name != call.name:
            return self._is_part_of_name(call, fragment)
        is_elsewhere = fragment.index is not None and fragment.index != call.index
        return not fragment.name or not is_elsewhere or call.arguments.takes(fragment.piece)

    def _goes_on(self, call: StreamedCall, fragment: CallFragment) -> bool:
        """Return whether a fragment with a name or a new id goes on with the call in its place."""
        if not fragment.name:
            return not call.arguments.is_whole
        if fragment.call_id and call.has_id and fragment.may_begin:
            if fragment.name == call.name and not self._is_settled(call):
                self._rivals.add(call)  # or the provider makes a new id for each fragment
            return False
        if not call.name:
            return True
        if fragment.name != call.name:
            return self._is_part_of_name(call, fragment)
        if call.has_id:
            return call.arguments.takes(fragment.piece)
        if not call.arguments.is_whole or not fragment.piece.strip():
            return True
        # Without ids, the same call told twice and two calls look alike.
        self._is_unsure = self._is_unsure or call.arguments.takes(fragment.piece)
        return False

    def _is_rest_of(self, call: StreamedCall, fragment: CallFragment) -> bool:
        """Return whether a fragment with a name or a new id, in a new place, goes on with the last call."""
        if not fragment.name or (fragment.call_id and call.has_id):
            return False
        if fragment.name != call.name:
            return fragment.name not in self._offered and self._is_part_of_name(call, fragment)
        if not fragment.may_begin:
            return not call.arguments.is_whole
        if fragment.piece.strip() and not self._is_settled(call):
            self._rivals.add(call)
        return False

    def _is_part_of_name(self, call: StreamedCall, fragment: CallFragment) -> bool:
        """Return whether the name of a fragment is the rest of a call's name."""
        if call.has_arguments:
            return False
        is_both = call.name in self._offered and fragment.name not in self._offered
        if is_both and call.name + fragment.name in self._offered:
            self._is_unsure = True
        return self._offered.join(call.name, fragment.name) != ""

    def _open_call(self, fragment: CallFragment) -> StreamedCall | None:
        """Return the call of a fragment that has neither id nor name."""
        call = None if fragment.index is None else self._by_index.get(fragment.index)
        last, piece = self._last, fragment.piece
        if last is None:
            return self._new_call_of(fragment)  # its name may still come
        if not piece.strip():
            return call or last
        if call is not None and call.arguments.takes(piece):
            if call is last or not call.arguments.is_whole or self._is_settled(last):
                return call
            self._is_unsure = True
            return last
        if not last.arguments.takes(piece):
            return None
        others = (other for other in self._calls if other is not last)
        self._rivals.update(other for other in others if not self._is_settled(other))
        return last

    def _new_call_of(self, fragment: CallFragment) -> StreamedCall:
        call = self._new_call()
        call.index = fragment.index
        self._calls.append(call)
        if fragment.index is not None:
            self._by_index[fragment.index] = call
        return call


def _index_of(index: JsonValue) -> int | None:
    if isinstance(index, str) and index.strip().isdecimal():
        return int(index)
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _arguments_text(arguments: JsonValue) -> str:
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else dump_json(arguments).decode()
