"""Web servers of a test's own, each on a free port of this machine and so an origin of its own."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from aiohttp import hdrs, web


@asynccontextmanager
async def serving(
    app: web.Application, *, notices_hang_up: bool = False, shutdown_s: float = 1
) -> AsyncGenerator[str]:
    """The address of an application while it listens; `notices_hang_up`: its handlers are cancelled then."""
    runner = web.AppRunner(
        app, handler_cancellation=notices_hang_up, shutdown_timeout=shutdown_s, access_log=None
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def for_every_page(app: web.Application) -> web.Application:
    """The same application, whose answers pages of every origin may ask for and read whole."""

    async def allow(_request: web.Request, response: web.StreamResponse) -> None:
        for name in (
            hdrs.ACCESS_CONTROL_ALLOW_ORIGIN,
            hdrs.ACCESS_CONTROL_ALLOW_METHODS,
            hdrs.ACCESS_CONTROL_EXPOSE_HEADERS,
        ):
            response.headers[name] = "*"
        response.headers[hdrs.ACCESS_CONTROL_ALLOW_HEADERS] = "*, authorization"  # "*" leaves that one out

    app.on_response_prepare.append(allow)
    return app
