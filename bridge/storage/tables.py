"""SQLAlchemy's view of the tables; `migrations/` creates them. Times are UTC seconds since 1970."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, LargeBinary, String, Text, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Registry of all tables."""


class UserRow(Base):
    """A person or program whose calls run in its own pages."""

    __tablename__ = "users"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), unique=True)
    """Unique name; for a forwarded user: the forwarder, a colon and the id there."""
    display_name: Mapped[str | None] = mapped_column(String(100))
    """Name that a forwarder uses for the user; it may change and need not be unique."""
    created_at: Mapped[float]
    role: Mapped[str | None] = mapped_column(String(10))
    """`operator` if the last login said so, until `login_ends_at`; null: an ordinary user."""
    groups: Mapped[str | None] = mapped_column(Text)
    """JSON list of the user's groups, as of the last login; null: there was none."""
    logged_in_at: Mapped[float | None]
    login_ends_at: Mapped[float | None]
    """When the user's pages want another login; null: never, as a link from the command line lets them in."""
    disabled_at: Mapped[float | None]
    """When an operator disabled the user; null: never, or enabled again."""


class ApiKeyRow(Base):
    """A bearer key of a user; only its hash is stored."""

    __tablename__ = "api_keys"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    label: Mapped[str] = mapped_column(String(100))
    key_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[float]
    forwarder: Mapped[bool]
    """Whether the holder names the user of each call itself."""
    show_calls: Mapped[str | None] = mapped_column(String(10))
    markers: Mapped[str | None] = mapped_column(String(10))
    """How answers of models show calls and markers to this key; null: the default for its kind of key."""


class TicketRow(Base):
    """A one-time ticket that makes a browser a device of a user; only its hash is stored."""

    __tablename__ = "tickets"
    ticket_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    expires_at: Mapped[float]
    printed: Mapped[bool]
    """Whether it was made at the command line; otherwise it came with an answer and pairs only a first
    browser."""


class PairingRow(Base):
    """A browser that shows a code until its user confirms or refuses it; code and secret are hashed."""

    __tablename__ = "pairings"
    secret_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    code_hash: Mapped[str] = mapped_column(String(64), unique=True)
    public_key: Mapped[str] = mapped_column(Text)
    browser: Mapped[str] = mapped_column(String(100))
    address: Mapped[str] = mapped_column(Text)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    """The only user who may confirm it; null: whoever types its code first."""
    state: Mapped[str] = mapped_column(String(10))
    device_id: Mapped[str | None] = mapped_column(String(32))
    """The device that it has become; no foreign key, as this is decided before the device is made."""
    requested_at: Mapped[float]
    expires_at: Mapped[float]


class MemoryChoiceRow(Base):
    """A user's retention preference; no row: as much as the bridge stores."""

    __tablename__ = "memory_choices"
    user_id: Mapped[str] = mapped_column(
        String(32), ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    keeps_answers: Mapped[bool]
    reasoning: Mapped[str] = mapped_column(String(20))


class ModelUsageRow(Base):
    """What a user has had the operator's models do on one day, in UTC."""

    __tablename__ = "model_usage"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    """Such as `2026-11-28`."""
    rounds: Mapped[int] = mapped_column(BigInteger)
    estimated_rounds: Mapped[int] = mapped_column(BigInteger)
    """Rounds whose tokens the provider did not say."""
    input_tokens: Mapped[int] = mapped_column(BigInteger)
    output_tokens: Mapped[int] = mapped_column(BigInteger)
    cost_micros: Mapped[int] = mapped_column(BigInteger)
    """Cost in millionths of one unit of the currency."""


class ModelProviderRow(Base):
    """A provider of models that a user set up in the page."""

    __tablename__ = "model_providers"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    is_shared: Mapped[bool]
    content: Mapped[bytes] = mapped_column(LargeBinary)
    """Address, protocol, models and the sealed key; encoded as `encryption` does."""
    key_id: Mapped[str | None] = mapped_column(String(16))
    """Id of the key of encryption; null: not encrypted. The provider's own key is sealed in any case."""


class DeviceRow(Base):
    """A browser of a user, known by the public half of a key that never leaves it."""

    __tablename__ = "devices"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    public_key: Mapped[str] = mapped_column(Text)
    """JWK of a P-256 key, as JSON."""
    name: Mapped[str] = mapped_column(String(100))
    created_at: Mapped[float]
    last_seen_at: Mapped[float]
    """Time at which the browser last opened a session."""


class DeviceChoiceRow(Base):
    """The browser that a user wants for a server; without a row, whichever was active last."""

    __tablename__ = "device_choices"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    server_id: Mapped[str] = mapped_column(ForeignKey("servers.id", ondelete="CASCADE"), primary_key=True)
    device_id: Mapped[str] = mapped_column(ForeignKey("devices.id", ondelete="CASCADE"))


class ServerRow(Base):
    """A document that was added, with what its user chose."""

    __tablename__ = "servers"
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    title: Mapped[str] = mapped_column(Text)
    named: Mapped[str | None] = mapped_column(Text)
    source_url: Mapped[str | None] = mapped_column(Text)
    base_url: Mapped[str | None] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    inline_html: Mapped[bool]
    idempotency_key: Mapped[bool]
    trace_context: Mapped[bool | None]
    """Null: false; the server is from before."""
    is_shared: Mapped[bool | None]
    """Whether its owner offers it to every user; null: false, as of servers from before."""
    overlays: Mapped[list[str] | None] = mapped_column(JSON)
    """Texts of the overlays that edit the document, in order; null: none, as of servers from before."""
    added_at: Mapped[float]


class SharedRequestsRow(Base):
    """The saved requests that a server's owner shares with all who have it."""

    __tablename__ = "shared_requests"
    server_id: Mapped[str] = mapped_column(ForeignKey("servers.id", ondelete="CASCADE"), primary_key=True)
    requests: Mapped[str] = mapped_column(Text)
    """JSON text of all of them, without secrets."""


class ToolNameRow(Base):
    """The name given to a tool; it outlives its server, so that a name never changes its meaning."""

    __tablename__ = "tool_names"
    scope: Mapped[str] = mapped_column(String(32), primary_key=True)
    """Scope of the name: empty for shared servers, otherwise a user's id."""
    server_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    operation_key: Mapped[str] = mapped_column(Text, primary_key=True)
    name: Mapped[str] = mapped_column(String(64))


class AcceptanceRow(Base):
    """An operation that a user accepted, pinned by its digest."""

    __tablename__ = "acceptances"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    server_id: Mapped[str] = mapped_column(ForeignKey("servers.id", ondelete="CASCADE"), primary_key=True)
    operation_key: Mapped[str] = mapped_column(Text, primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    accepted_at: Mapped[float]


class LimitRow(Base):
    """A limit that was set in the bridge page."""

    __tablename__ = "limits"
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    value: Mapped[float]


class CallSettingRow(Base):
    """A user's settings for the calls of all servers, of one server, or of one operation."""

    __tablename__ = "call_settings"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    server_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    """Id of the server; empty: all servers."""
    operation_key: Mapped[str] = mapped_column(Text, primary_key=True)
    """Key of the operation; empty: all operations."""
    deadline_s: Mapped[float | None]
    max_parallel: Mapped[int | None]
    in_order: Mapped[bool | None]


class SelectionRow(Base):
    """A user's selection of tools to show to models."""

    __tablename__ = "selections"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    servers: Mapped[list[str]] = mapped_column(JSON)
    tags: Mapped[list[str]] = mapped_column(JSON)
    names: Mapped[list[str]] = mapped_column(JSON)
    pinned: Mapped[list[str]] = mapped_column(JSON)
    max_tools: Mapped[int | None]
    max_tokens: Mapped[int | None]
    listed: Mapped[list[str] | None] = mapped_column(JSON)
    searched: Mapped[list[str] | None] = mapped_column(JSON)
    """Ids of servers; null: none, as of all choices before revision 0030."""


class ListingRow(Base):
    """Which of a user's servers are listed, as it was decided last."""

    __tablename__ = "listings"
    scope: Mapped[str] = mapped_column(String(32), primary_key=True)
    """A user's id, or `nobody`: what a forwarder lists for all its users."""
    listed: Mapped[list[str]] = mapped_column(JSON)
    sizes: Mapped[dict[str, int]] = mapped_column(JSON)
    """Number of tools at the time, by id of their server."""
    choice: Mapped[str] = mapped_column(String(64))
    """Names what the user had chosen at the time."""


class ApprovalModeRow(Base):
    """The calls that a user wants to approve, if that is not the bridge's default."""

    __tablename__ = "approval_modes"
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    mode: Mapped[str] = mapped_column(String(10))


class GrantRow(Base):
    """A user's permission for calls of one operation, as it was at that time, without approval."""

    __tablename__ = "grants"
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    server_id: Mapped[str] = mapped_column(ForeignKey("servers.id", ondelete="CASCADE"))
    operation_key: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(64))
    scope: Mapped[str] = mapped_column(String(10))
    chat_id: Mapped[str | None] = mapped_column(Text)
    granted_at: Mapped[float]
    expires_at: Mapped[float | None]
    caller_id: Mapped[str | None] = mapped_column(Text)


_IS_OPEN = text("ended_at IS NULL")
_HAS_KEY = text("key_digest IS NOT NULL")
WAS_PASSED_ON = text("request_id IS NOT NULL")


class CallRow(Base):
    """A call: written soon after it was sent if it is unsafe, otherwise when it has ended."""

    __tablename__ = "calls"
    __table_args__ = (
        Index("ix_calls_user_id_opened_at", "user_id", "opened_at"),
        Index("ix_calls_open", "id", sqlite_where=_IS_OPEN, postgresql_where=_IS_OPEN),
        Index(
            "ix_calls_key_digest", "user_id", "key_digest", sqlite_where=_HAS_KEY, postgresql_where=_HAS_KEY
        ),
        Index(
            "ix_calls_request_id", "request_id", sqlite_where=WAS_PASSED_ON, postgresql_where=WAS_PASSED_ON
        ),
    )
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    tool: Mapped[str] = mapped_column(String(64))
    server_id: Mapped[str] = mapped_column(String(64))
    operation_key: Mapped[str] = mapped_column(Text)
    safe: Mapped[bool]
    arguments: Mapped[str | None] = mapped_column(Text)
    """Arguments as JSON text; null: too long to store, so that the call cannot be repeated by its id."""
    chat_id: Mapped[str | None] = mapped_column(Text)
    device_id: Mapped[str | None] = mapped_column(String(32))
    state: Mapped[str] = mapped_column(String(20))
    may_begin: Mapped[bool]
    http_status: Mapped[int | None]
    content_type: Mapped[str | None] = mapped_column(Text)
    error: Mapped[str | None] = mapped_column(Text)
    """Error as JSON of a `WireError`."""
    decision: Mapped[str | None] = mapped_column(Text)
    """The user's decision, as JSON of an `ApprovalVerdict`; null: nobody was asked, or nobody has
    answered."""
    opened_at: Mapped[float] = mapped_column(index=True)
    ended_at: Mapped[float | None]
    late: Mapped[str | None] = mapped_column(Text)
    """A page's report after the end: JSON of its status, error code and whether it was delivered."""
    turn_id: Mapped[str | None] = mapped_column(Text)
    """Id of the model's turn that the call belongs to."""
    turn_call_id: Mapped[str | None] = mapped_column(Text)
    """The model's id of the call; null: another call of the turn made this one."""
    asked_by: Mapped[str | None] = mapped_column(Text)
    """Who asked for it, for people; null: not recorded, as of calls before revision 0017."""
    caller: Mapped[str | None] = mapped_column(Text)
    """Id of the key or client that may send the call again; null: its kind of caller does not."""
    digest: Mapped[str | None] = mapped_column(String(64))
    """Keyed digest of operation and arguments, where `caller` is set."""
    key_digest: Mapped[str | None] = mapped_column(String(64))
    """Keyed digest of the idempotency key; null: there was none."""
    heard: Mapped[bool | None]
    """Whether the answer was written whole; null: not noted, or never asked for."""
    heard_at: Mapped[float | None]
    """When `heard` was noted."""
    epoch: Mapped[int | None] = mapped_column(BigInteger)
    """Claim under which it was opened (`bridge.homes.Home`); null: there were no replicas."""
    request_id: Mapped[str | None] = mapped_column(String(64))
    """Request that another replica passed on; null: none did."""
    transport: Mapped[str | None] = mapped_column(String(10))
    """What sent the request: `page` or `companion`; null: not known, as when none was sent."""
    login: Mapped[bool | None]
    """Whether the user's cookies for the API went along, where `transport` is known."""


class RefusedCallRow(Base):
    """A call that was refused before a page was asked: one of its user's newest."""

    __tablename__ = "refused_calls"
    __table_args__ = (Index("ix_refused_calls_user_id_at", "user_id", "at"),)
    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    user_id: Mapped[str] = mapped_column(String(32), ForeignKey("users.id", ondelete="CASCADE"))
    tool: Mapped[str] = mapped_column(String(64))
    """As the caller wrote it, if there is no such tool; cut to the length of the column."""
    server_id: Mapped[str | None] = mapped_column(String(64))
    code: Mapped[str] = mapped_column(String(30))
    asked_by: Mapped[str | None] = mapped_column(Text)
    chat_id: Mapped[str | None] = mapped_column(Text)
    at: Mapped[float]


class RefusedDayRow(Base):
    """How many calls of a user were refused on one day, in UTC."""

    __tablename__ = "refused_days"
    user_id: Mapped[str] = mapped_column(
        String(32), ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    """Such as `2026-11-28`."""
    refused: Mapped[int] = mapped_column(BigInteger)


class McpTaskRow(Base):
    """A call of an MCP client that polls for its result."""

    __tablename__ = "mcp_tasks"
    __table_args__ = (Index("ix_mcp_tasks_user_id_created_at", "user_id", "created_at"),)
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    """The call's id."""
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    asked_by: Mapped[str] = mapped_column(Text)
    """Whose key alone may read it: the id of the key."""
    created_at: Mapped[float]
    ended_at: Mapped[float | None]
    is_cancelled: Mapped[bool]
    result: Mapped[bytes | None] = mapped_column(LargeBinary)
    """Encoded as `encryption` does; null: not ended yet, or too large to store."""
    key_id: Mapped[str | None] = mapped_column(String(16))
    """Id of the key of encryption; null: not encrypted."""


class AuditRow(Base):
    """One entry of the audit log. Triggers refuse changes, and deletions of any but the oldest entries."""

    __tablename__ = "audit"
    __table_args__ = (Index("ix_audit_user_id_at", "user_id", "at"),)
    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at: Mapped[float] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(String(30))
    user_id: Mapped[str | None] = mapped_column(String(32))
    """Id of the user. No foreign key: the entry outlives its user."""
    actor: Mapped[str] = mapped_column(String(100))
    call_id: Mapped[str | None] = mapped_column(String(64))
    server_id: Mapped[str | None] = mapped_column(String(64))
    operation_key: Mapped[str | None] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(Text)
    """Details as JSON."""
