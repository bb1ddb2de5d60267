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


class AnswerEncoder(Protocol):
    """One answer on its way to a caller, who gets it in frames (`told`) or `whole` (`noted`)."""

    def collect_event(self, event: TurnEvent) -> None:
        """Take an event into the answer."""
        ...

    def encode_event(self, event: TurnEvent) -> bytes:
        """Take an event; its frames, empty when the caller learns nothing of it."""
        ...

    def encode_end(self, result: TurnResult, error: JsonObject | None) -> bytes:
        """The last frames. `error`: in OpenAI's form, of a turn that failed."""
        ...

    def encode_failure(self, error: JsonObject) -> bytes:
        """The last frames of an answer that broke off."""
        ...

    def build_response(self) -> JsonObject:
        """The answer as one object, once it has ended."""
        ...


class ChatCompletionEncoder:
    """An answer of Chat Completions."""

    def __init__(self, writer: ChatWriter) -> None:
        self._writer = writer

    def collect_event(self, event: TurnEvent) -> None:
        """As `Answer.collect_event`."""
        self._writer.write_event(event)

    def encode_event(self, event: TurnEvent) -> bytes:
        """Chunks."""
        return _frames(self._writer.write_event(event))

    def encode_end(self, result: TurnResult, error: JsonObject | None) -> bytes:
        """Chunks, and what ends every stream of OpenAI's."""
        return _frames(self._writer.write_end(result, error)) + _DONE

    def encode_failure(self, error: JsonObject) -> bytes:
        """Chunks, and what ends every stream of OpenAI's."""
        return _frames(self._writer.write_failure(error)) + _DONE

    def build_response(self) -> JsonObject:
        """A `chat.completion`."""
        return self._writer.completion


class ResponseEncoder:
    """An answer of the Responses API."""

    def __init__(self, writer: ResponsesWriter) -> None:
        self._writer = writer

    def collect_event(self, event: TurnEvent) -> None:
        """As `Answer.collect_event`."""
        self._writer.write_event(event)

    def encode_event(self, event: TurnEvent) -> bytes:
        """Events."""
        return _named_frames(self._writer.write_event(event))

    def encode_end(self, result: TurnResult, error: JsonObject | None) -> bytes:
        """Events; the last one is the ending."""
        if error is not None:
            result = replace(result, response={**result.response, "error": error})
        return _named_frames(self._writer.write_end(result))

    def encode_failure(self, error: JsonObject) -> bytes:
        """Events; the last one is the ending."""
        return _named_frames(self._writer.write_failure(error))

    def encode_queued(self) -> bytes:
        """The first events of an answer in the background."""
        return _named_frames(self._writer.write_queued())

    def taken_up(
        self, told: Iterable[JsonObject], *, standing: int, left_out: Collection[int], skip: int
    ) -> bytes:
        """The first events of an answer that another process began; see `ResponsesWriter.take_up`."""
        taken = self._writer.take_up(told, standing=standing, left_out=left_out, skip=skip)
        return _named_frames(taken)

    def encode_cancelled(self) -> bytes:
        """The last events of an answer that was cancelled."""
        return _named_frames(self._writer.write_cancelled())

    def mark_unstored(self) -> None:
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

    def build_partial(self) -> JsonObject:
        """A `response`, as far as it has come."""
        return self._writer.partial

    def build_response(self) -> JsonObject:
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
