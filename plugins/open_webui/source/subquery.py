"""
title: Subquery (Direct Tool Bridge)
author: Direct Tool Bridge contributors
version: 0.1.0
license: MIT
required_open_webui_version: 0.11.0
description: A model gives a task to itself, with the tools of the chat and of a Direct Tool Bridge.
"""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any

from pydantic import BaseModel, Field

from plugins.open_webui.source.answer import Answer
from plugins.open_webui.source.asking import (
    PASSWORD,
    STATUS_END,
    BridgeValves,
    Emitter,
    QuietEmitter,
    log,
    status,
    who_asks,
)
from plugins.open_webui.source.bridge_client import Bridge, BridgeFailure
from plugins.open_webui.source.chat_options import options_of
from plugins.open_webui.source.json_values import Json, as_object, as_objects
from plugins.open_webui.source.tools import Runner, Tool, tools_of

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
