"""A provider of models that does what tests say: a real HTTP server that speaks their protocols.

    async with scripted_provider() as provider:
        provider.play(calls(("search", {"q": "x"})), text("Found ", "it."))
        …                                        # ask provider.base_url twice
        assert provider.requests[1].body["input"] == [...]

Each request takes the next script, in the protocol it asked by. One whose history OpenAI, or Anthropic,
would refuse is answered with 400 as they do, takes no script, and fails the test at its end.
"""

import asyncio
import json
import re
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from aiohttp import web

from tests.support.models.history_check import find_refusal
from tests.support.models.model_answers import Answer, chat_chunks, frames, responses_events

KEY = "sk-scripted-4f1c9a"
"""The key that tests give their provider; no error and no log may show it."""

MODELS = ("scripted-small", "scripted-large")


Thought = tuple[str, list[dict[str, Any]]]
"""The id of the first call of an answer by Messages, or nothing, and its blocks of thinking."""


class MessagesSide(Protocol):
    """How the server speaks Messages; `messages_side.MESSAGES`, whose types take a second to import."""

    def frames(self, answer: Answer, number: int, model: str) -> list[bytes]:
        """The stream of an answer."""
        ...

    def thinking_in(self, frames: Iterable[bytes]) -> Thought:
        """What a stream has of thinking."""
        ...

    def find_refusal(self, body: dict[str, Any], thought: Sequence[Thought]) -> str | None:
        """Why a request is refused; None: it is not."""
        ...


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """A request that came."""

    path: str
    """Such as `/v1/responses`."""
    body: dict[str, Any]
    headers: dict[str, str]
    port: int = 0
    """Of the client, for tests about connections."""
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client went away before the answer had ended."""
    messages: MessagesSide | None = None
    """How it is answered by Messages; None: it came by another protocol."""


Step = bytes | asyncio.Event | None
"""Bytes to send, something to wait for, or None: the connection is reset."""


@dataclass(frozen=True, slots=True)
class Script:
    """How one request is answered."""

    write: Callable[[ProviderRequest, int], Sequence[Step]]
    """Makes the steps, of the request and its number."""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/event-stream"),)

    def held(self, release: asyncio.Event, *, after: int) -> "Script":
        """Waits for `gate` once so many frames are sent."""
        return self._changed(lambda steps: [*steps[:after], release, *steps[after:]])

    def dropped(self, *, after: int) -> "Script":
        """Resets the connection once so many frames are sent; 0: before the first byte."""
        return self._changed(lambda steps: [*steps[:after], None])

    def cut(self, size: int) -> "Script":
        """The same bytes in pieces of that size, whatever they cut through."""
        return self._changed(lambda steps: [piece for step in steps for piece in _pieces(step, size)])

    def with_crlf(self) -> "Script":
        return self._changed(lambda steps: [_replaced(step, b"\n", b"\r\n") for step in steps])

    def with_comments(self) -> "Script":
        """A comment and an empty event before each frame, as gateways send them to keep a line open."""
        return self._changed(lambda steps: [_replaced(step, b"\\A", b": PROCESSING\n\n") for step in steps])

    def _changed(self, change: Callable[[list[Step]], list[Step]]) -> "Script":
        def write(asked: ProviderRequest, number: int) -> list[Step]:
            return change(list(self.write(asked, number)))

        return replace(self, write=write)


def script(answer: Answer) -> Script:
    """The answer in the protocol of the request."""

    def write(asked: ProviderRequest, number: int) -> list[bytes]:
        model = str(asked.body.get("model"))
        if asked.path.endswith("/responses"):
            return frames(list(responses_events(answer, number, model)), with_names=True)
        if asked.messages is not None:
            return asked.messages.frames(answer, number, model)
        with_usage = bool(asked.body.get("stream_options", {}).get("include_usage"))
        chunks = list(chat_chunks(answer, number, model, with_usage=with_usage))
        done = [] if answer.ending in ("none", "failed") else [b"data: [DONE]\n\n"]
        return frames(chunks, with_names=False) + done

    return Script(write)


def events(*bodies: dict[str, Any]) -> Script:
    """Exactly these, named by their type if they have one."""
    return raw(*(frames([body], with_names="type" in body)[0] for body in bodies))


def raw(*steps: Step) -> Script:
    """Exactly these bytes, as a stream of events."""
    return Script(lambda asked, number: steps)


def fails(
    status: int, message: str = "No.", *, code: str | None = None, retry_after: str | None = None
) -> Script:
    """OpenAI's error object, with a status."""
    error = {"message": message, "type": "scripted_error", "param": None, "code": code}
    headers = [("Content-Type", "application/json")]
    if retry_after is not None:
        headers.append(("Retry-After", retry_after))
    return answers(status, json.dumps({"error": error}).encode(), *headers)


def answers(status: int, body: bytes, *headers: tuple[str, str]) -> Script:
    """Any answer at all."""
    return Script(lambda asked, number: [body], status, headers)


_NO_SCRIPT = fails(400, "The script has ended.", code="no_script")


def resets() -> Script:
    """The connection breaks before the first byte."""
    return raw(None)


class ScriptedProvider:
    """What a test sees of the server."""

    def __init__(self, messages: MessagesSide | None) -> None:
        self.messages = messages
        self.base_url = ""
        self.requests: list[ProviderRequest] = []
        """All that came, `/v1/models` excepted."""
        self.models: Sequence[str] | Script = MODELS
        """What `/v1/models` lists, or how it fails."""
        self.listings = 0
        """How often it was asked for."""
        self.stop = asyncio.Event()
        self.takes_any_history: str | None = None
        """Why this provider accepts histories that OpenAI refuses; None: it refuses them, too."""
        self.refused: list[str] = []
        """Why histories were refused."""
        self.thought: list[Thought] = []
        """The thinking in the answers by Messages so far."""
        self._scripts: deque[Script] = deque()

    def play(self, *wanted: Answer | Script) -> None:
        """Answer the next requests so; one without a script gets 400 `no_script`."""
        self._scripts.extend(script(each) if isinstance(each, Answer) else each for each in wanted)

    def forget_scripts(self) -> None:
        """Answer nothing that was to be played, and forget what came."""
        self._scripts.clear()
        self.requests.clear()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        port = request.transport.get_extra_info("peername")[1] if request.transport is not None else 0
        messages = self.messages if request.path.endswith("/messages") else None
        body = await request.json()
        asked = ProviderRequest(request.path, body, dict(request.headers), port, messages=messages)
        number = len(self.requests)
        self.requests.append(asked)
        chosen = self._choose_script(asked)
        steps = chosen.write(asked, number)
        if messages is not None:
            self.thought.append(messages.thinking_in(each for each in steps if isinstance(each, bytes)))
        try:
            return await _play(request, chosen, steps)
        except (asyncio.CancelledError, ConnectionError):
            asked.hung_up.set()
            raise

    def _find_refusal(self, asked: ProviderRequest) -> str | None:
        if self.takes_any_history is not None:
            return None
        if asked.messages is not None:
            return asked.messages.find_refusal(asked.body, self.thought)
        return find_refusal(asked.path, asked.body)

    def _choose_script(self, asked: ProviderRequest) -> Script:
        refusal = self._find_refusal(asked)
        if refusal is not None:
            self.refused.append(refusal)
            return fails(400, refusal)
        return self._scripts.popleft() if self._scripts else _NO_SCRIPT

    async def list_models(self, request: web.Request) -> web.StreamResponse:
        self.listings += 1
        if isinstance(self.models, Script):
            return await _play(
                request, self.models, self.models.write(ProviderRequest(request.path, {}, {}), 0)
            )
        listed = [{"id": name, "object": "model", "created": 1, "owned_by": "tests"} for name in self.models]
        return web.json_response({"object": "list", "data": listed})


@asynccontextmanager
async def scripted_provider(messages: MessagesSide | None = None) -> AsyncGenerator[ScriptedProvider]:
    """A provider on a free port of this machine. `messages`: None: it does not speak that protocol."""
    provider = ScriptedProvider(messages)
    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/responses", provider.answer)
    app.router.add_post("/v1/chat/completions", provider.answer)
    if messages is not None:
        app.router.add_post("/v1/messages", provider.answer)
    app.router.add_get("/v1/models", provider.list_models)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        provider.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield provider
        assert provider.refused == [], f"a request left with a refused history: {provider.refused[:2]}"
    finally:
        await runner.cleanup()


async def _play(request: web.Request, chosen: Script, steps: Sequence[Step]) -> web.StreamResponse:
    response = web.StreamResponse(status=chosen.status, headers=dict(chosen.headers))
    if steps[:1] != [None] and steps[:1] != (None,):
        await response.prepare(request)
    for step in steps:
        if isinstance(step, bytes):
            await response.write(step)
        elif step is not None:
            await step.wait()
        elif request.transport is not None:
            request.transport.abort()
            raise ConnectionResetError
    return response


def _pieces(step: Step, size: int) -> list[Step]:
    if not isinstance(step, bytes):
        return [step]
    return [step[start : start + size] for start in range(0, len(step), size)]


def _replaced(step: Step, pattern: bytes, by: bytes) -> Step:
    return re.sub(pattern, by, step) if isinstance(step, bytes) else step
