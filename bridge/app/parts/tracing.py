"""Spans of calls, turns and requests, where traces are switched on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bridge.app.part import Ground, Observers, Part
from bridge.lazy_modules import load_lazily
from bridge.telemetry.call_spans import CallSpans
from bridge.tracing.tracer import Tracer

if TYPE_CHECKING:
    from bridge.telemetry.otlp_exporter import OtlpExporter  # loads OpenTelemetry, an extra


class TracingPart(Part):
    """Makes spans and sends them."""

    def __init__(self, ground: Ground) -> None:
        self.tracer: Tracer | None = None
        """None: nothing is traced."""
        self._exporter: OtlpExporter | None = None
        telemetry = ground.settings.telemetry
        if telemetry.traces_endpoint is not None:
            make: Callable[[str, str], OtlpExporter] = load_lazily("span_exporter")
            self._exporter = make(telemetry.traces_endpoint, ground.replica)
            self.tracer = Tracer(self._exporter, telemetry.traces_ratio)

    def list_observers(self) -> Observers:
        """Return what makes spans of calls."""
        if self.tracer is None:
            return Observers()
        spans = CallSpans(self.tracer)
        return Observers(calls=[spans.note_move], refusals=[spans.note_refusal])

    async def close(self) -> None:
        """Send the spans that are left."""
        if self._exporter is not None:
            await self._exporter.close()
