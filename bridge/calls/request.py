"""What a call is asked to do: by an endpoint (`ToolCall`), and once looked up and checked (`CallRequest`)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bridge.calls.reading import WHOLE, Reading
from toolserver.arguments.exact_json import unquoted_text
from toolserver.tool.catalog import Tool
from toolserver.value_object import value_object

MAX_ASKED_BY_CHARS = 200
"""Maximum characters of the name of who asks for a call."""


@value_object
class CallContext:
    """Where a call comes from; passes from the endpoint to page and journal unchanged."""

    user_id: str
    chat_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    """The model's turn that made the call."""
    turn_call_id: str | None = None
    """The model's id of the call; None: a call that another call of the turn made."""
    request_id: str | None = None
    """The request that waits for the call, where its endpoint tells its caller what becomes of it."""
    asked_by: str | None = None
    """Who asks for the call, for people: foreign text of at most `MAX_ASKED_BY_CHARS`; None: not known."""
    caller_id: str | None = None
    """Which of the user's callers asks (`Caller.id`); None: not known. It is found out, while the ids of chat
    and message are what the caller says."""
    relayed_id: str | None = None
    """The request by which another replica passed the call on, and asks what became of it if this one is
    lost; None: the caller is connected here, or waits for more than this call."""

    @property
    def origin(self) -> dict[str, str | None]:
        """Who asks, and in which chat if its client names one, as the audit log notes it."""
        chat = {} if self.chat_id is None else {"chat": self.chat_id}
        return {"asked_by": self.asked_by, **chat}


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks for the calls of a run."""

    name: str
    """As `CallContext.asked_by`."""
    id: str | None
    """As `CallContext.caller_id`."""


@dataclass(frozen=True, slots=True)
class CallOptions:
    """How an endpoint wants a call to be made."""

    group: str | None = None
    """The caller's request, whose calls share a limit; None: the call stands alone."""
    deadline_s: float | None = None
    """Seconds once it has its slot, 1 to 600; None: the settings of its user or of the bridge decide."""
    latest_end: float | None = None
    """Time of the event loop at which the call, waiting or running, is ended by its batch. Only the time
    during which its user is asked is added to it."""
    reading: Reading = WHOLE
    """What its caller reads of the answer."""


NO_OPTIONS = CallOptions()
"""A call that stands alone, with the deadline that its user or the bridge has set."""


@dataclass(frozen=True, slots=True)
class ToolScope:
    """Which of a user's accepted operations a model may reach; None restricts nothing."""

    names: frozenset[str] | None = None
    """Names of operations, and of the bridge's own tools: in place of those that the user shows to models."""
    servers: frozenset[str] | None = None
    """Ids of servers, in place of those that the user shows to models."""

    def includes(self, tool: Tool) -> bool:
        """Whether an operation is within it."""
        return (self.names is None or tool.has_name_in(self.names)) and (
            self.servers is None or tool.server_id in self.servers
        )


ALL_TOOLS = ToolScope()


@value_object
class RepeatKey:
    """What tells a call that a client sends again from one that is meant anew."""

    caller: str
    """Id of the API key; of an OAuth client, its user and its own id."""
    request_id: str
    """The endpoint's request, unique; under it the endpoint notes whether the answer was heard."""
    idempotency_key: str | None = None
    """The client's own name for the call; None: it gave none."""


@dataclass(frozen=True, slots=True)
class RepeatIdentity:
    """By what a call is known when its client sends it again. Digests are keyed: they tell nothing."""

    request_id: str
    caller: str
    digest: str
    """Of operation and arguments."""
    key_digest: str | None
    """Of the idempotency key; None: the client gave none."""


@dataclass(frozen=True, slots=True)
class DoubtedCall:
    """An earlier call, equal to this one, of which nobody knows whether it was performed."""

    call_id: str
    opened_at: float
    """UTC seconds since 1970."""


@value_object
class ToolCall:
    """A call as an endpoint asks for it: nothing is looked up or checked yet."""

    context: CallContext
    tool_name: str
    arguments_text: str
    """JSON text of an object; empty means no arguments."""
    server_id: str | None = None
    """The only server whose tools may run; None: any."""
    options: CallOptions = NO_OPTIONS
    scope: ToolScope = ALL_TOOLS
    """Operations to which the bridge's own tools may lead."""
    repeat: RepeatKey | None = None
    """Set by endpoints whose clients send a call again after a broken connection."""


def unquote_call(call: ToolCall) -> ToolCall:
    """Return the call; if its arguments as a whole were encoded once too often, with the object they are."""
    text = unquoted_text(call.arguments_text)
    return call if text is call.arguments_text else replace(call, arguments_text=text)


@value_object
class CallRequest:
    """A call that may be dispatched: looked up, accepted by its user, and validated."""

    context: CallContext
    tool_name: str
    server_id: str
    operation_key: str
    """For example `GET /pets/{id}`."""
    operation_digest: str
    origin: str
    """Origin the request goes to; empty while the document names no server."""
    safe: bool
    """Whether it is GET, HEAD or OPTIONS: performing it twice does no harm."""
    arguments_text: str
    """JSON text of an object; it travels as text so that no integer is lost."""
    always_asks: bool = False
    """Whether each call waits for its user, whatever mode and grants say."""
    plan_version: int = 1
    """Of the operation's plan: a page that knows only lower ones would ignore what edits withhold."""
    needs_approval: bool = False
    """Whether the page must ask its user. A page may ask although it need not."""
    idempotency_key: bool = False
    """Whether the request carries the call's id in the header `Idempotency-Key`."""
    trace_context: bool = False
    """Whether the page passes the call's trace context on to the API, if it is traced."""
    repeat: RepeatIdentity | None = None
    """Set for an unsafe call whose client may send it again."""
    doubted: DoubtedCall | None = None
    """The user is asked because of it, whatever rules stand."""
