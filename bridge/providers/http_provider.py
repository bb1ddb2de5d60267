"""One provider over HTTP: sends requests and reads their events, through the openai SDK.

The only module that holds a provider's key. What both protocols share is here: time limits, retries before
the first event, errors, and the memory of a refused key.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import cast

import httpx2
from openai import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AsyncStream,
    Omit,
    Timeout,
)

from bridge.agent.model import ModelError, Note
from bridge.providers.errors import Failures, retry_after_s
from bridge.providers.guarded_transport import GuardedTransport
from bridge.providers.ports import Listed, Provider, Refuse
from bridge.settings.model_facts import listed_facts
from bridge.settings.models import ProviderSettings
from bridge.tasks import sleep_safely
from toolserver.json_types import JsonObject, array_at, dump_json, text_at

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
"""Statuses below 500 after which a second attempt may succeed; the same as in the SDK."""

LIST_S = 10.0
"""Maximum seconds for listing a provider's models."""

_UNAUTHORIZED, _FIRST_SERVER_ERROR = 401, 500
_NOT_FOR_PROVIDERS = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}


_NO_JSON = (ValueError, RecursionError)
"""Errors that the SDK lets through when an answer is not text, not JSON, or nested too deeply."""

_END = object()


@dataclass(slots=True)
class _Begun:
    """A stream whose first event has arrived."""

    stream: AsyncStream[object]
    events: AsyncIterator[object]
    first: object = None


class HttpProvider(Provider):
    """Implements the port with OpenAI's SDK."""

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
        self._headers = {"Content-Type": "application/json", **_NOT_FOR_PROVIDERS}
        if key is None:
            self._headers["Authorization"] = Omit()
        self._client = AsyncOpenAI(
            api_key=key or "none",
            admin_api_key="",
            base_url=settings.base_url,
            max_retries=0,
            timeout=Timeout(settings.idle_seconds, connect=settings.connect_seconds),
            http_client=None if refuse is None else _guarded_client(refuse),
        )
        self._clock = clock
        self._pause = pause
        self._refusal: tuple[ModelError, float] | None = None

    def __repr__(self) -> str:
        return f"HttpProvider({self.settings.name!r})"

    async def close_client(self) -> None:
        """Close all connections."""
        await self._client.close()

    async def stream_events(
        self, path: str, body: JsonObject, note: Note | None = None
    ) -> AsyncGenerator[JsonObject]:
        """Yield the events of one request as decoded JSON, until the provider ends its stream.

        Closing the generator closes the connection. `note` is informed of failed attempts.

        Raises:
            ModelError: as `Model.stream_round`; a stream that just ends is no error here.
        """
        begun = await self._begin(path, dump_json(body), note)
        try:
            event = begun.first
            while event is not _END:
                yield self._object(event)
                event = await self._next(begun)
        finally:
            await begun.stream.close()

    async def request_models(self) -> list[Listed]:
        """Return the models that the provider lists, each name once.

        Raises:
            ModelError: it cannot be asked now, or answers with something else.
        """
        self._refuse_rejected_key()
        try:
            async with asyncio.timeout(LIST_S):
                body = await self._client.get("/models", cast_to=object, options={"headers": self._headers})
        except TimeoutError:
            raise self.failures.describe_silence("upstream_timeout") from None
        except APIError as error:
            failure = failure_of(error, self.failures, has_begun=False)
            self._remember(failure)
            raise failure from None
        except _NO_JSON as error:
            raise self.failures.describe_unreadable(str(error)) from None
        found = [_listed(row) for row in array_at(self._object(body), "data") if isinstance(row, dict)]
        return list({model.name: model for model in found if model.name}.values())

    async def _next(self, begun: _Begun) -> object:
        try:
            return await anext(begun.events, _END)
        except APIError as error:
            raise failure_of(error, self.failures, has_begun=True) from None
        except _NO_JSON as error:
            raise self.failures.describe_unreadable(str(error)) from None

    async def _begin(self, path: str, content: bytes, note: Note | None) -> _Begun:
        self._refuse_rejected_key()
        give_up_at = self._clock() + self.settings.first_event_seconds
        for number in range(TRIES):
            try:
                async with asyncio.timeout(give_up_at - self._clock()):
                    return await self._try(path, content)
            except TimeoutError:
                raise self.failures.describe_silence("upstream_timeout") from None
            except APIError as error:
                failure = failure_of(error, self.failures, has_begun=False)
                pause_s = _pause_before_retry(number, error, failure)
            self._remember(failure)
            if pause_s is None or self._clock() + pause_s >= give_up_at:
                raise failure
            if note is not None:
                note(f"try {number + 1} failed, the next one in {pause_s:.1f} s: {failure.message}")
            await self._pause(pause_s)
        raise AssertionError("the last try returns or raises")

    async def _try(self, path: str, content: bytes) -> _Begun:
        stream = await self._client.post(
            path,
            cast_to=object,
            content=content,
            options={"headers": self._headers},
            stream=True,
            stream_cls=AsyncStream[object],
        )
        begun = _Begun(stream, aiter(stream))
        try:
            begun.first = await anext(begun.events, _END)
            if begun.first is _END:
                raise self._no_event(stream)
        except _NO_JSON as error:
            await stream.close()
            raise self.failures.describe_unreadable(str(error)) from None
        except BaseException:
            await stream.close()
            raise
        return begun

    def _no_event(self, stream: AsyncStream[object]) -> ModelError:
        kind = stream.response.headers.get("content-type", "nothing")
        return self.failures.describe_unreadable(f"{kind} instead of an event stream.")

    def _object(self, event: object) -> JsonObject:
        if isinstance(event, dict):
            return cast(JsonObject, event)
        raise self.failures.describe_unreadable("not a JSON object.")

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


def _guarded_client(refuse: Refuse) -> httpx2.AsyncClient:
    """Return a client that connects only where it may, and follows nobody elsewhere."""
    return httpx2.AsyncClient(transport=GuardedTransport(refuse), follow_redirects=False, trust_env=False)


def failure_of(error: APIError, failures: Failures, *, has_begun: bool) -> ModelError:
    """Convert an SDK error to what the caller reads; `has_begun`: the round had already sent events."""
    if isinstance(error, APIStatusError):
        failure = failures.of_body(error.body, status=error.status_code)
        failure.retry_after_s = retry_after_s(error.response.headers)
        return failure
    if isinstance(error, APITimeoutError):
        return failures.describe_silence("upstream_timeout")
    if isinstance(error, APIConnectionError):
        return (
            failures.broken_off() if has_begun else failures.describe_unreachable(str(error.__cause__ or ""))
        )
    return failures.of_body(error.body, status=None)


def _pause_before_retry(number: int, error: APIError, failure: ModelError) -> float | None:
    """Return the seconds before the next attempt; None when there should be none."""
    if number + 1 >= TRIES or not _is_retryable(error, failure):
        return None
    if failure.retry_after_s is not None:
        return failure.retry_after_s if failure.retry_after_s <= LONGEST_RETRY_AFTER_S else None
    least = FIRST_PAUSE_S * 2**number
    return min(LONGEST_PAUSE_S, random.uniform(least, 2 * least))


def _is_retryable(error: APIError, failure: ModelError) -> bool:
    if not isinstance(error, APIStatusError):
        return isinstance(error, APIConnectionError)
    if (advice := error.response.headers.get("x-should-retry")) is not None:
        return advice == "true"
    if failure.code == "insufficient_quota":
        return False
    return error.status_code in RETRIED or error.status_code >= _FIRST_SERVER_ERROR


def _listed(row: JsonObject) -> Listed:
    created = row.get("created")
    return Listed(text_at(row, "id"), created if isinstance(created, int) else 0, listed_facts(row))
