"""An answer as Open WebUI shows it: items that it stores, or text with blocks of `<details>`."""

import html
import json
import uuid
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from plugins.open_webui.source.answer import Answer
from plugins.open_webui.source.json_values import Json, as_object, as_objects
from plugins.open_webui.source.results import Result, failed

IMAGE_EVENT = "tool_bridge.image"
"""Type of the events with an image of a call that the bridge ran."""
UNANSWERED = failed("The answer ended before this call had a result.")
LIMIT = (
    "\n\n> **The answer stopped early.** The model wanted to call tools after {rounds} rounds. Ask it to "
    "continue, or raise MAX_FUNCTION_CALL_LOOPS.\n"
)


async def as_items(answer: Answer) -> AsyncGenerator[Json]:
    """Events of one response, whose items Open WebUI stores.

    Raises:
        BridgeFailure: as `Answer.events`; what came before it is whole, as before any other exception.
    """
    items = Items(answer.names_handed_over)
    try:
        async with aclosing(answer.events()) as events:
            async for event in events:
                for shown in items.take(event):
                    yield delta(_images(shown)) if shown["type"] == IMAGE_EVENT else shown
    except Exception:  # the reader reports it; here only no call may stay without an output
        for shown in items.close():
            yield shown
        raise
    for shown in (*items.close(), *(items.say(_limit(answer)) if answer.limit_reached else ())):
        yield shown
    yield {"type": "response.completed", "response": {"status": "completed", "usage": answer.usage}}


async def as_chunks(answer: Answer, text: "Text") -> AsyncGenerator[Json]:
    """Chunks of Chat Completions.

    Raises:
        BridgeFailure: as `Answer.events`.
    """
    items = Items(answer.names_handed_over)
    try:
        async with aclosing(answer.events()) as events:
            async for event in events:
                for written in (each for shown in items.take(event) for each in text.take(shown)):
                    yield delta(written)
    except Exception:  # the reader reports it; here only no block that waits for another may be lost
        for written in text.close():
            yield delta(written)
        raise
    for written in text.close():
        yield delta(written)
    if answer.limit_reached:
        yield delta({"content": _limit(answer)})
    yield {"usage": answer.usage}


def delta(written: Json, finish_reason: str | None = None) -> Json:
    """A chunk of Chat Completions."""
    return {"choices": [{"index": 0, "delta": written, "finish_reason": finish_reason}]}


def _limit(answer: Answer) -> str:
    return LIMIT.format(rounds=answer.max_rounds)


def output_item(call: Json, result: Result) -> Json:
    """The output of a call that was run in Open WebUI, as Open WebUI stores it."""
    return {
        "type": "function_call_output",
        "id": f"fco_{uuid.uuid4().hex[:24]}",
        "call_id": call["call_id"],
        "output": result.output,
        "status": "failed" if result.has_failed else "completed",
        "files": [{"type": "image", "url": url} for url in result.images],
        "embeds": list(result.embeds),
    }


@dataclass
class Items:
    """The items of one message, which come from any number of responses."""

    hidden: frozenset[str]
    """Names of functions whose calls are not shown: Open WebUI is told of them another way."""
    waiting: dict[str, tuple[int, Json]] = field(default_factory=dict[str, tuple[int, Json]])
    """Calls without output, with their places. Open WebUI runs what has none when the answer ends."""
    _count: int = 0
    _places: dict[int, int] = field(default_factory=dict[int, int])
    """By the place in the response that comes now."""

    def take(self, event: Json) -> Iterator[Json]:
        """An event of an answer, in its place of the message."""
        match event["type"]:
            case "response.begun":
                self._places.clear()
            case "run":
                yield from self.answer(output_item(event["call"], event["result"]))
            case kind if kind == IMAGE_EVENT:
                yield event
            case _:
                yield from self._placed(event)

    def _placed(self, event: Json) -> Iterator[Json]:
        item = as_object(event.get("item"))
        theirs = event.get("output_index")
        if not isinstance(theirs, int) or (theirs not in self._places and item.get("name") in self.hidden):
            return
        is_new = theirs not in self._places
        if not item and is_new:
            return
        place = self._places.setdefault(theirs, self._count)
        self._count += is_new
        if item.get("type") == "function_call_output":
            if event["type"].endswith(".done"):
                yield from self._answered(_without_images(item), place)
            return
        if item.get("type") == "function_call":
            # Completed, and no output yet: Open WebUI shows that it runs.
            item = {**item, "status": "completed" if event["type"].endswith(".done") else "in_progress"}
            self.waiting[item["call_id"]] = (place, item)
        yield {**event, "output_index": place, **({"item": item} if item else {})}

    def answer(self, output: Json) -> Iterator[Json]:
        """Record a call's output, which comes after everything else."""
        place, self._count = self._count, self._count + 1
        yield from self._answered(output, place)

    def say(self, text: str) -> Iterator[Json]:
        """A message of the pipe's own."""
        place, self._count = self._count, self._count + 1
        content: list[Json] = [{"type": "output_text", "text": text, "annotations": []}]
        item = {
            "type": "message",
            "id": f"msg_{uuid.uuid4().hex}",
            "role": "assistant",
            "status": "completed",
        }
        for moment in ("added", "done"):
            event = {"type": f"response.output_item.{moment}", "output_index": place}
            yield {**event, "item": {**item, "content": content}}

    def close(self) -> Iterator[Json]:
        """Every call that is shown has an output: Open WebUI would run it."""
        for _, call in list(self.waiting.values()):
            yield from self.answer(output_item(call, UNANSWERED))

    def _answered(self, output: Json, place: int) -> Iterator[Json]:
        text = output["output"]
        parts: list[Json] = (
            [{"type": "input_text", "text": text}] if isinstance(text, str) else as_objects(text)
        )
        files = as_objects(output.get("files"))
        # The bridge says "completed" of every output, as providers want it.
        status = "failed" if _is_failure(text) else output.get("status") or "completed"
        shown = {**output, "output": parts, "files": files, "status": status}
        if waiting := self.waiting.pop(output["call_id"], None):
            call = {**waiting[1], "status": status}
            yield {"type": "response.output_item.done", "output_index": waiting[0], "item": call}
        for moment in ("added", "done"):
            yield {"type": f"response.output_item.{moment}", "output_index": place, "item": shown}


def _images(event: Json) -> Json:
    """A delta whose image Open WebUI stores as a file of its own and shows."""
    return {"images": [{"type": "image_url", "image_url": {"url": event["image_url"]}}]}


def _without_images(output: Json) -> Json:
    """The output of a call that the bridge ran without its images.

    They come in events, the bridge remembers them, and Open WebUI would store megabytes in the chat.
    """
    parts, files = output["output"], as_objects(output.get("files"))
    if not isinstance(parts, str):
        parts = [part for part in as_objects(parts) if part.get("type") != "input_image"]
    return {**output, "output": parts, "files": [file for file in files if file.get("type") != "image"]}


def _is_failure(output: Any) -> bool:
    """Whether an output is an error of the bridge."""
    return isinstance(output, str) and output.startswith('{"error":{"code":')


@dataclass
class Text:
    """A message as text."""

    with_calls: bool
    """As blocks of `<details>`."""
    _calls: dict[str, Json] = field(default_factory=dict[str, Json])
    """Those without a block, in their order, which is that of the blocks."""
    _outputs: dict[str, Json] = field(default_factory=dict[str, Json])
    """Outputs that wait for those of earlier calls, by `call_id`."""
    _place: Any = None
    _end: str = "\n"

    def take(self, event: Json) -> Iterator[Json]:
        """Deltas of Chat Completions for an event."""
        kind, item = event["type"], as_object(event.get("item"))
        match kind.removeprefix("response."):
            case "output_text.delta":
                place, said = event["output_index"], event["delta"]
                is_apart = self._place == place or self._end == "\n" or said.startswith("\n")
                yield self._said(said if is_apart else f"\n\n{said}", place)
            case "reasoning_text.delta" | "reasoning_summary_text.delta":
                yield {"reasoning_content": event["delta"]}
            case "output_text.annotation.added":
                yield {"annotations": [{"type": "url_citation", "url_citation": event["annotation"]}]}
            case kind if kind == IMAGE_EVENT:
                yield _images(event)
            case "output_item.done" if item.get("type") == "function_call" and self.with_calls:
                self._calls[item["call_id"]] = item
            case "output_item.done" if item.get("type") == "function_call_output" and self.with_calls:
                self._outputs[item["call_id"]] = item
                while self._calls and (first := next(iter(self._calls))) in self._outputs:
                    yield self._block(first)
            case _:
                pass

    def close(self) -> Iterator[Json]:
        """The blocks that wait for a call which got no output."""
        for call_id in list(self._outputs):
            yield self._block(call_id)

    def _block(self, call_id: str) -> Json:
        block = details_block(self._calls.pop(call_id), self._outputs.pop(call_id))
        return self._said(block if self._end == "\n" else f"\n{block}", None)

    def _said(self, text: str, place: Any) -> Json:
        self._place, self._end = place, text[-1:] or self._end
        return {"content": text}


def details_block(call: Json, output: Json) -> str:
    """A call in the form that Open WebUI reads in texts; nothing within it can end it."""
    told = {name: str(call.get(name) or "") for name in ("call_id", "name", "arguments")}
    told = {name: html.escape(" ".join(value.splitlines())) for name, value in told.items()}
    files = f' files="{html.escape(json.dumps(output["files"]))}"' if output["files"] else ""
    text = "".join(part.get("text", "") for part in output["output"])
    return (
        f'<details type="tool_calls" done="true" id="{told["call_id"]}" name="{told["name"]}" '
        f'arguments="{told["arguments"]}"{files}>\n'
        f"<summary>Tool Executed</summary>\n{html.escape(_as_json(text))}\n</details>\n"
    )


def _as_json(text: str) -> str:
    """A result as JSON: itself, or a JSON string of it, from which its reader gets the same text."""
    try:
        is_json = not isinstance(json.loads(text), str)
    except ValueError:
        is_json = False
    return text if is_json else json.dumps(text, ensure_ascii=False)
