"""The sample API: one aiohttp application that serves the sample documents and performs their operations.

Gives `create_sample_api` to tests and `start_sample_api` to `tool-bridge demo`. All state is in memory and
belongs to one application; it needs no network, no clock and no files beside the documents.
"""

import asyncio

from aiohttp import web

from .answers_api import answers_routes
from .cors import CORS_POLICY, CorsPolicy, Origins, allow_reading, answer_preflights
from .document_files import DOCUMENT_NAMES, read_document_text
from .echo_api import echo_routes
from .ledger import LEDGER, Ledger, keep_ledger, ledger_routes
from .library import LIBRARY, Library
from .library_api import library_routes
from .problem import ApiProblem, answer_problems
from .shop import SHOP, Shop
from .shop_api import shop_routes
from .thermostat_api import HOUSE, House, thermostat_routes
from .transport_api import CLOSING, transport_routes
from .untidy_api import DEPOT, Depot, untidy_routes

_MOST_BODY_BYTES = 32 * 2**20
_SHUTDOWN_S = 1.0


async def _list_documents(_request: web.Request) -> web.Response:
    return web.json_response({"documents": [f"/documents/{name}" for name in DOCUMENT_NAMES]})


async def _get_document(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    try:
        text = read_document_text(name)
    except KeyError:
        raise ApiProblem(404, f"There is no document {name}.") from None
    content_type = "application/json" if name.endswith(".json") else "application/yaml"
    return web.Response(body=text.encode(), content_type=content_type)


def sample_routes() -> list[web.RouteDef]:
    """All routes: `/documents`, `/ledger` and the base path of each document."""
    return [
        web.get("/documents", _list_documents),
        web.get("/documents/{name}", _get_document),
        *ledger_routes(),
        *shop_routes(),
        *library_routes(),
        *thermostat_routes(),
        *answers_routes(),
        *transport_routes(),
        *echo_routes(),
        *untidy_routes(),
    ]


async def _release_slow_answers(app: web.Application) -> None:
    app[CLOSING].set()


def create_sample_api(*, allow_origins: Origins = "*") -> web.Application:
    """A fresh application with the first stock of everything.

    Pages of `allow_origins` may read every answer except those below `/nocors`.
    """
    app = web.Application(
        middlewares=[answer_preflights, keep_ledger, answer_problems], client_max_size=_MOST_BODY_BYTES
    )
    app[CORS_POLICY] = CorsPolicy(allow_origins)
    app[CLOSING] = asyncio.Event()
    app[LEDGER] = Ledger()
    app[SHOP] = Shop()
    app[LIBRARY] = Library()
    app[HOUSE] = House()
    app[DEPOT] = Depot()
    app.on_response_prepare.append(allow_reading)
    app.on_shutdown.append(_release_slow_answers)
    app.add_routes(sample_routes())
    return app


async def start_sample_api(
    host: str = "127.0.0.1", port: int = 0, *, allow_origins: Origins = "*"
) -> tuple[web.AppRunner, str]:
    """Listen on one host and port (0: any free one) and give the runner and the base URL.

    The base URL has no slash at its end. The caller stops it by `await runner.cleanup()`.

    Raises:
        OSError: the port is taken.
    """
    runner = web.AppRunner(create_sample_api(allow_origins=allow_origins), shutdown_timeout=_SHUTDOWN_S)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
    except OSError:
        await runner.cleanup()
        raise
    bound_port: int = runner.addresses[0][1]
    shown_host = f"[{host}]" if ":" in host else host
    return runner, f"http://{shown_host}:{bound_port}"
