"""The answer of a turn in each of the two protocols: as frames of a stream, and as one object."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Protocol

from bridge.agent.chat_completions.writer import ChatWriter
from bridge.agent.responses.writer import ResponsesWriter
from bridge.agent.turn import TurnEvent, TurnResult
from toolserver.json_types import JsonObject, dump_json, text_at

_DONE = b"data: [DONE]\n\n"
_NAME = re.compile(r"[\w.-]+", re.ASCII)


class Answer(Protocol):
    """One answer on its way to a caller, who gets it in frames (`told`) or `whole` (`noted`)."""

    def noted(self, event: TurnEvent) -> None:
        """Take an event into the answer."""
        ...

    def told(self, event: TurnEvent) -> bytes:
        """Take an event; its frames, empty when the caller learns nothing of it."""
        ...

    def ended(self, result: TurnResult, error: JsonObject | None) -> bytes:
        """The last frames. `error`: in OpenAI's form, of a turn that failed."""
        ...

    def failed(self, error: JsonObject) -> bytes:
        """The last frames of an answer that broke off."""
        ...

    def whole(self) -> JsonObject:
        """The answer as one object, once it has ended."""
        ...


class ChatAnswer:
    """An answer of Chat Completions."""

    def __init__(self, writer: ChatWriter) -> None:
        self._writer = writer

    def noted(self, event: TurnEvent) -> None:
        """As `Answer.noted`."""
        self._writer.write(event)

    def told(self, event: TurnEvent) -> bytes:
        """Chunks."""
        return _frames(self._writer.write(event))

    def ended(self, result: TurnResult, error: JsonObject | None) -> bytes:
        """Chunks, and what ends every stream of OpenAI's."""
        return _frames(self._writer.end(result, error)) + _DONE

    def failed(self, error: JsonObject) -> bytes:
        """Chunks, and what ends every stream of OpenAI's."""
        return _frames(self._writer.fail(error)) + _DONE

    def whole(self) -> JsonObject:
        """A `chat.completion`."""
        return self._writer.completion


class ResponsesAnswer:
    """An answer of the Responses API."""

    def __init__(self, writer: ResponsesWriter) -> None:
        self._writer = writer

    def noted(self, event: TurnEvent) -> None:
        """As `Answer.noted`."""
        self._writer.write(event)

    def told(self, event: TurnEvent) -> bytes:
        """Events."""
        return _named_frames(self._writer.write(event))

    def ended(self, result: TurnResult, error: JsonObject | None) -> bytes:
        """Events; the last one is the ending."""
        if error is not None:
            result = replace(result, response={**result.response, "error": error})
        return _named_frames(self._writer.end(result))

    def failed(self, error: JsonObject) -> bytes:
        """Events; the last one is the ending."""
        return _named_frames(self._writer.fail(error))

    def queued(self) -> bytes:
        """The first events of an answer in the background."""
        return _named_frames(self._writer.queue())

    def taken_up(
        self, told: Iterable[JsonObject], *, standing: int, left_out: Collection[int], skip: int
    ) -> bytes:
        """The first events of an answer that another process began; see `ResponsesWriter.take_up`."""
        taken = self._writer.take_up(told, standing=standing, left_out=left_out, skip=skip)
        return _named_frames(taken)

    def cancelled(self) -> bytes:
        """The last events of an answer that was cancelled."""
        return _named_frames(self._writer.cancel())

    def forget(self) -> None:
        """It is not kept, and says so."""
        self._writer.response = {**self._writer.response, "store": False}

    @property
    def next_number(self) -> int:
        """Sequence number of the next event."""
        return self._writer.next_number

    @property
    def next_index(self) -> int:
        """`output_index` of the next item."""
        return self._writer.next_index

    @property
    def left_out(self) -> tuple[int, ...]:
        """`output_index`es of items that were told and are not part of the answer."""
        return self._writer.left_out

    def partial(self) -> JsonObject:
        """A `response`, as far as it has come."""
        return self._writer.partial

    def whole(self) -> JsonObject:
        """A `response`."""
        return self._writer.response


def _frames(bodies: list[JsonObject]) -> bytes:
    return b"".join(b"data: %b\n\n" % dump_json(body) for body in bodies)


def _named_frames(bodies: list[JsonObject]) -> bytes:
    return b"".join(
        b"%bdata: %b\n\n" % (_name_line(text_at(body, "type")), dump_json(body)) for body in bodies
    )


def _name_line(kind: str) -> bytes:
    """A provider may send types of its own; nothing in one can end the line."""
    return b"event: %b\n" % kind.encode() if _NAME.fullmatch(kind) else b""
