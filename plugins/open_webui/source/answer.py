"""One answer: responses of the bridge and calls of Open WebUI's tools, in turns, until none is left."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from plugins.open_webui.source.asking import Emitter, notification, status
from plugins.open_webui.source.bridge_client import ENDINGS, Bridge, BridgeFailure
from plugins.open_webui.source.json_values import Json, as_object
from plugins.open_webui.source.results import Result, reason_of
from plugins.open_webui.source.tools import Runner

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
