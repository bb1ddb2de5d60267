"""
title: Subquery (Direct Tool Bridge)
author: Direct Tool Bridge contributors
version: 0.1.0
license: MIT
required_open_webui_version: 0.11.0
description: A model gives a task to itself, with the tools of the chat and of a Direct Tool Bridge.
"""

import asyncio
import json
import logging
import os
import re
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, cast
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


# -------- subquery.py

INHERITED = ("temperature", "top_p", "max_tokens", "reasoning_effort", "verbosity")
"""Options of the chat that a subquery has, too."""

FILE_CHARS = 50_000
"""Of the text of one file."""

_is_within: ContextVar[bool] = ContextVar("is_within_subquery", default=False)
"""Whether the current task runs for a subquery, whatever this tool is called."""


class Tools:
    """The tools of this file: one."""

    class Valves(BridgeValves):
        """Settings of the administrator."""

        MODEL: str = Field(default="", description="A model of the bridge; empty: the chat's own.")
        TOOL_TIMEOUT_SECONDS: int = Field(
            default=60, ge=1, le=600, description="Time limit of one call, in seconds."
        )
        MAX_PARALLEL_TOOLS_PER_REQUEST: int = Field(
            default=5, ge=1, le=50, description="Maximum parallel calls."
        )

    class UserValves(BaseModel):
        """Settings of a user."""

        BRIDGE_KEY: str = Field(
            default="", description="Your own key for the bridge.", json_schema_extra=PASSWORD
        )

    def __init__(self) -> None:
        self.valves = self.Valves()
        self.max_rounds = 8

    async def subquery(
        self,
        prompt: str,
        include_recent_messages: int = 0,
        __user__: Json | None = None,
        __metadata__: Json | None = None,
        __messages__: list[Json] | None = None,
        __files__: list[Json] | None = None,
        __model__: Json | None = None,
        __request__: Any = None,
        __event_emitter__: Emitter | None = None,
        __event_call__: Emitter | None = None,
        __id__: str = "",
    ) -> str:
        """
        Give a focused task to a copy of yourself, which has the same tools. You get its answer only.

        :param prompt: The task, complete in itself: what to find or do, and what to answer.
        :param include_recent_messages: How many of the latest messages of this chat it reads first.
        """
        _check_given(__request__, __user__, __model__)
        if _is_within.get():
            return "[Subquery] a subquery cannot start another one: do the task yourself."
        emit = QuietEmitter(__event_emitter__)
        metadata, user = __metadata__ or {}, __user__ or {}
        token = _is_within.set(True)
        try:
            await emit(status("Working on a part of the question…"))
            bridge = Bridge(
                self.valves.BRIDGE_URL.rstrip("/"),
                who_asks(user, self.valves.BRIDGE_KEY, self.valves.USER_JWT_SECRET),
            )
            tools = _tools_without(__id__, metadata, with_direct=__event_call__ is not None)
            messages = recent(__messages__ or [], include_recent_messages)
            request: Json = {
                **options_of({name: as_object(metadata.get("params")).get(name) for name in INHERITED}),
                "model": await self._model(bridge, __model__ or {}),
                "messages": [*messages, {"role": "user", "content": _with_files(prompt, __files__ or [])}],
                "store": False,
            }
            if tools:
                request["tools"] = [tool.definition for tool in tools.values()]
            runner = self._runner(tools, metadata, __event_call__)
            headers = {"X-Tool-Bridge-Calls": "items", "X-Tool-Bridge-Markers": "off", **_chat(metadata)}
            return await _told(Answer(bridge, request, headers, runner, emit, self.max_rounds))
        except BridgeFailure as failure:
            return f"[Subquery] failed: {failure}"
        except Exception as error:
            log.exception("A subquery failed.")
            return f"[Subquery] failed: {error or type(error).__name__}"
        finally:
            _is_within.reset(token)
            await emit(STATUS_END)

    def _runner(self, tools: dict[str, Tool], metadata: Json, event_call: Emitter | None) -> Runner:
        gate = asyncio.Semaphore(self.valves.MAX_PARALLEL_TOOLS_PER_REQUEST)
        asks = as_object(metadata.get("params")).get("tool_approval_mode") == "ask"
        session_id = metadata.get("session_id")
        return Runner(tools, self.valves.TOOL_TIMEOUT_SECONDS, (gate,), session_id, event_call, asks)

    async def _model(self, bridge: Bridge, model: Json) -> str:
        """The bridge's name for the model: the valve's, or that of the chat's model.

        Raises:
            BridgeFailure: the bridge does not know it.
        """
        known = [each["id"] for each in await bridge.models()]
        based_on = as_object(model.get("info")).get("base_model_id")
        for name in (self.valves.MODEL, based_on, model.get("id")):
            for form in (name, str(name).partition(".")[2]) if name else ():
                if form in known:
                    return form
        asked = self.valves.MODEL or model.get("id")
        raise BridgeFailure(f"the bridge has no model '{asked}'. The valve MODEL takes: {', '.join(known)}.")


def _check_given(request: Any, user: Any, model: Any) -> None:
    """See that Open WebUI gave what a tool may ask for.

    Raises:
        RuntimeError: what is missing.
    """
    if request is None:
        raise RuntimeError("[Subquery] __request__ was not injected")
    if user is None:
        raise RuntimeError("[Subquery] __user__ was not injected")
    if not as_object(model).get("id"):
        raise RuntimeError("[Subquery] could not determine current model id from __model__")


def _tools_without(own_id: str, metadata: Json, *, with_direct: bool) -> dict[str, Tool]:
    """The tools of the chat but this one, whatever it is called."""
    entries = {
        name: entry
        for name, entry in as_object(metadata.get("tools")).items()
        if not own_id or as_object(entry).get("tool_id") != own_id
    }
    servers = as_objects(metadata.get("tool_servers"))
    tools = tools_of(entries, servers, with_direct=with_direct and bool(metadata.get("session_id")))
    return {name: tool for name, tool in tools.items() if tool.spec.get("name") != "subquery"}


def recent(messages: Sequence[Json], count: int) -> list[Json]:
    """The last `count` messages that say something, bare of everything but role and content."""
    said = [
        {"role": message["role"], "content": message["content"]}
        for message in messages
        if message.get("role") in ("system", "user", "assistant") and message.get("content")
    ]
    return said[-count:] if count > 0 else []


def _with_files(prompt: str, files: Sequence[Json]) -> str | list[Json]:
    """The prompt with the files of the chat: images, and the text of others."""
    parts: list[Json] = []
    for entry in files:
        about = as_object(entry.get("file"))
        text = as_object(about.get("data")).get("content")
        if entry.get("type") == "image" and entry.get("url"):
            parts.append({"type": "image_url", "image_url": {"url": entry["url"]}})
        elif isinstance(text, str):
            name = entry.get("name") or about.get("filename") or "file"
            parts.append({"type": "text", "text": f"File {name}:\n{text[:FILE_CHARS]}"})
    return [*parts, {"type": "text", "text": prompt}] if parts else prompt


def _chat(metadata: Json) -> dict[str, str]:
    told = {"Chat-Id": metadata.get("chat_id"), "Message-Id": metadata.get("message_id")}
    return {f"X-OpenWebUI-{name}": str(value) for name, value in told.items() if value}


async def _told(answer: Answer) -> str:
    """What the model said after its last call; images of results are shown to the user."""
    said: dict[Any, str] = {}
    async with aclosing(answer.events()) as events:
        async for event in events:
            if event["type"] == "response.output_text.delta":
                place = event["output_index"]
                said[place] = said.get(place, "") + event["delta"]
            elif event["type"] in ("run", "response.begun") or _is_output(event):
                said.clear()
            if event["type"] == "run" and event["result"].images:
                files = [{"type": "image", "url": url} for url in event["result"].images]
                await answer.emit({"type": "files", "data": {"files": files}})
    text = "\n\n".join(each.strip() for each in said.values() if each.strip())
    if answer.limit_reached:
        text += f"\n\n[Subquery] reached max_rounds={answer.max_rounds}; this is what it had by then."
    return text.strip()


def _is_output(event: Json) -> bool:
    return as_object(event.get("item")).get("type") == "function_call_output"
