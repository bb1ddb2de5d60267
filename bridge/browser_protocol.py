"""Every Socket.IO message between the bridge and a page, and the limits on what crosses it, in one place.

All models ignore unknown keys, so that an older peer understands a newer one.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from bridge.errors import WireError

PROTOCOL = 2
"""Version of the `bridge:*` extension, which each `bridge:hello` names; a page of another version has to be
reloaded."""

OTHER_VERSION = "This page does not match the version of the bridge. Reload the page."
"""Message for the user of a page that was open while the bridge was updated."""

INLINE_RESULT_BYTES = 256 * 1024
"""Maximum bytes (UTF-8) of an answer body inside a Socket.IO message; larger ones go by HTTP PUT."""

RESULT_BYTES = 16 * 1024 * 1024
"""Maximum bytes (UTF-8) of a text-like answer that the page reads before it cuts, and that the bridge
stores."""

FILE_BYTES = 16 * 1024 * 1024
"""Maximum bytes of a binary answer that the page reads before it fails with `too_large`; a chosen value."""

ARGUMENT_BYTES = 1024 * 1024
"""Maximum bytes of the JSON text of one call's arguments."""

SOCKET_MESSAGE_BYTES = 2 * 1024 * 1024
"""Maximum bytes of a socket message (`max_http_buffer_size`): an inline result after JSON escaping,
with room to spare."""

MAX_CALL_ID_CHARS = 64
MAX_LISTED_CALLS = 1000
"""Maximum number of calls that a page lists in its handshake; it remembers no more."""

MAX_ORIGINS = 500
"""Maximum number of origins that a user's page may reach; a document whose operations have servers of their
own can name dozens."""

EVENT_CALL = "events"
EVENT_HELLO = "bridge:hello"
EVENT_WELCOME = "bridge:welcome"
EVENT_RESULT = "bridge:result"
EVENT_RECEIPT = "bridge:receipt"
EVENT_DECISION = "bridge:decision"
EVENT_SLOT = "bridge:slot"
EVENT_CANCEL = "cancel:tool"
EVENT_SERVERS = "bridge:servers"
EVENT_VISIBILITY = "bridge:visibility"
EVENT_DEVICES = "bridge:devices"
EVENT_BREAKERS = "bridge:breakers"
EVENT_APPROVALS = "bridge:approvals"
EVENT_CALLS = "bridge:calls"
EVENT_BEAT = "bridge:beat"
EVENT_MOVED = "bridge:moved"


PAGE_PHASES = ("prepare", "request", "read", "upload")
"""Where the time of a call goes in its page: credentials, files that arguments name and the browser's
journal; from the request to the head of the API's answer, or to the result of an MCP server; the reading of
the answer; the upload of a long one."""

PhaseDuration: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class BrowserMessage(BaseModel):
    """Base of all wire shapes: immutable, unknown keys ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ListedCall(BrowserMessage):
    """A call that a page has not finished with: no receipt of its result has come."""

    call_id: str = Field(min_length=1, max_length=MAX_CALL_ID_CHARS)
    state: Literal["waiting", "running", "done", "lost"]
    """waiting: its user is being asked · running: its request may have begun · done: its result is stored
    until the receipt · lost: its request was begun by a worker that is dead."""


class Hello(BrowserMessage):
    """What a page says of itself when it connects: until it is answered the page receives no call.

    It comes as `hello` with the connection, or, from older pages, as the first message, `bridge:hello`.
    """

    protocol: int
    page_id: str = Field(min_length=1, max_length=100)
    instance: str = Field(default="", max_length=100)
    """Id of the worker that sends this; every reload starts another one."""
    epoch: str = Field(default="", max_length=100)
    """Id of the browser's journal until it is cleared. Without one, a call's absence from it proves
    nothing."""
    alive: tuple[str, ...] = Field(default=(), max_length=100)
    """Other live workers of this browser: their calls are not in `calls`."""
    calls: tuple[ListedCall, ...] = Field(default=(), max_length=MAX_LISTED_CALLS)
    visibility: Literal["visible", "hidden"] = "visible"
    origins: tuple[str, ...] | None = Field(default=None, max_length=MAX_ORIGINS)
    """Origins that the content policy of the page's executor allows; None: not stated."""
    plan_version: int = Field(default=1, ge=1)
    """The newest version of request plans that the page can build; older pages do not say."""

    @property
    def whole_epoch(self) -> str:
        """The epoch, if `calls` names all that the journal has: a full list may have been cut."""
        return "" if len(self.calls) >= MAX_LISTED_CALLS else self.epoch


class Visibility(BrowserMessage):
    """`bridge:visibility`: the page came to the front or went to the back since its hello."""

    visibility: Literal["visible", "hidden"]


class TextResultBody(BrowserMessage):
    """An answer body inside the message."""

    kind: Literal["text"]
    text: str


class UploadedBody(BrowserMessage):
    """An answer body that went ahead by `PUT /api/calls/{call_id}/result`."""

    kind: Literal["uploaded"]


class EmptyBody(BrowserMessage):
    """An answer without a body."""

    kind: Literal["empty"]


class MissingCredential(BrowserMessage):
    """What a request that the API refused had not, because this browser has not saved it."""

    scheme: str = Field(default="", max_length=200)
    """Name of the security scheme in the document; "" with `undeclared`."""
    kind: Literal["credential", "login", "cookie", "undeclared"]
    """credential: a key, token or password · login: OAuth or OpenID Connect · cookie: no page can send it ·
    undeclared: the document demands nothing, and nothing was sent."""


class AnsweredOutcome(BrowserMessage):
    """The API answered, whatever its status."""

    status: Literal["answered"]
    http_status: int = Field(ge=100, le=599)
    status_text: str = Field(default="", max_length=200)
    content_type: str = Field(default="", max_length=300)
    headers: dict[str, str] = Field(default_factory=dict)
    """Names in lower case; only those that CORS exposes to the page, or all but `Set-Cookie` through the
    companion."""
    body: Annotated[TextResultBody | UploadedBody | EmptyBody, Field(discriminator="kind")]
    truncated: bool = False
    total_bytes: int | None = None
    """Size of the whole body, where the API stated it (`content-length`)."""
    cut_by: Literal["size", "time", "stop"] | None = None
    """Why a truncated text ends where it does: at `RESULT_BYTES`, at the time limit of a stream, or where its
    user stopped that."""
    transport: Literal["page", "companion"] = "page"
    """What sent the request: the page itself, or the companion extension of its browser."""
    login: bool = False
    """Whether the browser's cookies for the API went along; only with the companion."""
    missing_credentials: tuple[MissingCredential, ...] = Field(default=(), max_length=20)
    """Of an answer of 401 or 403 to a request without them; an older page does not say."""
    duration_ms: float = 0.0
    phases_ms: tuple[PhaseDuration, ...] = ()
    """Milliseconds of preparation, request, reading and upload, as far as the call came; an older page does
    not say."""


class FailedOutcome(BrowserMessage):
    """The page could not perform the request, or got no readable answer."""

    status: Literal["failed"]
    error: WireError
    delivered: Literal["no", "unknown"] = "unknown"
    """`no` only where non-delivery is proven (ruling 2)."""
    duration_ms: float = 0.0
    phases_ms: tuple[PhaseDuration, ...] = ()
    """Milliseconds of preparation, request, reading and upload, as far as the call came; an older page does
    not say."""


class Result(BrowserMessage):
    """`bridge:result`, an event rather than an ack: an ack cannot survive a reconnect."""

    call_id: str = Field(min_length=1, max_length=MAX_CALL_ID_CHARS)
    outcome: Annotated[AnsweredOutcome | FailedOutcome, Field(discriminator="status")]


class Accepted(BrowserMessage):
    """The socket ack of `execute:tool`: the page has the call, or says at once why it will not run it."""

    call_id: str
    awaiting_approval: bool = False
    """Whether the page asks its user; it sends no request before its `bridge:decision` is answered with
    `may_begin`."""
    error: WireError | None = None


DecisionReason: TypeAlias = Literal["user", "policy", "no_answer"]
"""user: it was a click; policy: nobody is at the page, and its policy decides; no_answer: the time passed."""


class Decision(BrowserMessage):
    """`bridge:decision`: what the user decided about a call; it is sent again until it is answered."""

    call_id: str = Field(min_length=1, max_length=MAX_CALL_ID_CHARS)
    decision: Literal["once", "chat", "timed", "always", "denied"]
    reason: DecisionReason = "user"


class DecisionReply(BrowserMessage):
    """The answer to `bridge:decision`: a page sends the request only after `may_begin`."""

    may_begin: bool
    awaiting_slot: bool = False
    """Whether the approved call waits for a slot: the page sends the decision again after `bridge:slot`, or
    `cancel:tool` ends it."""
    deadline_ms: int = 0
    """Milliseconds left until the call's deadline."""
