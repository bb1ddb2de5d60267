"""One provider over HTTP: sends requests and reads their events.

What all protocols share is here: time limits, retries before the first event, errors, and the memory of a
refused key.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from bridge.models.agent.model import ModelError, Note
from bridge.models.providers.connections import (
    ConnectionFailed,
    ProviderAnswer,
    ProviderConnections,
    RequestRefused,
)
from bridge.models.providers.error_words import error_of, is_error
from bridge.models.providers.errors import Failures, retry_after_s
from bridge.models.providers.event_decoder import END_OF_STREAM, EventDecoder, load_event
from bridge.models.providers.ports import STREAM_DONE, Listed, Refuse
from bridge.settings.chat.model_facts import listed_facts
from bridge.settings.chat.models import ProviderSettings
from bridge.tasks import sleep_safely
from bridge.tracing.context import TRACEPARENT, TraceContext
from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, text_at

TRIES = 3
"""Maximum number of attempts at one round, before its first event."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 4.0
"""Seconds between two attempts: the first and the longest pause; doubled each time, with random jitter up to
double."""

LONGEST_RETRY_AFTER_S = 10.0
"""Maximum `Retry-After`, in seconds, that is waited for; for a longer one the error goes to the caller, who
may decide."""

REFUSED_KEY_S = 60.0
"""Seconds for which a provider is not asked again after it refused the key."""

RETRIED = frozenset({408, 409, 429})
"""Statuses below 500 after which a second attempt may succeed; the same as in OpenAI's SDK."""

LIST_S = 10.0
"""Maximum seconds for listing a provider's models."""

MAX_LIST_BYTES = 32 * 1024 * 1024
"""Maximum bytes of a provider's list of models."""

_UNAUTHORIZED, _FIRST_SERVER_ERROR = 401, 500

_WHOLE = frozenset({"choices", "output", "content"})
"""Members of which an answer in JSON has one: a completion's, a response's, or a message's."""

MAX_LIST_PAGES = 10
"""Maximum pages of a list of models, of a thousand each. Chosen."""


@dataclass(frozen=True, slots=True)
class _Failed:
    """How an attempt failed."""

    failure: ModelError
    may_retry: bool


class _Events:
    """The events of an answer, several at a time: those that came together."""

    __slots__ = ("_answer", "_decoder", "_failures", "waiting")

    def __init__(self, answer: ProviderAnswer, failures: Failures) -> None:
        self._answer = answer
        self._failures = failures
        self._decoder = EventDecoder()
        self.waiting: list[bytes] = []
        """Data of the events that have come, the next one last."""

    @property
    def is_json(self) -> bool:
        """Whether the answer is JSON, whatever its type says: one event and no stream."""
        return self._decoder.is_json

    def read_some(self) -> Awaitable[bytes]:
        """Return the next bytes, for `take_bytes`; none at the end of the stream. As `ProviderAnswer`."""
        return self._answer.read_some()

    def take_bytes(self, piece: bytes) -> bool:
        """Decode the events that end in these bytes; returns False where the stream has ended without one.

        Raises:
            ModelError: it is no stream of events.
        """
        if not piece:
            self.waiting = self._decoder.read_end()[::-1]
            return bool(self.waiting)
        try:
            self.waiting = self._decoder.read_bytes(piece)
        except ValueError as error:
            raise self._failures.describe_unreadable(str(error)) from None
        self.waiting.reverse()
        return True

    async def read_rest(self) -> None:
        """Read what follows the end of the stream, so that its connection can be used again."""
        while await self._answer.read_some():
            pass

    def hang_up(self) -> None:
        """Close the connection, unless its answer has been read to its end."""
        self._answer.close()

    def describe_none(self) -> ModelError:
        """Describe that no event came."""
        kind = self._answer.content_type or "nothing"
        is_stream = kind.lower().startswith("text/event-stream")
        what = "an event stream without events." if is_stream else f"{kind} instead of an event stream."
        return self._failures.describe_unreadable(what)


class HttpProvider:
    """One provider. Safe for any number of concurrent requests on one event loop."""

    def __init__(
        self,
        settings: ProviderSettings,
        key: str | None,
        *,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], Awaitable[None]] = sleep_safely,
        refuse: Refuse | None = None,
    ) -> None:
        """`key`: None for a provider that needs none. `pause` waits between two attempts.

        `refuse`: decides about every address that is connected to; None: the operator named the provider, and
        all are good.
        """
        self.settings = settings
        self.failures = Failures(settings.name, key)
        self._connections = ProviderConnections(settings, key, refuse)
        self._clock = clock
        self._pause = pause
        self._refusal: tuple[ModelError, float] | None = None

    def __repr__(self) -> str:
        return f"HttpProvider({self.settings.name!r})"

    async def close_client(self) -> None:
        """Close all connections."""
        await self._connections.close()

    async def stream_events(
        self, path: str, body: JsonObject, note: Note | None = None, trace: TraceContext | None = None
    ) -> AsyncGenerator[JsonObject]:
        """Yield the events of one request as decoded JSON, until the provider ends its stream.

        An answer that is no stream but one JSON object is its one event. `STREAM_DONE` comes last where the
        provider said that nothing follows, by `[DONE]` or by such an answer.

        Closing the generator closes the connection. `note` is informed of failed attempts. A provider whose
        settings say so is told of `trace`.

        Raises:
            ModelError: as `Model.stream_round`; a stream that just ends is no error here.
        """
        told = {} if trace is None or not self.settings.trace_context else {TRACEPARENT: trace.traceparent}
        content = dump_json(body)
        del body  # with what goes back to the model; a stream may wait for long
        events = await self._begin(path, content, note, told)
        del content
        try:
            while True:
                while not events.waiting:
                    if not events.take_bytes(await events.read_some()):
                        return
                if events.waiting[-1].startswith(END_OF_STREAM):
                    yield STREAM_DONE
                    await events.read_rest()
                    return
                yield self._load(events.waiting.pop())
        except ConnectionFailed as failed:
            raise self._describe_break(failed) from None
        finally:
            events.hang_up()

    async def request_models(self) -> list[Listed]:
        """Return the models that the provider lists, each name once.

        Raises:
            ModelError: it cannot be asked now, or answers with something else.
        """
        self._refuse_rejected_key()
        try:
            async with asyncio.timeout(LIST_S):
                rows = await self._request_rows()
        except TimeoutError:
            raise self.failures.describe_silence("upstream_timeout") from None
        except (ConnectionFailed, RequestRefused) as error:
            failure = self._describe(error, "/models").failure
            self._remember(failure)
            raise failure from None
        found = [_listed(row) for row in rows if isinstance(row, dict)]
        return list({model.name: model for model in found if model.name}.values())

    async def _request_rows(self) -> list[JsonValue]:
        """Return the rows of the list; Anthropic's comes in pages."""
        if self.settings.api != "messages":
            return array_at(self._load(await self._request_list("/models")), "data")
        rows, path = list[JsonValue](), "/models?limit=1000"
        for _ in range(MAX_LIST_PAGES):
            page = self._load(await self._request_list(path))
            rows += array_at(page, "data")
            if page.get("has_more") is not True or not (last := text_at(page, "last_id")):
                break
            path = f"/models?limit=1000&after_id={quote(last, safe='')}"
        return rows

    async def _request_list(self, path: str) -> bytes:
        answer = await self._connections.open_answer("GET", path)
        try:
            return await answer.read_body(MAX_LIST_BYTES)
        finally:
            answer.close()

    async def _begin(
        self, path: str, content: bytes, note: Note | None, headers: Mapping[str, str]
    ) -> _Events:
        self._refuse_rejected_key()
        give_up_at = self._clock() + self.settings.first_event_seconds
        for number in range(TRIES):
            try:
                async with asyncio.timeout(give_up_at - self._clock()):
                    return await self._try(path, content, headers)
            except TimeoutError:
                raise self.failures.describe_silence("upstream_timeout") from None
            except (ConnectionFailed, RequestRefused) as error:
                failed = self._describe(error, path)
            failure = failed.failure
            pause_s = _pause_before_retry(number, failed)
            self._remember(failure)
            if pause_s is None or self._clock() + pause_s >= give_up_at:
                raise failure
            if note is not None:
                note(f"try {number + 1} failed, the next one in {pause_s:.1f} s: {failure.message}")
            await self._pause(pause_s)
        raise AssertionError("the last try returns or raises")

    async def _try(self, path: str, content: bytes, headers: Mapping[str, str]) -> _Events:
        """Send the request and wait for the first event."""
        answer = await self._connections.open_answer("POST", path, content, headers)
        events = _Events(answer, self.failures)
        try:
            while not events.waiting:
                if not events.take_bytes(await events.read_some()):
                    raise events.describe_none()
            if events.waiting[-1].startswith(END_OF_STREAM):
                raise events.describe_none()
            if events.is_json:
                self._check_whole(events)
        except BaseException:
            events.hang_up()
            raise
        return events

    def _check_whole(self, events: _Events) -> None:
        """Check that an answer which is no stream is a whole one."""
        answer = self._load(events.waiting[-1])
        if not answer.keys() & _WHOLE:
            raise self.failures.of_body(answer, status=None) if is_error(answer) else events.describe_none()

    def _load(self, data: bytes) -> JsonObject:
        """Return the JSON object; one that is the provider's error is raised."""
        try:
            event = load_event(data)
        except ValueError:
            raise self.failures.of_no_json(data) from None
        if isinstance(event, list) and error_of(event):
            raise self.failures.of_body(event, status=None)
        if not isinstance(event, dict):
            raise self.failures.describe_unreadable("not a JSON object.")
        if event.get("error"):
            raise self.failures.of_body(event, status=None)
        return event

    def _describe(self, error: ConnectionFailed | RequestRefused, path: str) -> _Failed:
        """Describe why an attempt failed before its first event."""
        if isinstance(error, RequestRefused):
            failure = self.failures.of_body(error.body, status=error.status, path=path)
            failure.retry_after_s = retry_after_s(error.headers)
            return _Failed(failure, may_retry=_may_retry(error, failure))
        if error.is_silent:
            return _Failed(self.failures.describe_silence("upstream_timeout"), may_retry=True)
        return _Failed(self.failures.describe_unreachable(str(error)), may_retry=True)

    def _describe_break(self, failed: ConnectionFailed) -> ModelError:
        """Describe why a stream broke off."""
        if failed.is_silent:
            return self.failures.describe_silence("upstream_timeout")
        return self.failures.broken_off()

    def _refuse_rejected_key(self) -> None:
        if self._refusal is None:
            return
        failure, until = self._refusal
        if (remaining_s := until - self._clock()) > 0:
            raise self.failures.repeat_refusal(failure, remaining_s)
        self._refusal = None

    def _remember(self, failure: ModelError) -> None:
        if failure.status == _UNAUTHORIZED:
            self._refusal = (failure, self._clock() + REFUSED_KEY_S)


def _pause_before_retry(number: int, failed: _Failed) -> float | None:
    """Return the seconds before the next attempt; None when there should be none."""
    if number + 1 >= TRIES or not failed.may_retry:
        return None
    if (retry_s := failed.failure.retry_after_s) is not None:
        return retry_s if retry_s <= LONGEST_RETRY_AFTER_S else None
    least = FIRST_PAUSE_S * 2**number
    return min(LONGEST_PAUSE_S, random.uniform(least, 2 * least))


def _may_retry(refused: RequestRefused, failure: ModelError) -> bool:
    if (advice := refused.headers.get("x-should-retry")) is not None:
        return advice == "true"
    if failure.code == "insufficient_quota":
        return False
    return refused.status in RETRIED or refused.status >= _FIRST_SERVER_ERROR


def _listed(row: JsonObject) -> Listed:
    created = row.get("created")
    created = created if isinstance(created, int) else _seconds_of(text_at(row, "created_at"))
    return Listed(text_at(row, "id"), created, listed_facts(row))


def _seconds_of(moment: str) -> int:
    """Return the seconds since 1970 of a moment in ISO 8601; 0 when it is none."""
    try:
        return max(0, int(datetime.fromisoformat(moment).timestamp()))
    except (ValueError, OverflowError):
        return 0
