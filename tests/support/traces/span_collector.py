"""A collector of traces on loopback, as OpenTelemetry's would be: OTLP over HTTP, in protobuf."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.web_servers import serving


@dataclass
class ReceivedSpan:
    """A span as a collector sees it."""

    name: str
    kind: int
    trace_id: str
    span_id: str
    parent_id: str
    began_ns: int
    ended_ns: int
    attributes: dict[str, Any]
    links: list[str]
    """Ids of the spans that it links to."""
    is_error: bool
    resource: dict[str, Any]


@dataclass
class SpanCollector:
    """What a collector has received."""

    url: str = ""
    spans: list[ReceivedSpan] = field(default_factory=list[ReceivedSpan])

    async def receive(self, request: web.Request) -> web.Response:
        batch = ExportTraceServiceRequest.FromString(await request.read())
        for of_resource in batch.resource_spans:
            resource = _attributes(of_resource.resource.attributes)
            for scope in of_resource.scope_spans:
                self.spans += [_received(span, resource) for span in scope.spans]
        return web.Response()

    def named(self, name: str) -> ReceivedSpan:
        """The one span of that name."""
        (span,) = (span for span in self.spans if span.name == name)
        return span


@asynccontextmanager
async def span_collector() -> AsyncGenerator[SpanCollector]:
    """A collector that listens until the end."""
    collector = SpanCollector()
    app = web.Application()
    app.router.add_post("/v1/traces", collector.receive)
    async with serving(app) as url:
        collector.url = f"{url}/v1/traces"
        yield collector


def _received(span: Any, resource: dict[str, Any]) -> ReceivedSpan:
    return ReceivedSpan(
        span.name,
        span.kind,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        _attributes(span.attributes),
        [link.span_id.hex() for link in span.links],
        span.status.code == 2,
        resource,
    )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
