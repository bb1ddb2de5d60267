"""The MCP endpoint."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.app.part import Ground, Part
from bridge.app.parts.accounts import AccountsPart
from bridge.app.parts.calls import CallsPart
from bridge.app.parts.records import RecordsPart
from bridge.calls.call_watch import CallWatch
from bridge.endpoints.mcp.calls import McpCalls
from bridge.endpoints.mcp.readers import McpReaders
from bridge.endpoints.mcp.routes import McpRoutes
from bridge.endpoints.mcp.subscriptions import Subscriptions
from bridge.endpoints.mcp.tasks import McpTasks
from bridge.endpoints.tool_server import USAGE_PROMPT
from bridge.http.answer_files import TurnFiles
from bridge.http.routing import Route
from bridge.storage.mcp_tasks import McpTaskTable
from bridge.tracing.tracer import Tracer


class McpPart(Part):
    """Offers tools to MCP clients."""

    def __init__(
        self,
        ground: Ground,
        accounts: AccountsPart,
        records: RecordsPart,
        calls: CallsPart,
        *,
        watch: CallWatch,
        tracer: Tracer | None,
    ) -> None:
        """`watch` observes calls."""
        settings, registry = ground.settings, calls.registry
        self._engine = calls.engine
        readers = McpReaders(settings.tools.max_mcp_answer_bytes)
        tasks = McpTasks(
            McpTaskTable(ground.store, settings.storage), records.journal, ground.tasks, accounts.access
        )
        mcp_calls = McpCalls(
            registry,
            calls.engine,
            TurnFiles(calls.files, ground.base_url),
            calls.links,
            watch=watch,
            tasks=ground.tasks,
            mcp_tasks=tasks,
            readers=readers,
        )
        self._routes = McpRoutes(
            registry,
            mcp_calls,
            tasks,
            Subscriptions(registry, readers),
            readers=readers,
            instructions=USAGE_PROMPT,
            tracer=tracer,
        )

    async def end_user(self, user_id: str) -> None:
        """Forget which calls may be sent again; the new home reads them."""
        self._engine.forget_repeats(user_id)

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of the endpoint."""
        return self._routes.list_routes()
