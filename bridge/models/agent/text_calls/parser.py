"""Parser of calls that a model without function calling writes into its text.

Three forms are known; tags may be written in any case, names may not:

    <function=NAME> <parameter=KEY>VALUE</parameter> … </function>
    <function=NAME> {"KEY": VALUE, …} </function>
    <tool_call> {"name": "NAME", "arguments": {…}} </tool_call>

Receives a text in pieces and returns it without the calls, as early as it can: only what may still become a
call is held back. Reads from left to right in one pass; what turns out to be no call is text and is not
looked at again, so that nothing written inside a value can become a call. Only tools that were offered are
called, and nothing in code is (`bridge/models/agent/rendering/markdown_code.py`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bridge.models.agent.called_names import offered_name
from bridge.models.agent.rendering.markdown_code import CodeReader
from bridge.models.agent.round_bounds import RoundBounds, check_arguments, count_bytes
from bridge.models.agent.text_calls.json_object_end import JsonObjectEnd
from bridge.models.agent.text_calls.values import typed_arguments
from toolserver.json_types import JsonObject, JsonValue, load_json, text_at

_FUNCTION = "<function="
_WRAPPER = "<tool_call>"
_END_OF_FUNCTION = "</function>"
_END_OF_WRAPPER = "</tool_call>"
_PARAMETER = "<parameter="
_END_OF_VALUE = re.compile("</parameter>", re.IGNORECASE)
_LONGEST_PART = len("</parameter>") - 1
_MAX_NAME = _MAX_KEY = 256
_SPACE = re.compile(r"\s*")
_BEGUN_KEY = re.compile(rf"[^\s<>]{{0,{_MAX_KEY - 1}}}")
_NAMED = re.compile(r"<\w+=([^\s<>]+)>")


@dataclass(frozen=True, slots=True)
class TextCall:
    """A call found in a text."""

    name: str
    arguments: str
    """Arguments as the JSON text of an object."""


class TextCallReader:
    """Reads one text. The schemas of the tools' arguments determine the type of each value."""

    def __init__(self, schemas: Mapping[str, JsonObject], bounds: RoundBounds | None = None) -> None:
        """`bounds`: of the round that the text is of; None: it is the only text."""
        self._bounds = bounds or RoundBounds()
        self.calls: list[TextCall] = []
        """The calls found so far."""
        self._schemas = schemas
        self._code = CodeReader()
        self._read: Callable[[], bool] = self._read_text
        """Current state: consumes what it can of the input; False: it needs more."""
        self._input = ""
        self._at = 0
        self._out: list[str] = []
        self._space: list[str] = []
        """White space not returned yet: before a call it is dropped with the call."""
        self._has_said = False
        self._held: list[str] = []
        """Text that may become a call, as it was written."""
        self._is_wrapped = False
        self._name = ""
        self._key = ""
        self._value: list[str] = []
        self._texts: dict[str, str] = {}
        self._json = JsonObjectEnd()

    def feed_text(self, text: str) -> str:
        """Read more of the text; returns what certainly is no call.

        Raises:
            ModelError: there are too many calls, or one is too large.
        """
        self._input = self._input[self._at :] + text
        self._at = 0
        while self._at < len(self._input) and self._read():
            pass
        return self._take_output()

    def finish_text(self) -> str:
        """End the text: what is still held back is no call. Returns the rest."""
        self._held.append(self._input[self._at :])
        self._input, self._at = "", 0
        self._give_up()
        if not self.calls:
            self._out.extend(self._space)
        self._space.clear()
        return self._take_output()

    def _take_output(self) -> str:
        output = "".join(self._out)
        self._out.clear()
        return output

    def _say(self, text: str) -> None:
        self._code.read_text(text)
        words = text.rstrip()
        if not words:
            self._space.append(text)
            return
        if self._has_said or not self.calls:
            self._out.extend((*self._space, words))
        else:  # white space between a call and the first words
            self._out.append(words.lstrip())
        self._has_said = True
        self._space = [text[len(words) :]]

    def _hold(self, end: int) -> None:
        self._held.append(self._input[self._at : end])
        self._at = end

    def _give_up(self) -> bool:
        held = "".join(self._held)
        self._held.clear()
        self._is_wrapped = False
        self._read = self._read_text
        if held:
            self._say(held)
        return True

    def _read_text(self) -> bool:
        start = self._input.find("<", self._at)
        end = start if start >= 0 else len(self._input)
        if end > self._at:
            self._say(self._input[self._at : end])
            self._at = end
        if start < 0:
            return False
        if self._code.is_in_code or not self._may_begin():
            self._say("<")
            self._at += 1
            return True
        if self._takes(_WRAPPER):
            self._is_wrapped, self._read = True, self._read_wrapped
            return True
        return self._begins_function()

    def _may_begin(self) -> bool:
        return self._may_be(_WRAPPER) or self._may_be_function()

    def _may_be(self, tag: str) -> bool:
        """Return whether the input continues with the tag, as far as it has arrived."""
        part = self._input[self._at : self._at + len(tag)]
        return tag.startswith(part.lower())

    def _may_be_function(self) -> bool:
        if not self._may_be(_FUNCTION):
            return False
        if named := _NAMED.match(self._input, self._at):
            return named[1] in self._schemas
        start = self._at + len(_FUNCTION)
        name = self._input[start : start + _MAX_NAME]
        return any(known.startswith(name) for known in self._schemas)

    def _takes(self, tag: str) -> bool:
        """Return whether the whole tag has arrived; if so, hold it."""
        end = self._at + len(tag)
        if self._input[self._at : end].lower() != tag:
            return False
        self._hold(end)
        return True

    def _begins_function(self) -> bool:
        """Return whether the function's whole opening tag has arrived; if so, hold it and read its body."""
        named = _NAMED.match(self._input, self._at)
        if named is None:
            return False
        self._name, self._texts = named[1], {}
        self._hold(named.end())
        self._read = self._read_body
        return True

    def _passes_space(self) -> bool:
        """Hold white space; return whether anything follows it."""
        space = _SPACE.match(self._input, self._at)
        assert space
        self._hold(space.end())
        return self._at < len(self._input)

    def _read_wrapped(self) -> bool:
        """Read what follows the wrapper's opening tag."""
        if not self._passes_space():
            return False
        if self._input[self._at] == "{":
            return self._begins_json(self._end_wrapped_json)
        if self._may_be_function():
            return self._begins_function()
        return self._give_up()

    def _read_body(self) -> bool:
        if not self._passes_space():
            return False
        if self._input[self._at] == "{" and not self._texts:
            return self._begins_json(self._end_function_json)
        if self._may_be(_END_OF_FUNCTION):
            return self._takes(_END_OF_FUNCTION) and self._found(
                self._name, typed_arguments(self._texts, self._schemas[self._name])
            )
        if not self._may_be(_PARAMETER):
            return self._give_up()
        named = _NAMED.match(self._input, self._at)
        if named:
            self._key, self._value = named[1], []
            self._hold(named.end())
            self._read = self._read_value
            return True
        key = self._input[self._at + len(_PARAMETER) : self._at + len(_PARAMETER) + _MAX_KEY]
        return False if _BEGUN_KEY.fullmatch(key) else self._give_up()

    def _read_value(self) -> bool:
        end = _END_OF_VALUE.search(self._input, self._at)
        if end is None:
            cut = max(self._at, len(self._input) - _LONGEST_PART)
            self._value.append(self._input[self._at : cut])
            self._hold(cut)
            return False
        self._value.append(self._input[self._at : end.start()])
        self._hold(end.end())
        self._texts[self._key] = "".join(self._value).strip()
        self._read = self._read_body
        return True

    def _begins_json(self, then: Callable[[], bool]) -> bool:
        self._json, self._value = JsonObjectEnd(), []
        self._read = lambda: self._read_json(then)
        return True

    def _read_json(self, then: Callable[[], bool]) -> bool:
        end = self._json.find_end(self._input, self._at)
        stop = len(self._input) if end is None else end
        self._value.append(self._input[self._at : stop])
        self._hold(stop)
        if end is not None:
            self._read = then
        return end is not None

    def _end_function_json(self) -> bool:
        if not self._passes_space():
            return False
        if not self._takes(_END_OF_FUNCTION):
            return False if self._may_be(_END_OF_FUNCTION) else self._give_up()
        value = _object_of("".join(self._value))
        return self._give_up() if value is None else self._found(self._name, value)

    def _end_wrapped_json(self) -> bool:
        if not self._passes_space():
            return False
        if not self._takes(_END_OF_WRAPPER):
            return False if self._may_be(_END_OF_WRAPPER) else self._give_up()
        call = _object_of("".join(self._value)) or {}
        name = offered_name(text_at(call, "name"), self._schemas.__contains__)
        arguments = call.get("arguments", {})
        if isinstance(arguments, str):
            arguments = _object_of(arguments)
        if name not in self._schemas or not isinstance(arguments, dict):
            return self._give_up()
        self._is_wrapped = False
        return self._found(name, arguments)

    def _found(self, name: str, arguments: JsonObject) -> bool:
        call = TextCall(name, json.dumps(arguments, ensure_ascii=False))
        self._bounds.count_call()
        check_arguments(count_bytes(call.arguments))
        self.calls.append(call)
        self._held.clear()
        self._space.clear()
        self._read = self._read_rest if self._is_wrapped else self._read_text
        return True

    def _read_rest(self) -> bool:
        """Read what follows a call within a wrapper: another call, or the closing tag, which is dropped."""
        if not self._passes_space():
            return False
        if self._takes(_END_OF_WRAPPER):
            self._held.clear()
            return self._give_up()
        if self._may_be(_END_OF_WRAPPER):
            return False
        return self._begins_function() if self._may_be_function() else self._give_up()


def _object_of(text: str) -> JsonObject | None:
    try:
        value: JsonValue = load_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
