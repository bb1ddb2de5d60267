"""`/api/limits`, `/api/breakers`, `/api/call-settings`: limits, deadlines and circuit breakers."""

from __future__ import annotations

from typing import Any, Literal

from aiohttp import web
from pydantic import Field

from bridge.audit import AuditKind
from bridge.calls.admission import Controls
from bridge.calls.limits.call_settings import CallSetting, CallSettings, SettingScope, checked_deadline
from bridge.calls.limits.circuit_breaker import BreakerFacts, BreakerKind, BreakerState
from bridge.catalog.registry import Registry
from bridge.errors import BridgeError, ErrorCode, WireError
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, json_answer
from bridge.settings.limits import range_of


class LimitEntry(ApiModel):
    """One limit. `meaning` says what it counts; `source` says who set it."""

    name: str
    variable: str
    """The environment variable that sets it at a start; a change may name it, too."""
    value: float
    default: float
    minimum: float
    maximum: float
    meaning: str
    source: Literal["default", "kept", "given", "changed"]


class OpenCalls(ApiModel):
    """The number of calls of all users that run and wait now."""

    running: int
    waiting: int


class LimitList(ApiModel):
    """All limits; `may_change`: the caller is the user who started the bridge."""

    limits: list[LimitEntry]
    may_change: bool
    calls: OpenCalls
    warnings: list[str] = Field(
        default_factory=list[str], description="always empty; pages of the version before read it"
    )


class LimitChange(ApiModel):
    """Limits by name; null reverts a change."""

    limits: dict[str, Any]


class BreakerEntry(ApiModel):
    """A tool or a host with recent failures or an open circuit breaker."""

    kind: BreakerKind
    tool: str
    """Name of the tool; for a host, its origin."""
    host: str
    """The origin of a host; empty for a tool."""
    server_id: str
    operation: str
    state: BreakerState
    failures: int
    last_error: WireError | None
    open_for_s: float | None
    """Seconds for which the breaker has been open; null while calls pass."""
    retry_after_s: float | None


class BreakerList(ApiModel):
    """The caller's circuit breakers, latest failure first."""

    breakers: list[BreakerEntry]


class BreakerChoice(ApiModel):
    """Which breakers to close; without any member, all."""

    server_id: str | None = None
    operation: str | None = None
    host: str | None = None
    """An origin: only the breakers of that host, not those of tools."""
    kind: BreakerKind | None = None
    """Only those of this kind; `request`: those of all providers."""


class BreakersReset(ApiModel):
    """The number of breakers that were closed."""

    reset: int


class CallSettingEntry(ApiModel):
    """Settings for calls of all servers, of one server, or of one operation."""

    server_id: str = Field(default="", max_length=64)
    operation: str = ""
    """For example `GET /pets/{id}`; empty: all operations of the server."""
    deadline_s: float | None = None
    max_parallel: int | None = Field(default=None, ge=1, le=int(range_of("MAX_PARALLEL_TOOLS_GLOBAL")[1]))
    in_order: bool | None = None


class CallSettingList(ApiModel):
    """All call settings of the caller."""

    settings: list[CallSettingEntry]


class LimitRoutes(DeclaredApiRoutes):
    """Handlers of limits, breakers and settings of calls."""

    def __init__(self, registry: Registry, controls: Controls) -> None:
        self._registry = registry
        self._limits = controls.limits
        self._queue = controls.queue
        self._breakers = controls.breakers
        self._settings = controls.settings

    @api_route("GET /api/limits", ok("Limits, and how many calls run and wait.", LimitList))
    async def show_limits(self, request: web.Request) -> web.Response:
        """Show the limits of the bridge."""
        caller = caller_of(request)
        return json_answer(self._limit_list(may_change=caller.user.is_operator))

    @api_route(
        "PATCH /api/limits",
        ok("The limits as they are now.", LimitList),
        body=LimitChange,
        access="page",
        errors=(ErrorCode.OPERATOR_ONLY, ErrorCode.INVALID_REQUEST),
        audited=AuditKind.SETTINGS,
    )
    async def change_limits(self, request: web.Request) -> web.Response:
        """Change limits while the bridge runs. If one is invalid, none is changed."""
        caller = caller_of(request)
        if not caller.user.is_operator:
            message = "Only an operator of the bridge may change its limits."
            raise BridgeError(ErrorCode.OPERATOR_ONLY, message)
        change = await read_body(request, LimitChange)
        await self._limits.change_limits(change.limits)
        set_audit_detail(request, limits=change.limits)
        return json_answer(self._limit_list(may_change=True))

    @api_route("GET /api/breakers", ok("Breakers.", BreakerList))
    async def show_breakers(self, request: web.Request) -> web.Response:
        """Show tools and hosts that failed recently or whose circuit breaker is open."""
        caller = caller_of(request)
        entries = [_breaker_entry(facts) for facts in self._breakers.list_breakers(caller.user.id)]
        return json_answer(BreakerList(breakers=entries))

    @api_route(
        "POST /api/breakers/reset",
        ok("Closed.", BreakersReset),
        body=BreakerChoice,
        body_required=False,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST,),
        audited=AuditKind.SETTINGS,
    )
    async def reset_breakers(self, request: web.Request) -> web.Response:
        """Close breakers. Those of other users stay as they are."""
        caller = caller_of(request)
        chosen = await read_body(request, BreakerChoice)
        if chosen.operation is not None and chosen.server_id is None:
            raise BridgeError(ErrorCode.INVALID_REQUEST, "An operation needs its `server_id`.")
        closed = self._breakers.reset_breakers(
            caller.user.id, chosen.server_id, chosen.operation, chosen.host, kind=chosen.kind
        )
        set_audit_detail(request, server_id=chosen.server_id, breakers_reset=closed)
        return json_answer(BreakersReset(reset=closed))

    @api_route("GET /api/call-settings", ok("Settings.", CallSettingList))
    async def show_call_settings(self, request: web.Request) -> web.Response:
        """Show the caller's deadlines and limits of calls."""
        caller = caller_of(request)
        return json_answer(_setting_list(await self._settings.settings_of_user(caller.user.id)))

    @api_route(
        "PUT /api/call-settings",
        ok("All settings as they are now.", CallSettingList),
        body=CallSettingEntry,
        access="page",
        errors=(ErrorCode.NOT_FOUND, ErrorCode.INVALID_REQUEST),
        audited=AuditKind.SETTINGS,
    )
    async def change_call_setting(self, request: web.Request) -> web.Response:
        """Set deadline and limits for calls of a user, a server or an operation.

        Without any value the setting is removed.
        """
        caller = caller_of(request)
        entry = await read_body(request, CallSettingEntry)
        await self._check_scope(caller.user.id, entry)
        setting = CallSetting(entry.deadline_s, entry.max_parallel, entry.in_order or None)
        scope = SettingScope(entry.server_id, entry.operation)
        values = entry.model_dump(exclude={"server_id"})
        set_audit_detail(request, server_id=entry.server_id or None, calls=values)
        return json_answer(_setting_list(await self._settings.save_setting(caller.user.id, scope, setting)))

    async def _check_scope(self, user_id: str, entry: CallSettingEntry) -> None:
        if entry.deadline_s is not None:
            checked_deadline(entry.deadline_s)
        if not entry.server_id:
            if entry.operation or entry.max_parallel is not None or entry.in_order:
                message = "`operation`, `max_parallel` and `in_order` need a `server_id`."
                raise BridgeError(ErrorCode.INVALID_REQUEST, message)
            return
        server = (await self._registry.view_of_user(user_id)).find_server(entry.server_id)
        if not entry.operation:
            return
        if entry.operation not in server.by_key:
            message = f"Server {entry.server_id!r} has no operation {entry.operation[:200]!r}."
            raise BridgeError(ErrorCode.NOT_FOUND, message)
        if entry.in_order:
            raise BridgeError(ErrorCode.INVALID_REQUEST, "`in_order` is set for a server, not for one tool.")

    def _limit_list(self, *, may_change: bool) -> LimitList:
        return LimitList(
            limits=[
                LimitEntry(
                    name=facts.name,
                    variable=facts.variable,
                    value=facts.value,
                    default=facts.default,
                    minimum=facts.minimum,
                    maximum=facts.maximum,
                    meaning=facts.meaning,
                    source=facts.source,
                )
                for facts in self._limits.list_limits()
            ],
            may_change=may_change,
            calls=OpenCalls(running=self._queue.running, waiting=self._queue.waiting),
        )


def _breaker_entry(facts: BreakerFacts) -> BreakerEntry:
    return BreakerEntry(
        kind=facts.key.kind,
        tool=facts.name,
        host=facts.key.origin,
        server_id=facts.key.server_id,
        operation=facts.key.operation_key,
        state=facts.state,
        failures=facts.failures,
        last_error=facts.last_error,
        open_for_s=None if facts.open_for_s is None else round(facts.open_for_s, 1),
        retry_after_s=None if facts.retry_after_s is None else round(facts.retry_after_s, 1),
    )


def _setting_list(settings: CallSettings) -> CallSettingList:
    return CallSettingList(
        settings=[
            CallSettingEntry(
                server_id=scope.server_id,
                operation=scope.operation_key,
                deadline_s=setting.deadline_s,
                max_parallel=setting.max_parallel,
                in_order=setting.in_order,
            )
            for scope, setting in sorted(settings.entries.items())
        ]
    )
