"""One turn: what a caller asked of a model, what is told while it runs, and how it ended.

The doors make a `TurnRequest` of an HTTP request and write `TurnEvent`s as their protocol wants them; the
loop stands between and knows neither HTTP nor a protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from bridge.agent.items import Item, ModelCall
from bridge.agent.model import ModelError, ModelEvent
from bridge.agent.provider_features import ProviderFeatures
from bridge.settings.models import DEFAULT_PROMPT_TOKENS
from bridge.stored_items.items import StoredItem
from toolserver.json_types import JsonObject, JsonValue

Keeping: TypeAlias = Literal["nothing", "output", "all"]
"""What of a turn is kept: what it makes (the chat itself has the rest), or what it was given, too."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a caller asked, the same from every door."""

    user_id: str
    turn_id: str
    """Of this request; the calls of the turn share one limit under it."""
    model: str
    """The caller's name for the model."""
    input: tuple[Item, ...]
    instructions: str | None = None
    caller_tools: tuple[JsonValue, ...] = ()
    """Tools that the caller runs itself, and tools of the provider, in the Responses form; see
    `bridge.agent.tools.engine_toolbox` for what becomes of wrong and doubled ones."""
    options: JsonObject = field(default_factory=dict[str, JsonValue])
    """Every other member of the request that goes to the provider."""
    chat_options: JsonObject = field(default_factory=dict[str, JsonValue])
    """As in `ModelRequest`."""
    with_tools: bool = True
    """False: a task request (titles, tags), or the caller wants none of the bridge's tools."""
    own_tools: frozenset[str] | None = None
    """Names of the bridge's tools that may be called; None: all that its user has accepted and chosen."""
    max_rounds: int | None = None
    """None: as the model's settings or the bridge say."""
    chat_id: str | None = None
    message_id: str | None = None
    keeps: Keeping = "nothing"
    is_task: bool = False
    """A title, tags: asked about a chat, and no part of it. Markers in it are taken out, and not followed."""
    previous_response_id: str | None = None
    """A kept response that `input` goes on from."""
    history: tuple[StoredItem, ...] = ()
    """What a door that keeps messages itself has of earlier turns; it comes before `input`."""


DEFAULT_MAX_ROUNDS = 25
"""Rounds of a model in one turn."""


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """What the settings of a model say about its turns."""

    model: str
    """The provider's name for it."""
    max_rounds: int = DEFAULT_MAX_ROUNDS
    """`max_function_call_loops`, at least 1."""
    limit_template: str = ""
    """`max_function_call_loops_reached_template`; "" for the built-in one."""
    can_call_functions: bool = True
    """By itself, or because its texts are read for calls (`bridge.agent.text_calls.model`)."""
    sees_images: bool = False
    """It reads `input_image` parts in the outputs of calls."""
    strict_tools: bool = True
    """`enable_strict_tool_calling`."""
    subquery: bool = False
    """The model is offered `subquery`, where it is offered tools of the bridge."""
    prompt_tokens: int = DEFAULT_PROMPT_TOKENS
    """That the model reads at most."""
    features: ProviderFeatures = field(default_factory=ProviderFeatures)
    """What its requests get unasked."""


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """Something the model said, as it comes."""

    round: int
    """From 0."""
    event: ModelEvent
    is_own_call: bool
    """It belongs to a `function_call` that the bridge runs, and is no affair of the caller's."""


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The bridge runs a call."""

    call: ModelCall
    tool_title: str
    """For people."""


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call of the bridge has its output. Given in call order, once all calls of the round have ended.

    A call that is not run (limits, an answer that broke off) ends without having started.
    """

    call: ModelCall
    output: Item
    has_succeeded: bool
    files: tuple[JsonObject, ...] = ()
    """Images and files for the user: `{"type", "url", "mime"}`."""
    is_left_alone: bool = False
    """Not tried: its breaker is open."""
    is_omitted: bool = False
    """Too long for what the model can still read: `output` says how long it was, and is not shown."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know, which is not the model's word."""

    level: Literal["info", "warning", "error"]
    text: str
    """For people, in Markdown."""
    in_answer: bool
    """It belongs into the answer's text too (the limit's notice)."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Items that stand from now on in what the model is sent, as they stand there.

    Told at the end of a round, before its calls run, and when its calls have been answered. Who keeps items
    has kept them when `Emit` returns.
    """

    items: tuple[Item, ...]
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    """Of the turn until now, as in its result."""


@dataclass(frozen=True, slots=True)
class ItemStored:
    """An item, or a notice within the answer, got the id by which it is found again.

    It follows the event that it belongs to at once: `response.output_item.done`, `CallEnded`, `Notice`.
    """

    id: str
    item: Item


@dataclass(frozen=True, slots=True)
class Attached:
    """A text that goes beside the answer, for clients that have a place for it."""

    title: str
    text: str


TurnEvent: TypeAlias = ModelOutput | CallStarted | CallEnded | Notice | Settled | ItemStored | Attached

Emit: TypeAlias = Callable[[TurnEvent], Awaitable[None]]
"""Takes an event to the caller; may wait for a slow reader. Raising ends the turn."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """How a turn ended."""

    status: Literal["completed", "incomplete", "failed"]
    output: tuple[Item, ...]
    """Every item of every round in order, the bridge's calls and their outputs included."""
    caller_calls: tuple[ModelCall, ...]
    """Calls of the last round that the caller has to run; empty when the turn is over."""
    own_call_ids: frozenset[str]
    """`call_id`s of the calls in `output` that the bridge ran."""
    usage: JsonObject
    """Summed over all rounds and sub-queries, with `turn_count` and `function_call_count`."""
    response: JsonObject
    """The last round's response object: model, `incomplete_details`, `error`, service tier."""
    limit_reached: bool = False
    error: ModelError | None = None
    """Why it failed; there always where it did."""
    is_kept: bool = False
    """All that was to be kept of it is kept."""
