"""One turn: what a caller asked of a model, the events emitted while it runs, and how it ended.

The endpoints build a `Turn` from an HTTP request and write `TurnEvent`s as their protocol wants them; the
loop stands between and knows neither HTTP nor a protocol.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from bridge.calls.request import ALL_TOOLS, ToolScope
from bridge.models.agent.items import Item, ModelCall
from bridge.models.agent.model import Model, ModelError, ModelEvent
from bridge.models.agent.provider_features import ProviderFeatures
from bridge.models.stored_items.items import StoredItem
from bridge.settings.chat.models import DEFAULT_PROMPT_TOKENS
from bridge.settings.chat.provider_rules import Strictness
from toolserver.json_types import JsonObject, JsonValue

StoredPart: TypeAlias = Literal["nothing", "output", "all"]
"""How much of a turn is stored: nothing, its output (the chat itself has the rest), or its input as well."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A caller's request, the same from every endpoint."""

    user_id: str
    turn_id: str
    """Id of this request; the calls of the turn share one limit under it."""
    model: str
    """The caller's name for the model."""
    input: tuple[Item, ...]
    instructions: str | None = None
    caller_tools: tuple[JsonValue, ...] = ()
    """Tools that the caller runs itself, and tools of the provider, in the Responses form;
    `bridge.models.agent.tools.engine_toolbox` drops malformed and duplicate ones."""
    options: JsonObject = field(default_factory=dict[str, JsonValue])
    """Every other member of the request that goes to the provider."""
    chat_options: JsonObject = field(default_factory=dict[str, JsonValue])
    """Members that exist only in Chat Completions, as in `ModelRequest`."""
    with_tools: bool = True
    """False: a task request (titles, tags), or the caller wants none of the bridge's tools."""
    scope: ToolScope = ALL_TOOLS
    """Which of the bridge's tools the model may call."""
    max_rounds: int | None = None
    """Maximum number of rounds; None: as the model's settings or the bridge say."""
    chat_id: str | None = None
    message_id: str | None = None
    to_store: StoredPart = "nothing"
    is_response: bool = False
    """Whether what is stored is read and continued by the turn's id, not by markers in a chat."""
    is_task: bool = False
    """Whether this is a task about a chat (a title, tags): markers in it are removed, not followed."""
    previous_response_id: str | None = None
    """Id of a stored response that `input` continues."""
    history: tuple[StoredItem, ...] = ()
    """Earlier turns, from an endpoint that stores messages itself; they precede `input`."""
    from_open_webui: bool = False
    """Whether Open WebUI asks: it sends what its tools returned to any model."""
    asked_by: str = "a program"
    """Who asks, for people."""
    caller_id: str | None = None
    """Who asks; see `CallContext`."""
    files: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Strings that stand for files in the arguments of calls, each with its file as a `data:` URL."""


DEFAULT_MAX_ROUNDS = 25
"""Default maximum number of rounds of a model in one turn."""


RoundsSource: TypeAlias = Literal["default", "limit", "model", "request"]
"""What determined the maximum number of rounds: nobody, the limit `MAX_FUNCTION_CALL_LOOPS`, `max_rounds` in
the model's settings, or the request."""


@dataclass(frozen=True, slots=True)
class TurnSettings:
    """The settings of a model that concern its turns."""

    model: str
    """The provider's name for the model."""
    max_rounds: int = DEFAULT_MAX_ROUNDS
    """Maximum number of rounds where the request sets none; at least 1."""
    rounds_source: RoundsSource = "default"
    limit_template: str = ""
    """Setting `max_function_call_loops_reached_template`; "" for the built-in one."""
    can_call_functions: bool = True
    """Whether it can, by itself or because its texts are parsed for calls
    (`bridge.models.agent.text_calls.model`)."""
    sees_images: bool = False
    """Whether the model reads `input_image` parts in the outputs of calls."""
    strictness: Strictness = "possible"
    """What the bridge's tools say, by the setting `enable_strict_tool_calling` and the provider's rules."""
    takes_examples: bool = False
    """Whether its provider takes examples of arguments beside a tool's schema."""
    tool_search: bool = False
    """Whether the model searches for tools by itself: `bridge.models.agent.tool_search`."""
    subquery: bool = False
    """Whether the model is offered `subquery`, where it is offered tools of the bridge."""
    prompt_tokens: int = DEFAULT_PROMPT_TOKENS
    """Maximum number of tokens that the model reads."""
    features: ProviderFeatures = field(default_factory=ProviderFeatures)
    """Options added to its requests without the caller asking."""
    provider: str = ""
    """Name of the provider, whose failures are counted together."""


class TurnLog(Protocol):
    """Log of one turn, which its caller can read."""

    @property
    def lines(self) -> Sequence[str]:
        """The lines so far, oldest first."""
        ...

    def add_line(self, text: str) -> None:
        """Append a line."""
        ...

    def close_log(self) -> None:
        """Mark the log as complete."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn to run: the request, the model that it is for, and that model's settings."""

    request: TurnRequest
    model: Model
    settings: TurnSettings
    log: TurnLog | None = None
    """Log of this turn alone; None: it has none."""
    rounds_before: int = 0
    """Number of rounds that it has had in other processes; at least one more is asked for."""
    resumes_later: Callable[[], bool] = lambda: False
    """Called when the turn is cancelled; returns whether another process resumes it. The current round is
    then requested again, and nothing of it is stored."""


@dataclass(slots=True)
class ModelOutput:
    """One event of the model's output, as it arrives. Nobody changes it.

    As with `ModelEvent`, one is made for each delta.
    """

    round: int
    """Number of the round, from 0."""
    event: ModelEvent
    is_own_call: bool
    """Whether it belongs to a `function_call` that the bridge runs, which is no concern of the caller's."""


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The bridge has started to run a call."""

    call: ModelCall
    tool_title: str
    """Title for people."""


@dataclass(frozen=True, slots=True)
class CallFile:
    """An image or another file that a call returned, for the user."""

    kind: Literal["image", "file"]
    url: str
    """Signed URL, valid for a day."""
    mime: str
    data_url: str = ""
    """The image itself, if it is small enough to be sent along; else ""."""

    def link(self) -> JsonObject:
        """Return the file in the form of the wire: `{"type", "url", "mime"}`."""
        return {"type": self.kind, "url": self.url, "mime": self.mime}


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call of the bridge has its output. Emitted in call order, once all calls of the round have ended.

    A call that is not run (limits, an answer that broke off) ends without having started.
    """

    call: ModelCall
    output: Item
    has_succeeded: bool
    files: tuple[CallFile, ...] = ()
    is_breaker_open: bool = False
    """Whether the call was skipped because its circuit breaker is open."""
    is_omitted: bool = False
    """Whether the result was too long for the model: `output` gives only its size, and is not shown."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know, which is not part of the model's output."""

    level: Literal["info", "warning", "error"]
    text: str
    """Text for people, in Markdown."""
    in_answer: bool
    """Whether it also belongs in the answer's text (the limit's notice)."""
    stays: bool = False
    """Whether an `info` still concerns its reader when the answer has ended."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Items that are final: from now on they are sent to the model exactly like this.

    Emitted at the end of a round, before its calls run, and again when its calls have been answered. A
    recipient that stores items has stored them when `Emit` returns.
    """

    items: tuple[Item, ...]
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    """Usage of the turn so far, as in its result."""


@dataclass(frozen=True, slots=True)
class ItemStored:
    """An item, or a notice within the answer, got the id by which it is found again.

    Immediately follows the event that it belongs to: `response.output_item.done`, `CallEnded`, `Notice`.
    """

    id: str
    item: Item


@dataclass(frozen=True, slots=True)
class Attached:
    """A text shown beside the answer, for clients that have a place for it."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class ApprovalAwaited:
    """Other calls than before wait for their user to approve them in the bridge page."""

    tool_titles: tuple[str, ...]
    """Titles of the tools for people, those that have waited longest first; empty: none waits any more."""


TurnEvent: TypeAlias = (
    ModelOutput | CallStarted | CallEnded | ApprovalAwaited | Notice | Settled | ItemStored | Attached
)

Emit: TypeAlias = Callable[[TurnEvent], Awaitable[None]]
"""Sends an event to the caller; may wait for a slow reader. Raising ends the turn."""


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
    """Why the turn failed; set whenever it did."""
    is_stored: bool = False
    """Whether everything of the turn that was to be stored has been stored."""


class AnswerWriter(Protocol):
    """Writes one turn as an answer in the JSON of a protocol. Without streaming, the bodies are discarded."""

    def write_event(self, event: TurnEvent) -> list[JsonObject]:
        """Return what the caller is sent for an event; empty when it learns nothing of it."""
        ...

    def write_end(self, result: TurnResult, error: JsonObject | None = None) -> list[JsonObject]:
        """Return the rest of the answer; `error`: of a turn that failed, in OpenAI's form."""
        ...

    def write_failure(self, error: JsonObject) -> list[JsonObject]:
        """Return the rest of an answer whose turn has no result."""
        ...
