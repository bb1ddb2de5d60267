"""Spans of requests: each begins with the request's head, and ends with its answer."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bridge.http.middleware import is_open_path
from bridge.tracing.context import TRACEPARENT, TraceContext, parse_traceparent
from bridge.tracing.names import HTTP_METHOD, HTTP_ROUTE, HTTP_STATUS, REQUEST
from bridge.tracing.tracer import Tracer, within_span

API_PREFIX = "/api/"


def trace_requests(tracer: Tracer) -> Middleware:
    """Return the middleware that makes spans of requests; the first of all, so that it sees refusals, too.

    The page's files, sockets, and what monitors ask are not traced.
    """

    @web.middleware
    async def traced(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not (is_open_path(request.path) or request.path.startswith(API_PREFIX)):
            return await handler(request)
        resource = request.match_info.route.resource
        route = None if resource is None else resource.canonical
        title = f"{request.method} {route}" if route else request.method
        about = {HTTP_METHOD: request.method, HTTP_ROUTE: route}
        span = tracer.start_span(REQUEST, title, parent_of(request), about)
        error: str | None = "cancelled"
        try:
            with within_span(span):
                response = await handler(request)
            span.set_attribute(HTTP_STATUS, response.status)
            is_failure = response.status >= HTTPStatus.INTERNAL_SERVER_ERROR and span.error is None
            error = str(response.status) if is_failure else None
        finally:
            tracer.end_span(span, error=error)
        return response

    return traced


def parent_of(request: web.Request) -> TraceContext | None:
    """Return the context that a request's one `traceparent` names; None where that cannot be read."""
    named = request.headers.getall(TRACEPARENT, ())
    return parse_traceparent(named[0]) if len(named) == 1 else None
