"""The history that Open WebUI 0.12.4 sends a model of a stored answer: its items as chat messages.

What it does, as read and measured there; written anew:

- A call counts if it has ended (`completed`, `failed`, `rejected`) and the same answer has its output.
- Texts since the last outputs are one assistant message, joined by line breaks, with the calls that count.
- Outputs in a row are `tool` messages behind it, texts only. Their images follow as a message of the *user*.
- Of reasoning only `reasoning_details` are sent; what is empty is left out.
- At the end, of each assistant message and the `tool` messages right behind it, what has no other half goes.
- An answer with items from which nothing comes is sent as its text, if it has one.
"""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

IMAGES = "Here are the images from the tool results above. Please analyze them."
_ENDED = ("completed", "failed", "rejected")


def messages_of_answer(output: list[Json], content: str = "") -> list[Json]:
    """Return the messages of a stored answer; `content`: its text, where it is stored beside the items."""
    history = _History(_whole_calls(output))
    for item in output:
        history.take(item)
    history.end_outputs()
    history.end_words()
    if found := without_halves(history.messages):
        return found
    return [{"role": "assistant", "content": content}] if content else []


def cancelled(output: list[Json]) -> None:
    """Mark the items of an answer that was stopped, as they are stored then."""
    done = {item["call_id"] for item in output if item["type"] == "function_call_output"}
    for item in output:
        runs = item["type"] == "function_call" and item["call_id"] not in done
        if item.get("status") == "in_progress" or (runs and item.get("status") == "completed"):
            item["status"] = "incomplete"


def without_halves(messages: list[Json]) -> list[Json]:
    """Drop calls without a `tool` message right behind them, and `tool` messages without such a call."""
    left: list[Json] = []
    at = 0
    while at < len(messages):
        message, end = messages[at], at + 1
        while end < len(messages) and messages[end]["role"] == "tool":
            end += 1
        results = messages[at + 1 : end]
        if message["role"] != "tool":
            left += _whole_block(message, results)
        at = end
    return left


def _whole_block(message: Json, results: list[Json]) -> list[Json]:
    calls: list[Json] = message.get("tool_calls") or []
    ids = {call["id"] for call in calls} & {result["tool_call_id"] for result in results}
    if kept := [call for call in calls if call["id"] in ids]:
        return [{**message, "tool_calls": kept}, *(each for each in results if each["tool_call_id"] in ids)]
    bare = {name: value for name, value in message.items() if name != "tool_calls"}
    return [bare] if not calls or str(bare["content"]).strip() else []


def _whole_calls(output: list[Json]) -> set[str]:
    ended = {
        item["call_id"] for item in output if item["type"] == "function_call" and item.get("status") in _ENDED
    }
    return ended & {item["call_id"] for item in output if item["type"] == "function_call_output"}


@dataclass
class _History:
    whole: set[str]
    """Ids of calls that count."""
    messages: list[Json] = field(default_factory=list[Json])
    texts: list[str] = field(default_factory=list[str])
    calls: list[Json] = field(default_factory=list[Json])
    details: list[Json] = field(default_factory=list[Json])
    outputs: list[Json] = field(default_factory=list[Json])

    def take(self, item: Json) -> None:
        kind = item["type"]
        if kind != "function_call_output":
            self.end_outputs()
        if kind == "message":
            parts = [part for part in item["content"] if part.get("type") == "output_text"]
            if text := "".join(part["text"] for part in parts):
                self.texts.append(text)
        elif kind == "function_call" and item["call_id"] in self.whole:
            function = {"name": item["name"], "arguments": item["arguments"]}
            self.calls.append({"id": item["call_id"], "type": "function", "function": function})
        elif kind == "function_call_output" and item["call_id"] in self.whole:
            self.outputs.append(item)
        elif kind == "reasoning":
            self.details += item.get("reasoning_details") or []

    def end_words(self) -> None:
        """The assistant's message ends."""
        if self.texts or self.calls or self.details:
            told: Json = {"role": "assistant", "content": "\n".join(self.texts)}
            if self.calls:
                told["tool_calls"] = self.calls
            if self.details:
                told["reasoning_details"] = self.details
            self.messages.append(told)
        self.texts, self.calls, self.details = [], [], []

    def end_outputs(self) -> None:
        """The outputs in a row end."""
        if not self.outputs:
            return
        self.end_words()
        parts = [part for item in self.outputs for part in item["output"]]
        for item in self.outputs:
            words = [part["text"] for part in item["output"] if part["type"] == "input_text"]
            self.messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": "".join(words)})
        if images := [part["image_url"] for part in parts if part["type"] == "input_image"]:
            shown: list[Json] = [{"type": "image_url", "image_url": {"url": url}} for url in images]
            self.messages.append({"role": "user", "content": [{"type": "text", "text": IMAGES}, *shown]})
        self.outputs = []
