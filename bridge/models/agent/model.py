"""The port to a model: one round requested, its events streamed.

Providers that speak Chat Completions or Messages, and the demo model, are translated into Responses:
everything behind this port knows one protocol. See `bridge/models/providers/models.py` and
`bridge/models/agent/demo/model.py`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from bridge.models.agent.items import Item
from bridge.tracing.context import TraceContext
from toolserver.json_types import JsonObject, JsonValue, text_at

Note: TypeAlias = Callable[[str], None]
"""Callback that receives one line of a log."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One round's request to a model."""

    model: str
    """The provider's name for the model."""
    input: tuple[Item, ...]
    instructions: str | None = None
    tools: tuple[JsonObject, ...] = ()
    """Tools in the Responses form; when empty, the request has no `tools` member at all."""
    options: JsonObject = field(default_factory=dict[str, JsonValue])
    """Every other member of a Responses request (`temperature`, `reasoning`, `tool_choice`, …), passed on."""
    chat_options: JsonObject = field(default_factory=dict[str, JsonValue])
    """Members that exist only in Chat Completions (`stop`, `seed`, …), from a caller who speaks it."""
    note: Note | None = field(default=None, compare=False)
    """Where to log what happens on the way to the provider; None: nowhere."""
    trace_context: TraceContext | None = field(default=None, compare=False)
    """The round, for a provider that is told of traces; None: it is not traced."""


@dataclass(init=False, slots=True)
class ModelEvent:
    """One stream event of the Responses API, without its `sequence_number`. Nobody changes it.

    One is made for each delta, so that it is not frozen, which would take as long again.
    """

    body: JsonObject
    """The event as the provider sent it. `output_index` counts the items of this round."""
    type: str
    """The event's type, such as `response.output_text.delta`."""

    def __init__(self, body: JsonObject) -> None:
        self.body = body
        self.type = text_at(body, "type")


ENDINGS = frozenset({"response.completed", "response.incomplete", "response.failed"})
"""Types of the last event of a round; its `response` holds the status, all output items and the usage."""


PAUSED = "paused"
"""Member of an ending, beside its `response`: the provider goes on once it has back what it said so far."""


class ModelError(Exception):
    """A provider answered with an error or not at all, before the first event of a round or during it."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int | None = None,
        kind: str = "upstream_error",
        param: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """`status`: of the provider's answer; `code`, `kind` (`type`) and `param`: as in OpenAI's errors."""
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.kind = kind
        self.param = param
        self.retry_after_s = retry_after_s


class Model(Protocol):
    """A model behind some provider. Safe for any number of concurrent rounds."""

    def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round. Ends with exactly one event of `ENDINGS`; closing the generator hangs up.

        Deltas come as soon as the provider sends them. Every item comes whole in `response.output_item.done`,
        and in the ending's `response.output`. A call of which it is not known whether its arguments are all
        its own has the status `incomplete`, also in a round that is complete.

        Raises:
            ModelError: the provider refused, failed, broke off, or sent what is no stream of events.
        """
        ...
