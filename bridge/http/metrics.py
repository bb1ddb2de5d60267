"""`/metrics`: what the bridge measures, in the text format of Prometheus."""

from __future__ import annotations

import asyncio
import hmac
import re
from collections.abc import Callable

from aiohttp import hdrs, web
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from bridge.auth.identity import Identity, bearer_token
from bridge.errors import BridgeError, ErrorCode
from bridge.http.connections import mark_authenticated
from bridge.http.declared_routes import DeclaredRoutes, route
from bridge.http.middleware import METRICS_PATH

_NO_VERSION = re.compile(r"version=(?!\d{1,9}(\.\d{1,9})*\s*(?:[,;]|$))")
"""A version that is no number, on which the library fails."""


class MetricsRoute(DeclaredRoutes):
    """Answers whoever shows the token for metrics, or an API key of the operator.

    Each replica answers for itself, whoever asks: its figures are nobody's home.
    """

    def __init__(
        self,
        registry: CollectorRegistry,
        sample: Callable[[], None],
        identity: Identity,
        *,
        token: str | None,
    ) -> None:
        """`sample` sets the gauges, on the event loop; `token`: None: only the operator may read."""
        self._registry = registry
        self._sample = sample
        self._identity = identity
        self._token = token

    @route(f"GET {METRICS_PATH}", access="monitor")
    async def answer_request(self, request: web.Request) -> web.Response:
        """Return all metrics, in the format that the reader prefers.

        The text is written in a thread: 500 series take 10 ms.

        Raises:
            BridgeError: `unauthorized`, `operator_only`.
        """
        await self._check_reader(request)
        mark_authenticated(request)
        self._sample()
        encode, content_type = choose_encoder(_readable_accept(request))
        body = await asyncio.to_thread(encode, self._registry)
        headers = {hdrs.CONTENT_TYPE: content_type, hdrs.CACHE_CONTROL: "no-store"}
        return web.Response(body=body, headers=headers)

    async def _check_reader(self, request: web.Request) -> None:
        shown = bearer_token(request.headers).encode("utf-8", "surrogatepass")
        if self._token is not None and hmac.compare_digest(shown, self._token.encode()):
            return
        caller = await self._identity.authenticate_reader(request.headers)
        if not caller.user.is_operator:
            message = "Only an operator of the bridge may read its metrics, or who has the token for them."
            raise BridgeError(ErrorCode.OPERATOR_ONLY, message)


def _readable_accept(request: web.Request) -> str:
    """Return the header `Accept`; "" where the library would fail on a version, or repeat what is no text."""
    accept = request.headers.get(hdrs.ACCEPT, "")
    return accept if accept.isascii() and not _NO_VERSION.search(accept) else ""
