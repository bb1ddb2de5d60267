"""
title: Direct Tool Bridge
author: Direct Tool Bridge contributors
version: 0.1.0
license: MIT
required_open_webui_version: 0.11.0
description: The models of a Direct Tool Bridge: its loop and its memory, with the tools of Open WebUI.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, Field

from plugins.open_webui.source.answer import Answer
from plugins.open_webui.source.asking import (
    PASSWORD,
    BridgeValves,
    Emitter,
    QuietEmitter,
    log,
    notification,
    who_asks,
)
from plugins.open_webui.source.bridge_client import Bridge, BridgeFailure
from plugins.open_webui.source.chat_options import options_of
from plugins.open_webui.source.json_values import Json, as_object, as_objects
from plugins.open_webui.source.shown import Text, as_chunks, as_items, delta
from plugins.open_webui.source.tools import Runner, Tool, tools_of

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
