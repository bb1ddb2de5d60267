"""Converts items of the Responses API to messages of Anthropic's Messages API. Pure.

The output of one round (thinking, text, calls) becomes one assistant message, and the outputs of its calls
the beginning of the user message after it, as the provider demands. What its own tools asked and found is
said until the user speaks again: an answer may go on after it. Instructions and system messages at the
beginning become the system prompt; a later one has no place there and is said by the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bridge.models.agent.items import Item, arguments_text
from bridge.models.agent.messages.blocks import (
    blocks_of,
    is_error_text,
    text_block,
    texts_of,
    unsayable_parts,
)
from bridge.models.agent.messages.sealed_blocks import is_own_tool, is_thinking, sealed_block
from bridge.models.agent.tools.arguments import sendable_call
from toolserver.json_types import JsonObject, JsonValue, array_at, load_json, text_at

_NO_BEGINNING = "[The conversation begins with the answer.]"
"""Said by the user where nothing precedes the model's first message, which the provider refuses."""

_LATER_SYSTEM = "[From the system, not from the user]"
"""What precedes a system message that does not stand at the beginning."""

_SAYABLE = ("function_call", "function_call_output", "reasoning", "message")


@dataclass(slots=True)
class Exchange:
    """What a request says, in the provider's form."""

    system: str
    messages: list[JsonObject]

    @property
    def called_names(self) -> list[str]:
        """The names of all calls, each once."""
        blocks = (block for message in self.messages for block in array_at(message, "content"))
        named = (text_at(each, "name") for each in blocks if isinstance(each, dict) and "input" in each)
        return [*dict.fromkeys(named)]

    @property
    def lacks_thinking(self) -> bool:
        """Whether the calls of the last answer follow no thinking, so that none may be asked for."""
        for place in range(len(self.messages) - 1, -1, -1):
            content = array_at(self.messages[place], "content")
            first = content[0] if content else None
            if self.messages[place]["role"] == "assistant":
                calls = any(isinstance(block, dict) and block.get("type") == "tool_use" for block in content)
                if calls and not is_thinking(first):
                    return True
            elif not (isinstance(first, dict) and first.get("type") == "tool_result"):
                return False
        return False


def exchange_of(instructions: str | None, items: Sequence[Item]) -> Exchange:
    """Return the system prompt and the messages, without what `unsayable_in` names."""
    said = [instructions] if instructions else []
    start = 0
    while start < len(items) and items[start].get("role") in ("system", "developer"):
        said.append(texts_of(items[start].get("content")))
        start += 1
    writer = _Writer()
    for item in _without_ended(items[start:]):
        writer.write(item)
    return Exchange("\n\n".join(filter(None, said)), writer.finish())


def _without_ended(items: Sequence[Item]) -> Iterator[Item]:
    """Yield the items without what the provider's own tools found for answers that have ended."""
    places = [place for place, item in enumerate(items) if item.get("role") == "user"]
    last = max(places, default=-1)
    return (item for place, item in enumerate(items) if place > last or not is_own_tool(item))


def unsayable_in(items: Sequence[Item]) -> Iterator[str]:
    """Yield paths of what no message can express, such as `input[1]` or `input[2].content[0]`."""
    for index, item in enumerate(items):
        kind = item.get("type", "message")
        if kind not in _SAYABLE:
            yield f"input[{index}]"
        elif kind in ("message", "function_call_output"):
            member = "content" if kind == "message" else "output"
            for place in unsayable_parts(array_at(item, member)):
                yield f"input[{index}].{member}[{place}]"


@dataclass(slots=True)
class _Writer:
    """Writes item after item into messages of alternating roles."""

    messages: list[JsonObject] = field(default_factory=list[JsonObject])
    blocks: list[JsonObject] = field(default_factory=list[JsonObject])
    """Of the message that is being written."""
    role: str = ""
    ids: dict[str, str] = field(default_factory=dict[str, str])
    """For an id the one under which its last call stands: the provider takes each id once."""
    used: set[str] = field(default_factory=set[str])
    sealed: set[str] = field(default_factory=set[str])
    """What the thinking so far is signed with; a caller may bring a block twice."""

    def write(self, item: Item) -> None:
        """Add one item."""
        match item.get("type", "message"):
            case "message" if item.get("role") == "assistant":
                self._say("assistant", blocks_of(item.get("content")))
            case "message":
                is_system = item.get("role") in ("system", "developer")
                content = blocks_of(item.get("content"))
                self._say("user", [text_block(_LATER_SYSTEM), *content] if is_system else content)
            case "function_call":
                self._call(sendable_call(item))
            case "function_call_output":
                self._say("user", [self._result(item)])
            case "reasoning":
                self._think(item)
            case _:
                pass

    def finish(self) -> list[JsonObject]:
        """Return the messages."""
        self._end_message()
        if self.messages and self.messages[-1]["role"] == "assistant":
            _strip_end(self.messages[-1])
        if not self.messages or self.messages[0]["role"] != "user":
            self.messages.insert(0, {"role": "user", "content": [text_block(_NO_BEGINNING)]})
        return self.messages

    def _say(self, role: str, blocks: Sequence[JsonObject]) -> None:
        if not blocks:
            return
        if role != self.role:
            self._end_message()
            self.role = role
        self.blocks += blocks

    def _end_message(self) -> None:
        """Close the message. Thinking that leads to nothing is refused at its end."""
        blocks, self.blocks = self.blocks, []
        while self.role == "assistant" and blocks and is_thinking(blocks[-1]):
            blocks.pop()
        if not blocks:
            return
        if self.messages and self.messages[-1]["role"] == self.role:  # between them was nothing but thinking
            array_at(self.messages[-1], "content").extend(blocks)
        else:
            self.messages.append({"role": self.role, "content": [*blocks]})

    def _think(self, item: Item) -> None:
        sealed = text_at(item, "encrypted_content")
        if sealed not in self.sealed and (block := sealed_block(item)) is not None:
            self.sealed.add(sealed)
            self._say("assistant", [block])

    def _call(self, item: Item) -> None:
        call_id = text_at(item, "call_id")
        told, number = call_id, 1
        while told in self.used:
            number += 1
            told = f"{call_id[:60]}_{number}"
        self.used.add(told)
        self.ids[call_id] = told
        block: JsonObject = {
            "type": "tool_use",
            "id": told,
            "name": text_at(item, "name"),
            "input": load_json(arguments_text(item)),
        }
        self._say("assistant", [block])

    def _result(self, item: Item) -> JsonObject:
        call_id = text_at(item, "call_id")
        output = item.get("output")
        content: list[JsonValue] = [*blocks_of(output)]
        result: JsonObject = {"type": "tool_result", "tool_use_id": self.ids.get(call_id, call_id)}
        if content:
            result["content"] = content
        if is_error_text(output):
            result["is_error"] = True
        return result


def _strip_end(message: JsonObject) -> None:
    """Remove white space at the end of a message that the model shall continue: it is refused."""
    last = array_at(message, "content")[-1]
    if isinstance(last, dict) and last.get("type") == "text":
        last["text"] = text_at(last, "text").rstrip()
