"""Converts items of the Responses API to messages of Chat Completions.

The output of one round (reasoning, text, calls) becomes one assistant message, since the outputs of its calls
must follow it immediately. Instructions and system messages at the beginning become one: many templates of
open models refuse a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bridge.models.agent.items import Item, arguments_text
from bridge.models.agent.tools.arguments import sendable_call
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at, text_at


def messages_of(instructions: str | None, items: Sequence[Item], *, with_reasoning: bool) -> list[JsonObject]:
    """Return the messages, without what `unsayable_in` names.

    `with_reasoning`: include the reasoning since the user's last message.
    """
    writer = _Writer(reasoning_from=_last_user(items) if with_reasoning else len(items))
    for index, item in enumerate(items):
        writer.write(item, index)
    writer.end_round()
    return _with_one_beginning(instructions, writer.messages)


def unsayable_in(items: Sequence[Item]) -> Iterator[str]:
    """Yield paths of what no message can express, such as `input[1]` or `input[2].content[0]`.

    Encrypted reasoning is not named: it means nothing to a chat provider, and its caller cannot change that.
    """
    for index, item in enumerate(items):
        match item.get("type", "message"):
            case "message" if item.get("role") != "assistant":
                member = "content"
            case "function_call_output":
                member = "output"
            case "message" | "function_call" | "reasoning":
                continue
            case _:
                yield f"input[{index}]"
                continue
        for place, part in enumerate(array_at(item, member)):
            if _said_part(part) is None:
                yield f"input[{index}].{member}[{place}]"


class _Writer:
    """Writes item after item; leaves the assistant's message open until something else follows."""

    def __init__(self, reasoning_from: int) -> None:
        self.messages: list[JsonObject] = []
        self._reasoning_from = reasoning_from
        self._open: JsonObject | None = None
        self._images: list[JsonValue] = []

    def write(self, item: Item, index: int) -> None:
        """Add one item."""
        match item.get("type", "message"):
            case "message" if item.get("role") == "assistant":
                self._say(item)
            case "message":
                self.end_round()
                role = "system" if item.get("role") == "developer" else item.get("role", "user")
                content = _content(item.get("content"))
                self.messages.append({"role": role, "content": content})
            case "function_call":
                self._call(item)
            case "function_call_output":
                self._output(item)
            case "reasoning":
                self._think(item, index)
            case _:
                pass

    def end_round(self) -> None:
        """Close the assistant's message: what comes next is not part of it."""
        self._close()
        if self._images:
            self.messages.append({"role": "user", "content": self._images})
            self._images = []

    def _assistant(self) -> JsonObject:
        if self._images:
            self.end_round()
        if self._open is None:
            self._open = {"role": "assistant", "content": None}
        return self._open

    def _close(self) -> None:
        said = self._open
        self._open = None
        if said is None or said == {"role": "assistant", "content": None}:
            return
        if said["content"] is None and "tool_calls" not in said:
            said["content"] = ""  # null is for messages that only make calls
        self.messages.append(said)

    def _say(self, item: Item) -> None:
        if self._open is not None and self._open["content"] is not None and "tool_calls" not in self._open:
            self._close()
        message = self._assistant()
        text, refusal = _spoken(item)
        message["content"] = text_at(message, "content") + text
        if refusal:
            message["refusal"] = refusal

    def _think(self, item: Item, index: int) -> None:
        """Add reasoning, without summaries and encrypted reasoning, which a chat provider cannot use."""
        if index < self._reasoning_from:
            return
        reasoning = "".join(text_at(part, "text") for part in _objects(item, "content"))
        details = array_at(item, "reasoning_details")
        if not reasoning and not details:
            return
        if self._open is not None and self._open["content"] is not None and "tool_calls" not in self._open:
            self._close()
        message = self._assistant()
        if reasoning:
            message["reasoning_content"] = text_at(message, "reasoning_content") + reasoning
        if details:
            message["reasoning_details"] = [*array_at(message, "reasoning_details"), *details]

    def _call(self, item: Item) -> None:
        item = sendable_call(item)
        message = self._assistant()
        call: JsonObject = {
            "id": text_at(item, "call_id"),
            "type": "function",
            "function": {"name": text_at(item, "name"), "arguments": arguments_text(item)},
        }
        if "extra_content" in item:
            call["extra_content"] = item["extra_content"]
        calls = message.setdefault("tool_calls", list[JsonValue]())
        assert isinstance(calls, list)
        calls.append(call)

    def _output(self, item: Item) -> None:
        """Add a tool's output as text. Other parts follow the outputs, as if the user had sent them."""
        self._close()
        call_id = text_at(item, "call_id")
        content = _content(item.get("output"))
        if isinstance(content, list):
            images = [part for part in content if isinstance(part, dict) and part.get("type") != "text"]
            if images:
                self._images.append({"type": "text", "text": f"Shown by the tool call {call_id}:"})
                self._images.extend(images)
            content = "\n".join(text_at(part, "text") for part in content if isinstance(part, dict)).strip()
        self.messages.append({"role": "tool", "tool_call_id": call_id, "content": content})


_FILE = ("file_data", "file_id", "filename")


def _content(content: JsonValue) -> JsonValue:
    """Convert a content: one text to a string, which every provider accepts; other contents to parts."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        return dump_json(content).decode()
    parts = [said for part in content if (said := _said_part(part)) is not None]
    if not parts:
        return ""
    if len(parts) == 1 and parts[0]["type"] == "text":
        return parts[0]["text"]
    return [*parts]


def _said_part(part: JsonValue) -> JsonObject | None:
    return _chat_part(part) if isinstance(part, dict) else None


def _chat_part(part: JsonObject) -> JsonObject | None:
    match part.get("type"):
        case "input_text" | "output_text" | "text":
            return {"type": "text", "text": text_at(part, "text")}
        case "input_image" if text_at(part, "image_url"):
            image: JsonObject = {"url": part["image_url"]}
            if part.get("detail") is not None:
                image["detail"] = part["detail"]
            return {"type": "image_url", "image_url": image}
        case "input_file" if text_at(part, "file_data") or text_at(part, "file_id"):
            return {
                "type": "file",
                "file": {name: part[name] for name in _FILE if part.get(name) is not None},
            }
        case "input_audio":
            return {"type": "input_audio", "input_audio": object_at(part, "input_audio")}
        case _:
            return None


def _spoken(item: Item) -> tuple[str, str]:
    content = item.get("content")
    if isinstance(content, str):
        return content, ""
    parts = _objects(item, "content")
    text = "".join(text_at(part, "text") for part in parts)
    return text, "".join(text_at(part, "refusal") for part in parts)


def _objects(item: Item, key: str) -> list[JsonObject]:
    return [part for part in array_at(item, key) if isinstance(part, dict)]


def _last_user(items: Sequence[Item]) -> int:
    for index in reversed(range(len(items))):
        if items[index].get("role") == "user":
            return index
    return 0


def _with_one_beginning(instructions: str | None, messages: list[JsonObject]) -> list[JsonObject]:
    said = [instructions] if instructions else []
    index = 0
    while index < len(messages) and messages[index]["role"] == "system":
        content = messages[index]["content"]
        if not isinstance(content, str):
            break
        said.append(content)
        index += 1
    first: list[JsonObject] = [{"role": "system", "content": "\n\n".join(said)}] if said else []
    return first + messages[index:]
