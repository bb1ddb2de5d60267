"""Events that Open WebUI shows beside an answer: status lines, notifications, sources.

They are sent at the top level of a chunk, as `{"event": {"type", "data"}}` (Open WebUI 0.12.4, read
2026-11-22); other clients know no such chunk, so that they are only sent to Open WebUI. A status that is not
done keeps shimmering: the last one is always done. It is the only one that is seen once the answer has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, assert_never

from bridge.models.agent.items import Item
from bridge.models.agent.rendering.call_details import output_text
from bridge.models.agent.turn import ApprovalAwaited, Attached, CallEnded, CallStarted, Notice
from toolserver.json_types import JsonObject, load_json, object_at, text_at

ShownEvent: TypeAlias = CallStarted | CallEnded | ApprovalAwaited | Notice
"""Events of a turn that have a status or a notification."""

HIDDEN: JsonObject = {"description": "", "done": True, "hidden": True}
"""The status that hides those before it."""

MAX_REASON_CHARS = 300
"""Maximum characters of the reason for a failure in a toast."""


class ChatNotices:
    """The notices of one turn."""

    def __init__(self) -> None:
        self._running: dict[str, str] = {}
        self._ran = 0
        self._failed = 0
        self._status_shown: JsonObject = {}
        """The last status; empty before the first."""
        self._end: JsonObject = HIDDEN
        """The status with which the answer ends."""

    def report_event(self, event: ShownEvent) -> Iterator[JsonObject]:
        """Yield the events for what happened; none for a call that never ran."""
        match event:
            case CallStarted():
                self._running[event.call.call_id] = event.tool_title
                self._ran += 1
                yield self._status(_running_words(list(self._running.values())))
            case CallEnded():
                yield from self._report_call(event)
            case ApprovalAwaited(tool_titles=titles):
                if titles or self._running:
                    words = _waiting_words(titles) if titles else _running_words([*self._running.values()])
                    yield self._status(words)
            case Notice(level="info", stays=True):
                yield self._status(event.text, done=True)
                self._end = self._status_shown
            case Notice(level="info"):
                yield self._status(event.text)
            case Notice():
                yield _event("notification", {"type": event.level, "content": event.text})
            case _:
                assert_never(event)

    def _report_call(self, ended: CallEnded) -> Iterator[JsonObject]:
        title = self._running.pop(ended.call.call_id, None)
        if title is None:
            return
        if not ended.has_succeeded:
            self._failed += 1
            yield _event("notification", {"type": "warning", "content": _failure_words(title, ended.output)})
        if not self._running:
            yield self._status(_ended_words(self._ran, self._failed), done=True)
            self._ran = self._failed = 0

    def report_search(self, *, has_ended: bool) -> JsonObject:
        """Return the status of a web search by the provider."""
        words = "Web search finished." if has_ended else "Searching the web…"
        return self._status(words, done=has_ended)

    def report_source(self, citation: JsonObject) -> JsonObject:
        """Return the source event for a page that the answer cites."""
        url = text_at(citation, "url")
        title = text_at(citation, "title") or url
        source: JsonObject = {"name": title, "url": url}
        return _event(
            "source", {"source": source, "document": [title], "metadata": [{"source": url, "name": title}]}
        )

    def report_document(self, document: Attached) -> JsonObject:
        """Return the event that shows a text as a source."""
        metadata: JsonObject = {"source": document.title, "name": document.title}
        return _event(
            "source",
            {"source": {"name": document.title}, "document": [document.text], "metadata": [metadata]},
        )

    def report_end(self) -> Iterator[JsonObject]:
        """Yield the last status: the one that stays, or else one that hides the others, if there were any."""
        if self._status_shown and self._status_shown != self._end:
            yield _event("status", self._end)

    def _status(self, description: str, *, done: bool = False) -> JsonObject:
        self._status_shown = {"description": description, "done": done}
        return _event("status", self._status_shown)


def _waiting_words(titles: Sequence[str]) -> str:
    return f"Waiting for your approval in the bridge page: {', '.join(titles)}"


def _running_words(titles: list[str]) -> str:
    if len(titles) == 1:
        return f"Running {titles[0]}…"
    return f"Running {len(titles)} tools: {', '.join(titles)}…"


def _ended_words(ran: int, failed: int) -> str:
    if ran == 1:
        return "Tool failed." if failed else "Tool finished."
    return f"{ran} tools finished, {failed} of them failed." if failed else f"{ran} tools finished."


def _failure_words(title: str, output: Item) -> str:
    """Return the words of a toast: what failed, and why, where the output says so."""
    try:
        told = load_json(output_text(output))
    except ValueError:
        told = None
    reason = text_at(object_at(told, "error"), "message") if isinstance(told, dict) else ""
    return f"Tool '{title}' failed: {reason[:MAX_REASON_CHARS]}" if reason else f"Tool '{title}' failed."


def _event(kind: str, value: JsonObject) -> JsonObject:
    return {"event": {"type": kind, "data": value}}
