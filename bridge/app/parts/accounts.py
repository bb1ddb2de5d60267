"""Users with their keys and browsers, how they log in, and the log of what they changed."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.app.login_composition import compose_logins
from bridge.app.oauth_composition import compose_oauth
from bridge.app.part import Ground, Part
from bridge.auth.access_watch import AccessWatch
from bridge.auth.attempts import SharedCounts
from bridge.auth.forwarded_users import UserHeaders
from bridge.auth.identity import Identity
from bridge.auth.rejected_requests import RejectedRequests
from bridge.browsers.device_routing import DeviceChoices
from bridge.calls.limits.settings import LiveLimits
from bridge.cluster.changes import Followed
from bridge.endpoints.api.login import LoginRoutes
from bridge.endpoints.mcp.protected_resource import ProtectedResource
from bridge.http.routing import Route
from bridge.metrics.metric_definitions import StateGauges
from bridge.storage.users import UserTables


class AccountsPart(Part):
    """Knows who asks."""

    def __init__(self, ground: Ground, limits: LiveLimits, shared: SharedCounts | None) -> None:
        """`shared`: of a replica: what counts together with the others."""
        settings = ground.settings
        headers = UserHeaders(settings.users.user_jwt_secret, trust_plain=settings.users.trust_user_headers)
        self.users = UserTables(ground.store)
        self.identity = Identity(
            self.users,
            ground.secret,
            headers,
            quotas=settings.quotas,
            shared=shared,
            timings=ground.timings,
        )
        self.access = AccessWatch(self.users, self.identity)
        self.choices = DeviceChoices(self.users)
        oauth = compose_oauth(settings.oauth, self.identity, ground.base_url, ground.tasks)
        self.mcp_callers = oauth.callers
        self.resource = ProtectedResource(oauth.resource)
        """The bridge as a resource of an OAuth server, as MCP clients find it."""
        self.rejected = RejectedRequests(ground.audit)
        self.unauthenticated = self.identity.attempts.limit_attempts(
            "requests without a valid key", per_key=_rate(limits), window_s=60
        )
        """How often an address may send requests without a valid key."""
        self._ground = ground
        self._limits = limits

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of the login, and of the OAuth resource."""
        ground, identity = self._ground, self.identity
        logins = compose_logins(ground.settings.login, identity, ground.store, ground.base_url, ground.tasks)
        return [
            *LoginRoutes(logins, identity.attempts, ground.audit, ground.base_url).list_routes(),
            *self.resource.list_routes(),
        ]

    def list_followed(self) -> Sequence[Followed]:
        """Return caches of keys, and of who prefers which browser."""
        return [(["keys"], self.identity.forget_credentials), (["device_choices"], self.choices.clear_cache)]

    def apply_limits(self) -> None:
        """Let strangers try as often as is allowed now."""
        self.unauthenticated.change_rate(per_key=_rate(self._limits))

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count entries of the audit log that wait."""
        gauges.journal_waiting.labels("audit").set(self._ground.audit.backlog.waiting)
        gauges.journal_away.labels("audit").set(self._ground.audit.backlog.is_away)

    async def start(self) -> None:
        """Begin to delete old entries of the audit log."""
        tasks = self._ground.tasks
        tasks.keep_running(self._ground.audit.sweep_hourly, "old entries of the audit log")


def _rate(limits: LiveLimits) -> int:
    return limits.now.unauthenticated_per_minute_per_address
