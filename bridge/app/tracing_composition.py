"""Where spans come from and go to, where traces are switched on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.agent.turn_runner import TurnRunner
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.engine import Engine
from bridge.homes import HomeOf
from bridge.lazy_modules import load_lazily
from bridge.settings.telemetry import TelemetrySettings
from bridge.telemetry.call_spans import CallSpans
from bridge.tracing.tracer import Tracer

if TYPE_CHECKING:
    from bridge.telemetry.otlp_exporter import OtlpExporter  # loads OpenTelemetry, an extra


@dataclass(frozen=True, slots=True)
class Tracing:
    """What makes the spans of one bridge."""

    tracer: Tracer
    close: Callable[[], Awaitable[None]]
    """Sends what is left; the tracer must not be used after it."""


def compose_tracing(
    settings: TelemetrySettings,
    homes: HomeOf | None,
    dispatcher: Dispatcher,
    engine: Engine,
    turns: TurnRunner,
) -> Tracing | None:
    """Have spans made of all calls and turns, if the settings ask for it; None: nothing is traced."""
    if settings.traces_endpoint is None:
        return None
    make: Callable[[str, str], OtlpExporter] = load_lazily("span_exporter")
    exporter = make(settings.traces_endpoint, "" if homes is None else homes.replica)
    tracer = Tracer(exporter, settings.traces_ratio)
    spans = CallSpans(tracer)
    dispatcher.observers.of_all.append(spans.note_move)
    engine.on_refusal(spans.note_refusal)
    turns.trace_with(tracer)
    return Tracing(tracer, exporter.close)
