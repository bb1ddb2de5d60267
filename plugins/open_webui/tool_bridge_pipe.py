"""
title: Direct Tool Bridge
author: Direct Tool Bridge contributors
version: 0.1.0
license: MIT
required_open_webui_version: 0.11.0
description: The models of a Direct Tool Bridge: its loop and its memory, with the tools of Open WebUI.
"""

import asyncio
import html
import json
import logging
import os
import re
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from urllib.parse import quote

import aiohttp
import jwt
from pydantic import BaseModel, Field, JsonValue

# -------- json_values.py: Values of JSON, as others send them: what is not of the type that is expected is taken as empty.

Json = dict[str, Any]


def as_object(value: Any) -> Json:
    """An object, or an empty one."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[Json]:
    """The objects of an array."""
    return [cast(Json, each) for each in as_array(value) if isinstance(each, dict)]


def as_array(value: Any) -> list[Any]:
    """An array, or an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


# -------- asking.py: The user on whose behalf the bridge is asked, and Open WebUI's status messages.

Emitter = Callable[[Json], Awaitable[Any]]

STATUS_END: Json = {"type": "status", "data": {"description": "", "done": True, "hidden": True}}
SECRET_NAME = "FORWARD_USER_INFO_HEADER_JWT_SECRET"
"""Environment variable of Open WebUI. It is not the default of a valve: many people may read those."""

TOKEN_S = 300
"""Seconds for which a token that names the user is valid."""

PASSWORD: dict[str, JsonValue] = {"input": {"type": "password"}}

log = logging.getLogger(__name__)


class BridgeValves(BaseModel):
    """The address of the bridge, and how the user is identified."""

    BRIDGE_URL: str = Field(
        default="http://127.0.0.1:8765",
        description="Address at which Open WebUI's server reaches the bridge.",
    )
    BRIDGE_KEY: str = Field(
        default="",
        description="A key of the bridge; for several users, a forwarder's key.",
        json_schema_extra=PASSWORD,
    )
    USER_JWT_SECRET: str = Field(
        default="",
        description="Secret that signs the user's identity, for a forwarder's key; empty: Open WebUI's own.",
        json_schema_extra=PASSWORD,
    )


def who_asks(user: Json, key: str, jwt_secret: str) -> Json:
    """Return the headers that identify the user: the user's own key, or a name beside a forwarder's key."""
    if own_key := getattr(user.get("valves"), "BRIDGE_KEY", ""):
        return {"Authorization": f"Bearer {own_key}"}
    named = {"Authorization": f"Bearer {key}"}
    if not user.get("id"):
        return named
    about = {name: str(user.get(name) or "") for name in ("name", "email", "role")}
    secret = jwt_secret or os.environ.get(SECRET_NAME, "").strip()
    if not secret:
        named_user = {"Id": str(user["id"]), "Name": about["name"], "Email": about["email"]}
        return {
            **named,
            **{f"X-OpenWebUI-User-{name}": quote(value, safe=" @") for name, value in named_user.items()},
        }
    now = int(time.time())
    claims = {"sub": str(user["id"]), "iss": "open-webui", "iat": now, "exp": now + TOKEN_S, **about}
    return {**named, "X-OpenWebUI-User-Jwt": jwt.encode(claims, secret, "HS256")}


class QuietEmitter:
    """An emitter that never fails: an event that Open WebUI refuses does not end the answer."""

    def __init__(self, emitter: Emitter | None) -> None:
        self._emitter = emitter
        self._is_status_open = True

    async def __call__(self, event: Json) -> None:
        """Emit an event."""
        if event.get("type") == "status":
            self._is_status_open = not event["data"].get("done")
        if self._emitter is None:
            return
        try:
            await self._emitter(event)
        except Exception as error:
            log.warning("Open WebUI did not accept an event: %s", error)

    async def end_status(self) -> None:
        """Hide the statuses, unless the last one is done: the bridge has ended them, and one may stay."""
        if self._is_status_open:
            await self(STATUS_END)


def notification(level: str, text: str) -> Json:
    """A toast. `level`: `info`, `success`, `warning` or `error`."""
    return {"type": "notification", "data": {"type": level, "content": text}}


def status(description: str) -> Json:
    """A status line for what is happening."""
    return {"type": "status", "data": {"description": description, "done": False}}


# -------- bridge_client.py: A client of the bridge: its models, and the events of a response.

OK = 200
CONNECT_S = 30
LIST_S = 10
"""Seconds for the list of models, for which Open WebUI's own list waits."""
SILENCE_S = 120
"""Seconds of silence after which the bridge counts as gone; it sends something every 15 s."""

ENDINGS = ("response.completed", "response.incomplete", "response.failed")


class BridgeFailure(Exception):
    """Why there is no answer; the message is for the user."""


@dataclass(frozen=True)
class Bridge:
    """A running bridge, and the headers that identify the user."""

    url: str
    headers: Mapping[str, str]

    async def models(self) -> list[Json]:
        """The models of the bridge."""
        async with self._asking(LIST_S) as session, session.get(f"{self.url}/v1/models") as answer:
            if answer.status != OK:
                raise BridgeFailure(_refusal(answer.status, await answer.text()))
            return [model for model in as_objects((await answer.json())["data"]) if model.get("id")]

    async def events(self, body: Json, headers: Mapping[str, str]) -> AsyncGenerator[Json]:
        """The events of a response. Closing it closes the connection, which cancels the response."""
        address = f"{self.url}/v1/responses"
        try:
            async with (
                self._asking(None) as session,
                session.post(address, json={**body, "stream": True}, headers=headers) as answer,
            ):
                if answer.status != OK:
                    raise BridgeFailure(_refusal(answer.status, await answer.text()))
                async for event in _events_of(answer.content):
                    yield event
        except TimeoutError:
            raise BridgeFailure(f"The bridge at {self.url} stopped answering.") from None
        except aiohttp.ClientError as error:
            message = (
                f"The bridge at {self.url} does not answer. Is it running, and can Open WebUI reach it there?"
            )
            raise BridgeFailure(message) from error

    def _asking(self, seconds: float | None) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_S, sock_read=SILENCE_S)
        return aiohttp.ClientSession(timeout=timeout, headers=self.headers)


async def _events_of(content: aiohttp.StreamReader) -> AsyncGenerator[Json]:
    buffer = b""
    async for chunk in content.iter_any():
        buffer += chunk
        if b"\n\n" in buffer[-len(chunk) - 1 :]:
            *frames, buffer = buffer.split(b"\n\n")
            for event in filter(None, map(_event_of, frames)):
                yield event


def _event_of(frame: bytes) -> Json | None:
    lines = [line[5:].strip() for line in frame.splitlines() if line.startswith(b"data:")]
    return json.loads(b"\n".join(lines)) if lines and lines != [b"[DONE]"] else None


def _refusal(status: int, text: str) -> str:
    try:
        message = json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        message = text[:300] or "no reason was given"
    return f"The bridge answered with {status}: {message}"


# -------- results.py: What tools give: results as models read them, images and embedded pages as users see them.

MAX_RESULT_CHARS = 200_000
"""Of one result that a model is given."""

MAX_REASON_CHARS = 300
"""Of the reason for a failure, for people."""

IMAGE = "data:image/"

ANSWER_HEADERS = "x-tool-bridge-answer-headers"
"""Header of the bridge's tool server: what the headers of an API's answer tell, as JSON."""

MAX_TOLD_CHARS = 4096


@dataclass(frozen=True)
class Result:
    """What a call gave."""

    text: str
    images: Sequence[str] = ()
    """Addresses, or the images themselves as `data:` addresses."""
    embeds: Sequence[str] = ()
    """Pages, or their addresses."""
    has_failed: bool = False

    @property
    def output(self) -> str | list[Json]:
        """For the model."""
        images = [{"type": "input_image", "image_url": url} for url in self.images]
        return [{"type": "input_text", "text": self.text}, *images] if images else self.text


def failed(message: str) -> Result:
    """A failure, as a model reads it."""
    return Result(json.dumps({"error": message}, ensure_ascii=False), has_failed=True)


def reason_of(failure: Result) -> str:
    """Why a call failed, for people."""
    try:
        error = as_object(json.loads(failure.text)).get("error")
    except ValueError:
        error = failure.text
    return str(error)[:MAX_REASON_CHARS]


def result_of(name: str, raw: Any, *, is_direct: bool) -> Result:
    """What a tool returned, or a browser answered (`is_direct`): a value, perhaps paired with headers."""
    data, headers = _parted(raw, list if is_direct else tuple)
    images: list[str] = []
    embeds: list[str] = []
    if "inline" in headers.get("content-disposition", ""):
        pair = as_array(data)
        shown, context = pair if len(pair) == _PAIR else (data, None)
        embed = shown if "text/html" in headers.get("content-type", "") else headers.get("location")
        if embed:
            embeds.append(str(embed))
            data = context or f"{name}: the result is shown to the user."
    if isinstance(data, str) and data.startswith(IMAGE):
        images.append(data)
        data = f"{name}: Image file read successfully."
    elif isinstance(data, list):
        data = [_part(part, images) for part in as_array(data)]
    has_failed = bool(as_object(data).get("error"))
    if told := _told_headers(headers):
        data = {"result": data, "headers": told}
    return Result(_text(data), images, embeds, has_failed)


_PAIR = 2


def _text(data: Any) -> str:
    if data is None:
        return ""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
    if len(text) <= MAX_RESULT_CHARS:
        return text
    return f"{text[:MAX_RESULT_CHARS]}\n[Cut: {len(text) - MAX_RESULT_CHARS} characters more.]"


def _parted(raw: Any, pair_type: type) -> tuple[Any, dict[str, str]]:
    """Data and headers: of tool servers and browsers, which give pairs, and of HTML of Python tools."""
    first, second = cast(Sequence[Any], raw) if _is_pair(raw, pair_type) else (raw, None)
    if hasattr(first, "body") and hasattr(first, "headers"):
        text = bytes(first.body).decode("utf-8", "replace")
        return ([text, second] if second else text), _headers(first.headers)
    if first is not raw and (second is None or isinstance(second, Mapping)):
        return first, _headers(second)
    return raw, {}


def _is_pair(value: Any, pair_type: type) -> bool:
    return isinstance(value, pair_type) and len(cast(Sequence[Any], value)) == _PAIR


def _headers(pairs: Any) -> dict[str, str]:
    found = cast(Mapping[Any, Any], pairs or {})
    return {str(name).lower(): str(value) for name, value in found.items()}


def _told_headers(headers: Mapping[str, str]) -> Json:
    """What the headers of an API's answer tell, such as its next page; beside lists it stands already."""
    line = headers.get(ANSWER_HEADERS, "")
    try:
        return as_object(json.loads(line)) if 0 < len(line) <= MAX_TOLD_CHARS else {}
    except ValueError:
        return {}


def _part(value: Any, images: list[str]) -> Any:
    """One part of an array: a content part of MCP, an image, or anything else."""
    part = as_object(value)
    match part.get("type"):
        case "text" if "text" in part:
            return part["text"]
        case "image" if "data" in part:
            images.append(f"data:{part.get('mimeType')};base64,{part['data']}")
            return "[image]"
        case "resource" if resource := as_object(part.get("resource")):
            return resource.get("text") or resource.get("uri") or "[a file that is not text]"
        case _ if isinstance(value, str) and value.startswith(IMAGE):
            images.append(value)
            return "[image]"
        case _:
            return value


# -------- tools.py: Tools of Open WebUI: what a model is told of them, and how they are run.

NAME_CHARS = 64
"""Of a tool's name, for providers of models."""


@dataclass(frozen=True)
class Tool:
    """A tool of Open WebUI."""

    name: str
    """As the model knows it."""
    own_name: str
    entry: Json
    """As Open WebUI describes it: `spec`, and `callable`, or `direct` and `server`."""

    @property
    def spec(self) -> Json:
        """Name, description and parameters."""
        return as_object(self.entry.get("spec"))

    @property
    def definition(self) -> Json:
        """As the bridge is told of it."""
        parameters = as_object(self.spec.get("parameters")) or {"type": "object", "properties": {}}
        description = self.spec.get("description") or self.own_name
        about: Json = {"description": description, "parameters": parameters, "strict": False}
        return {"type": "function", "name": self.name, **about}

    @property
    def title(self) -> str:
        """For people."""
        return self.own_name.replace("_", " ").title() if "_" in self.own_name else self.own_name

    @property
    def is_direct(self) -> bool:
        """The user's browser performs it."""
        return not callable(self.entry.get("callable"))

    def known(self, arguments: Json) -> Json:
        """The arguments that the tool declares, or all when it takes any."""
        schema = as_object(self.spec.get("parameters"))
        takes_any = "properties" not in schema or schema.get("additionalProperties")
        if takes_any or self.entry.get("type") == "mcp":  # which checks them itself
            return arguments
        declared = as_object(schema["properties"])
        return {name: value for name, value in arguments.items() if name in declared}


def tools_of(entries: Mapping[str, Any], servers: Sequence[Json], *, with_direct: bool) -> dict[str, Tool]:
    """The tools of a chat by the names that a provider takes; entries that are no tools are left out.

    `servers`: direct tool servers, whose tools Open WebUI may not have put among the `entries`.
    """
    found: dict[str, Tool] = {}
    for own_name, entry in {**dict(_of_servers(servers)), **entries}.items():
        name = re.sub(r"[^A-Za-z0-9_-]", "_", own_name)[:NAME_CHARS]
        while name in found:
            name = f"{name[: NAME_CHARS - 5]}_{len(found):04}"
        tool = Tool(name, own_name, as_object(entry))
        if tool.spec and (with_direct or not tool.is_direct):
            found[name] = tool
    return found


def _of_servers(servers: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    for server in servers:
        known = {name: value for name, value in server.items() if name not in ("specs", "system_prompt")}
        for spec in as_objects(server.get("specs")):
            if isinstance(name := spec.get("name"), str) and name.strip():
                yield name, {"spec": spec, "direct": True, "server": known}


@dataclass
class Runner:
    """Runs calls of one chat."""

    tools: Mapping[str, Tool]
    timeout_s: float
    gates: Sequence[asyncio.Semaphore]
    """All of them must let a call in."""
    session_id: str | None
    event_call: Emitter | None
    asks: bool
    """The user wants to be asked before each call."""

    async def run(self, call: Json) -> Result:
        """The result of a call; failures are results, too. Cancelling ends the wait."""
        tool = self.tools[call["name"]]
        try:
            read = json.loads(call.get("arguments") or "{}")
        except ValueError as error:
            return failed(f"Invalid arguments: unable to parse tool arguments: {error}.")
        if not isinstance(read, dict):
            kind = type(read).__name__
            return failed(f"Invalid arguments: tool arguments must be a JSON object, got {kind}.")
        arguments = tool.known(cast(Json, read))
        if not await self._is_allowed(call, arguments):
            return failed("The user did not approve this call. It was not performed.")
        async with AsyncExitStack() as gates:
            for gate in self.gates:
                await gates.enter_async_context(gate)
            return await self._ran(tool, arguments)

    async def _ran(self, tool: Tool, arguments: Json) -> Result:
        try:
            async with asyncio.timeout(self.timeout_s):
                return result_of(
                    tool.own_name, await self._performed(tool, arguments), is_direct=tool.is_direct
                )
        except TimeoutError:
            who = "the browser" if tool.is_direct else "the tool"
            return failed(f"Tool error: timed out after {self.timeout_s:g} s (no answer from {who}).")
        except Exception as error:
            log.exception("The tool %s failed.", tool.own_name)
            return failed(f"Tool error: {error or type(error).__name__}")

    async def _performed(self, tool: Tool, arguments: Json) -> Any:
        if not tool.is_direct:
            return await tool.entry["callable"](**arguments)
        if self.event_call is None:
            return {"error": "Direct tool execution unavailable: no browser is connected."}
        data = {
            "id": str(uuid.uuid4()),
            "name": tool.spec.get("name") or tool.own_name,
            "params": arguments,
            "server": as_object(tool.entry.get("server")),
            "session_id": self.session_id,
        }
        return await self.event_call({"type": "execute:tool", "data": data})

    async def _is_allowed(self, call: Json, arguments: Json) -> bool:
        if not self.asks:
            return True
        shown = {"id": call["call_id"], "name": call["name"], "arguments": arguments}
        asked = {"type": "confirmation", "data": {"tool_call": shown}}
        return self.event_call is not None and await self.event_call(asked) is True


# -------- answer.py: One answer: responses of the bridge and calls of Open WebUI's tools, in turns, until none is left.

SKIPPED = Result(
    "TOOL_CALL_SKIPPED: tool-call loop limit reached. Answer with what you have.", has_failed=True
)


@dataclass
class Answer:
    """An answer on its way. Closing `events` ends the response that is made, and the calls that run."""

    bridge: Bridge
    request: Json
    """The first request to `/v1/responses`: the chat is its `messages`."""
    headers: Mapping[str, str]
    runner: Runner
    emit: Emitter
    max_rounds: int
    usage: Json = field(default_factory=dict[str, Any])
    handed_over: Sequence[Json] = ()
    """Calls that Open WebUI, or its caller, has to run, once the events have ended."""
    limit_reached: bool = False
    _done: list[Json] = field(default_factory=list[Json])
    """Calls that were run here, each followed by its output."""

    @property
    def names_handed_over(self) -> frozenset[str]:
        """Of the functions that are offered and not run here."""
        offered = (tool.get("name") or tool["function"]["name"] for tool in self.request.get("tools", ()))
        return frozenset(offered) - self.runner.tools.keys()

    async def events(self) -> AsyncGenerator[Json]:
        """Events of the responses; `{"type": "run", "call", "result"}` for a call that was run here.

        Raises:
            BridgeFailure: the rest of the answer will not come.
        """
        request = self.request
        while True:
            response: Json = {}
            yield {"type": "response.begun"}
            async with aclosing(self.bridge.events(self._limited(request), self.headers)) as events:
                async for event in events:
                    if event["type"] in ENDINGS:
                        response = event["response"]
                    elif "event" in event:
                        await self.emit(event["event"])
                    elif event["type"] == "error":
                        raise BridgeFailure(event.get("message") or "The bridge failed.")
                    else:
                        yield event
            calls = self._waiting(response)
            if response["status"] == "incomplete":
                reason = as_object(response.get("incomplete_details")).get("reason") or "no reason was given"
                await self.emit(notification("warning", f"The answer is cut off: {reason}."))
            if any(call["name"] not in self.runner.tools for call in calls):
                self.handed_over = calls
                return
            if not calls or self.limit_reached:
                return
            self.limit_reached = self.usage.get("turn_count", 0) >= self.max_rounds
            outputs: list[Json] = []
            async with aclosing(self._run(calls)) as ran:
                async for call, result in ran:
                    output = {
                        "type": "function_call_output",
                        "call_id": call["call_id"],
                        "output": result.output,
                    }
                    outputs.append(output)
                    self._done += [call, output]
                    yield {"type": "run", "call": call, "result": result}
            request = self._next(response, outputs)

    def _limited(self, request: Json) -> Json:
        rounds = max(1, self.max_rounds - self.usage.get("turn_count", 0))
        return {**request, "max_function_call_loops": rounds}

    def _waiting(self, response: Json) -> list[Json]:
        """The calls of a response that the bridge has not run.

        Raises:
            BridgeFailure: there is no whole response.
        """
        if not response:
            raise BridgeFailure("The bridge broke off the answer.")
        self.usage = summed(self.usage, as_object(response.get("usage")))
        if response["status"] == "failed":
            raise BridgeFailure(as_object(response.get("error")).get("message") or "The model failed.")
        if response["status"] != "completed":
            return []
        answered = {
            item.get("call_id") for item in response["output"] if item["type"] == "function_call_output"
        }
        calls = [item for item in response["output"] if item["type"] == "function_call"]
        return [call for call in calls if call["call_id"] not in answered]

    async def _run(self, calls: Sequence[Json]) -> AsyncGenerator[tuple[Json, Result]]:
        """Run calls together; their results in the order of the calls, each behind those before it."""
        if self.limit_reached:
            for call in calls:
                yield call, SKIPPED
            return
        names = ", ".join(self.runner.tools[call["name"]].title for call in calls)
        words = f"Running {names}…" if len(calls) == 1 else f"Running {len(calls)} tools: {names}…"
        await self.emit(status(words))
        tasks = [asyncio.create_task(self.runner.run(call), name=call["name"]) for call in calls]
        try:
            for call, task in zip(calls, tasks, strict=True):
                result = await task
                if result.has_failed:
                    title = self.runner.tools[call["name"]].title
                    await self.emit(notification("warning", f"Tool '{title}' failed: {reason_of(result)}"))
                yield call, result
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _next(self, response: Json, outputs: list[Json]) -> Json:
        """The request that continues a response; the whole chat again where the bridge has not stored it."""
        going_on = {name: value for name, value in self.request.items() if name != "messages"}
        if response.get("store") is False:
            request = {**self.request, "input": [*self._done]}
        else:
            told = {"instructions": response.get("instructions"), "previous_response_id": response["id"]}
            request = {**going_on, **told, "input": outputs}
        return {**request, "tool_choice": "none"} if self.limit_reached else request


def summed(one: Json, other: Json) -> Json:
    """Numbers added, at every depth."""
    whole = dict(one)
    for name, value in other.items():
        before = whole.get(name)
        if isinstance(value, dict):
            whole[name] = summed(as_object(before), as_object(value))
        elif isinstance(value, int | float):
            whole[name] = value + (before if isinstance(before, int | float) else 0)
        else:
            whole[name] = value
    return whole


# -------- chat_options.py: Options of chat requests, under the names that a response has for them.

UNTRANSLATED = frozenset(
    {
        *("model", "messages", "stream", "stream_options", "tools"),
        *("tool_choice", "functions", "function_call", "prompt", "suffix"),
        *("n", "stop", "seed", "logit_bias", "logprobs"),
        *("frequency_penalty", "presence_penalty", "max_tokens", "max_completion_tokens", "reasoning_effort"),
        *("response_format", "verbosity", "metadata", "features", "files"),
        *("chat_id", "session_id", "id", "user"),
    }
)
"""Members that no response has, or has under another name."""


def options_of(body: Json) -> Json:
    """The options of a chat request; what a response has no option for is left out."""
    options = {name: value for name, value in body.items() if name not in UNTRANSLATED and value is not None}
    if limit := body.get("max_completion_tokens") or body.get("max_tokens"):
        options["max_output_tokens"] = limit
    if effort := body.get("reasoning_effort"):
        options["reasoning"] = {**as_object(options.get("reasoning")), "effort": effort}
    if form := as_object(body.get("response_format")):
        options["text"] = {"format": {"type": form.get("type"), **as_object(form.get("json_schema"))}}
    if isinstance(body.get("tool_choice"), str):
        options["tool_choice"] = body["tool_choice"]
    return options


# -------- shown.py: An answer as Open WebUI shows it: items that it stores, or text with blocks of `<details>`.

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


# -------- pipe.py

try:  # inside Open WebUI
    from open_webui.models.models import (  # pyright: ignore[reportMissingModuleSource]
        ModelForm,
        Models,
    )
except ImportError:  # outside, where there are no records of models
    ModelForm = Models = None


BUG = "The pipe failed. The log of Open WebUI says why."


@dataclass(frozen=True)
class Asked:
    """A request of Open WebUI to the pipe."""

    body: Json
    user: Json
    metadata: Json
    task: str | None
    emit: QuietEmitter
    event_call: Emitter | None

    @property
    def own(self) -> Any:
        """The user's valves."""
        return self.user.get("valves")

    @property
    def is_legacy(self) -> bool:
        """Whether Open WebUI runs tools by prompting, not by native function calls."""
        return as_object(self.metadata.get("params")).get("function_calling") in ("legacy", "default")


class Pipe:
    """Models of a bridge as models of Open WebUI."""

    class Valves(BridgeValves):
        """Settings of the administrator."""

        TOOL_EXECUTION_MODE: Literal["Pipeline", "Open-WebUI"] = Field(
            default="Pipeline",
            description="Who runs Open WebUI's tools: this pipe, or Open WebUI's own loop.",
        )
        SHOW_TOOL_CARDS: Literal["items", "details", "off"] = Field(
            default="items",
            description="Tool calls appear as Open WebUI's items, as details in the text, or not at all.",
        )
        MAX_FUNCTION_CALL_LOOPS: int = Field(
            default=25, ge=1, le=1000, description="Maximum rounds of the model in one answer."
        )
        MAX_PARALLEL_TOOLS_PER_REQUEST: int = Field(
            default=5, ge=1, le=50, description="Maximum parallel calls of one answer."
        )
        MAX_PARALLEL_TOOLS_GLOBAL: int = Field(
            default=200, ge=1, le=2000, description="Maximum parallel calls of all answers."
        )
        TOOL_TIMEOUT_SECONDS: int = Field(
            default=60, ge=1, le=600, description="Time limit of one call of a tool of Open WebUI."
        )
        PERSIST_TOOL_RESULTS: bool = Field(
            default=True, description="The bridge stores reasoning and results for later turns."
        )
        ENABLE_REASONING_SUMMARY: Literal["", "auto", "concise", "detailed"] = Field(
            default="", description="Summaries of the model's reasoning; empty: the bridge's setting."
        )
        TRUNCATION: Literal["", "auto", "disabled"] = Field(
            default="", description="How a chat that is too long is shortened; empty: the provider's default."
        )
        PARALLEL_TOOL_CALLS: bool = Field(
            default=True, description="The model may call several tools at once."
        )
        ENABLE_WEB_SEARCH_TOOL: bool | None = Field(
            default=None, description="The provider's web search; empty: the bridge's setting."
        )
        ENABLE_NATIVE_FUNCTION_CALLING: bool = Field(
            default=True, description="Switch models to native function calling when tools need it."
        )
        LOG_LEVEL: Literal["INFO", "DEBUG"] = Field(
            default="INFO", description="DEBUG: each answer cites the log of its request."
        )

    class UserValves(BaseModel):
        """Settings of a user; empty: the administrator's setting applies."""

        BRIDGE_KEY: str = Field(
            default="", description="Your own key for the bridge.", json_schema_extra=PASSWORD
        )
        SHOW_TOOL_CARDS: Literal["", "items", "details", "off"] = Field(
            default="", description="How tool calls are shown."
        )
        PERSIST_TOOL_RESULTS: bool | None = Field(
            default=None, description="The bridge stores reasoning and results."
        )
        LOG_LEVEL: Literal["INHERIT", "INFO", "DEBUG"] = Field(
            default="INHERIT", description="DEBUG: each answer cites the log of its request."
        )

    def __init__(self) -> None:
        self.valves = self.Valves()
        self.name = "Tool Bridge: "
        """Open WebUI shows it before the names of the models, which a connection to the bridge lists, too."""
        self._known: list[Json] = []
        self._all_calls = (0, asyncio.Semaphore(1))

    async def pipes(self) -> list[Json]:
        """List the bridge's models; while it does not answer, those listed last."""
        headers = {"Authorization": f"Bearer {self.valves.BRIDGE_KEY}"}
        try:
            models = await Bridge(self.valves.BRIDGE_URL.rstrip("/"), headers).models()
            self._known = [{"id": model["id"], "name": model.get("name") or model["id"]} for model in models]
        except Exception as error:
            log.warning("The models of the bridge cannot be listed: %s", error)
        return self._known or [{"id": "unavailable", "name": "not reachable, see its valves"}]

    async def pipe(
        self,
        body: Json,
        __user__: Json,
        __metadata__: Json,
        __tools__: Mapping[str, Json] | None = None,
        __task__: str | None = None,
        __event_emitter__: Emitter | None = None,
        __event_call__: Emitter | None = None,
    ) -> "str | Json | AsyncGenerator[Json]":
        """An answer: a stream for Open WebUI, or its text."""
        task = str(__task__) if __task__ else None
        asked = Asked(body, __user__, __metadata__, task, QuietEmitter(__event_emitter__), __event_call__)
        if body.get("stream"):
            return self._stream(asked, __tools__ or {})
        return await self._whole(asked, __tools__ or {})

    async def _stream(self, asked: Asked, tools: Mapping[str, Json]) -> AsyncGenerator[Json]:
        try:
            answer, names = await self._answer(asked, tools)
            cards = self._valve(asked, "SHOW_TOOL_CARDS")
            shown = as_items(answer) if cards == "items" else as_chunks(answer, Text(cards == "details"))
            async with aclosing(shown) as chunks:
                async for chunk in chunks:
                    yield chunk
            calls = [_chat_call(place, call, names) for place, call in enumerate(answer.handed_over)]
            if calls:
                yield delta({"tool_calls": calls})
            yield delta({}, "tool_calls" if calls else "stop")
        except BridgeFailure as failure:
            yield {"error": {"message": str(failure)}}
            yield delta({}, "stop")
        except Exception:
            log.exception("The pipe failed.")
            yield {"error": {"message": BUG}}
            yield delta({}, "stop")
        finally:
            await asked.emit.end_status()

    async def _whole(self, asked: Asked, tools: Mapping[str, Json]) -> str | Json:
        text = ""
        try:
            answer, names = await self._answer(asked, tools)
            written = Text(self._valve(asked, "SHOW_TOOL_CARDS") == "details")
            async with aclosing(as_chunks(answer, written)) as chunks:
                async for chunk in chunks:
                    for choice in chunk.get("choices", ()):
                        text += choice["delta"].get("content", "")
        except BridgeFailure as failure:
            return f"{text}\n\n{failure}".strip()
        except Exception:
            log.exception("The pipe failed.")
            return f"{text}\n\n{BUG}".strip()
        finally:
            await asked.emit.end_status()
        if not answer.handed_over:
            return text
        calls = [_chat_call(place, call, names) for place, call in enumerate(answer.handed_over)]
        message = {"role": "assistant", "content": text or None, "tool_calls": calls}
        return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}

    async def _answer(self, asked: Asked, entries: Mapping[str, Json]) -> tuple[Answer, dict[str, str]]:
        """Prepare the requested answer, with Open WebUI's names of its tools; nothing is sent yet."""
        tools, extra = await self._tools(asked, entries)
        runs_here = self.valves.TOOL_EXECUTION_MODE == "Pipeline"
        metadata = asked.metadata
        runner = Runner(
            tools if runs_here else {},
            self.valves.TOOL_TIMEOUT_SECONDS,
            (asyncio.Semaphore(self.valves.MAX_PARALLEL_TOOLS_PER_REQUEST), self._global_semaphore()),
            metadata.get("session_id"),
            asked.event_call,
            asks=as_object(metadata.get("params")).get("tool_approval_mode") == "ask",
        )
        request: Json = {
            **options_of(asked.body),
            **self._options(asked),
            "model": asked.body["model"].split(".", 1)[-1],
            "messages": asked.body["messages"],
        }
        if offered := [*(tool.definition for tool in tools.values()), *extra]:
            request["tools"] = offered
        bridge = Bridge(
            self.valves.BRIDGE_URL.rstrip("/"),
            who_asks(asked.user, self.valves.BRIDGE_KEY, self.valves.USER_JWT_SECRET),
        )
        rounds = self.valves.MAX_FUNCTION_CALL_LOOPS
        answer = Answer(bridge, request, self._headers(asked), runner, asked.emit, rounds)
        return answer, {name: tool.own_name for name, tool in tools.items()}

    async def _tools(self, asked: Asked, entries: Mapping[str, Json]) -> tuple[dict[str, Tool], list[Json]]:
        """Tools of Open WebUI, and definitions of tools that its caller runs."""
        if asked.task:
            return {}, []
        servers = as_objects(asked.metadata.get("tool_servers"))
        if asked.is_legacy:
            if entries or servers:
                await self._make_native(asked)
            return {}, []
        has_browser = asked.event_call is not None and bool(asked.metadata.get("session_id"))
        tools = tools_of(entries, servers, with_direct=has_browser)
        known = {tool.own_name for tool in tools.values()} | set(entries)
        definitions = as_objects(asked.body.get("tools"))
        return tools, [
            tool for tool in definitions if (as_object(tool.get("function")) or tool).get("name") not in known
        ]

    async def _make_native(self, asked: Asked) -> None:
        """Switch the model's record to native function calling, for the next request."""
        model = as_object(asked.metadata.get("model"))
        name, is_done = model.get("name") or asked.body["model"], False
        if self.valves.ENABLE_NATIVE_FUNCTION_CALLING:
            is_done = await _switched_to_native(model.get("id") or asked.body["model"])
        if is_done:
            words, level = (
                f"Enabling native function calling for model: {name}. Please re-run your query.",
                "info",
            )
        else:
            words = f"Tools need native function calling: choose it for {name} in the chat's controls."
            level = "warning"
        await asked.emit(notification(level, words))

    def _options(self, asked: Asked) -> Json:
        valves = self.valves
        options: Json = {"parallel_tool_calls": False} if not valves.PARALLEL_TOOL_CALLS else {}
        if valves.TRUNCATION:
            options["truncation"] = valves.TRUNCATION
        if valves.ENABLE_REASONING_SUMMARY:
            options["reasoning"] = {
                **as_object(options_of(asked.body).get("reasoning")),
                "summary": valves.ENABLE_REASONING_SUMMARY,
            }
        if valves.ENABLE_WEB_SEARCH_TOOL is not None:
            options["features"] = {"web_search": valves.ENABLE_WEB_SEARCH_TOOL}
        if asked.task or not self._valve(asked, "PERSIST_TOOL_RESULTS"):
            options["store"] = False
        return options

    def _headers(self, asked: Asked) -> Json:
        """Headers that say how the bridge should answer."""
        cards = self._valve(asked, "SHOW_TOOL_CARDS")
        is_shown = cards == "details" or (cards == "items" and asked.body.get("stream"))
        headers = {
            "X-Tool-Bridge-Calls": "items" if is_shown else "hidden",
            "X-Tool-Bridge-Markers": "link",
            "X-Tool-Bridge-Task": asked.task,
            "X-Tool-Bridge-Debug": "1" if self._valve(asked, "LOG_LEVEL") == "DEBUG" else None,
            "X-OpenWebUI-Chat-Id": asked.metadata.get("chat_id"),
            "X-OpenWebUI-Message-Id": asked.metadata.get("message_id"),
        }
        return {name: value for name, value in headers.items() if value}

    def _valve(self, asked: Asked, name: str) -> Any:
        """Return the user's setting, or else the administrator's."""
        own = getattr(asked.own, name, None)
        return getattr(self.valves, name) if own in (None, "", "INHERIT") else own

    def _global_semaphore(self) -> asyncio.Semaphore:
        if self._all_calls[0] != self.valves.MAX_PARALLEL_TOOLS_GLOBAL:
            limit = self.valves.MAX_PARALLEL_TOOLS_GLOBAL
            self._all_calls = (limit, asyncio.Semaphore(limit))
        return self._all_calls[1]


async def _switched_to_native(model_id: str) -> bool:
    """Switch a model's record to native function calling; false: it has no record."""
    record = await Models.get_model_by_id(model_id) if Models else None
    if record is None or Models is None or ModelForm is None:
        return False
    facts = record.model_dump()
    facts["params"] = {**as_object(facts.get("params")), "function_calling": "native"}
    return await Models.update_model_by_id(record.id, ModelForm(**facts)) is not None


def _chat_call(place: int, call: Json, names: Mapping[str, str]) -> Json:
    function = {"name": names.get(call["name"], call["name"]), "arguments": call.get("arguments") or "{}"}
    return {"index": place, "id": call["call_id"], "type": "function", "function": function}
