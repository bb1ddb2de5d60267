"""Sets the gauges when somebody reads the metrics, from what a bridge keeps anyway."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.app.composition import Components
from bridge.browsers.connected_pages import ConnectedPages
from bridge.http.metrics import MetricsRoute
from bridge.limits.circuit_breaker import Breakers
from bridge.metrics.instruments import StateGauges


def compose_metrics(parts: Components, token: str | None) -> MetricsRoute:
    """Return the route of the metrics."""
    registry, state = parts.metrics.instruments.registry, parts.metrics.instruments.state

    def sample() -> None:
        _count_pages(state, parts.gateway.pages)
        _count_breakers(state, parts.controls.breakers)
        for name, queue in (("calls", parts.controls.queue), ("requests", parts.requests)):
            state.queued.labels(name, "running").set(queue.running)
            state.queued.labels(name, "waiting").set(queue.waiting)
        for name, log in (("calls", parts.journal), ("audit", parts.audit)):
            state.journal_waiting.labels(name).set(log.backlog.waiting)
            state.journal_away.labels(name).set(log.backlog.is_away)

    return MetricsRoute(registry, sample, parts.identity, token=token)


def _count_pages(state: StateGauges, pages: ConnectedPages) -> None:
    users: Sequence[str] = pages.user_ids()
    state.page_users.set(len(users))
    state.pages.set(sum(map(pages.count_pages, users)))


def _count_breakers(state: StateGauges, breakers: Breakers) -> None:
    state.breakers.clear()
    for (kind, is_now), count in breakers.count_states().items():
        state.breakers.labels(kind, is_now.value).set(count)
