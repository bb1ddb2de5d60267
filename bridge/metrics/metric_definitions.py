"""Every metric of a bridge, by name.

Labels have few values: kinds, states and codes that this code declares, and the operator's own names of model
providers. Users, tools, servers, origins and models are not among them, because anybody may add those.
"""

from __future__ import annotations

import platform
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

from bridge import __version__

TURN_BUCKETS_S = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0)

STORE_BUCKETS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0)

LAG_BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)


class TurnInstruments:
    """What model turns do."""

    def __init__(self, registry: CollectorRegistry) -> None:
        counter = partial(Counter, registry=registry)
        ended = "Model turns that have ended. code: the error's code; empty for a success."
        self.ended = counter("tool_bridge_model_turns", ended, ("provider", "outcome", "code"))
        self.seconds = Histogram(
            "tool_bridge_model_turn_seconds",
            "From the admission of a turn to its end, with the calls in it.",
            ("provider",),
            buckets=TURN_BUCKETS_S,
            registry=registry,
        )
        rounds = "Rounds of models, those of sub-queries included."
        self.rounds = counter("tool_bridge_model_rounds", rounds, ("provider",))
        tokens = "Tokens as providers count them. cached is part of input, reasoning of output."
        self.tokens = counter("tool_bridge_model_tokens", tokens, ("provider", "kind"))
        searches = "Searches for tools by a model's own means, by what they loaded."
        self.searches = counter("tool_bridge_model_tool_searches", searches, ("provider", "ending"))


class StateGauges:
    """What there is at the moment; set when somebody reads the metrics."""

    def __init__(self, registry: CollectorRegistry) -> None:
        gauge = partial(Gauge, registry=registry)
        entries = "Entries of the queues: those that run, and those that wait."
        self.queued = gauge("tool_bridge_queue_entries", entries, ("queue", "state"))
        self.pages = gauge("tool_bridge_pages", "Bridge pages that are connected.")
        self.page_users = gauge("tool_bridge_page_users", "Users with a connected page.")
        self.homes = gauge("tool_bridge_homes", "Users who are at home in this replica.")
        loaded = "Servers that are loaded. edited: whether overlays edit their tools."
        self.servers = gauge("tool_bridge_servers", loaded, ("edited",))
        not_closed = "Circuit breakers that are not closed."
        self.breakers = gauge("tool_bridge_breakers", not_closed, ("watches", "state"))
        waiting = "Entries that wait to be written to the database."
        self.journal_waiting = gauge("tool_bridge_journal_waiting", waiting, ("log",))
        away = "1 while the database refuses what is to be written."
        self.journal_away = gauge("tool_bridge_journal_unavailable", away, ("log",))


class Instruments:
    """The metrics of one bridge, in a registry of their own: a process may run several bridges in turn."""

    def __init__(self, replica: str = "") -> None:
        """`replica`: the id of this replica; "" for a bridge alone."""
        registry = self.registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=registry)
        GCCollector(registry=registry)
        build = Info("tool_bridge_build", "Version of the bridge, and who it is.", registry=registry)
        build.info({"version": __version__, "python": platform.python_version(), "replica": replica})
        self.turns = TurnInstruments(registry)
        self.state = StateGauges(registry)
        self.store_seconds = Histogram(
            "tool_bridge_store_seconds",
            "What the database took for one piece of work, the wait for a connection included.",
            ("work",),
            buckets=STORE_BUCKETS_S,
            registry=registry,
        )
        queries = "Outlines of answers and queries of them, by how each ended."
        self.answer_queries = Counter(
            "tool_bridge_answer_queries", queries, ("work", "ending"), registry=registry
        )
        self.loop_lag = Histogram(
            "tool_bridge_event_loop_lag_seconds",
            "How much later than asked for the event loop woke a timer.",
            buckets=LAG_BUCKETS_S,
            registry=registry,
        )

    def note_query(self, work: str, ending: str) -> None:
        """Count an outline or a query of an answer; `ending`: "succeeded", or why there is none."""
        self.answer_queries.labels(work, ending).inc()

    def note_store_work(self, work: str, seconds: float) -> None:
        """Measure work of the database; `work`: one of a few kinds. In any thread."""
        self.store_seconds.labels(work).observe(seconds)
