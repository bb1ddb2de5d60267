"""A registry of servers that can be opened again, as after a restart."""

from dataclasses import dataclass, field

from bridge.catalog.ports import Compiler
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import LoadedServer
from bridge.settings.quotas import DEFAULT_QUOTAS, QuotaSettings
from bridge.tasks import Tasks
from tests.support.stores.memory_server_store import InlineCompiler, MemoryListingStore, MemoryServerStore
from toolserver.tool.selection import Selection

OPERATOR = "operator"


@dataclass
class RestartableRegistry:
    """A registry over a store that can be opened again, as after a restart."""

    store: MemoryServerStore = field(default_factory=MemoryServerStore)
    compiler: Compiler = field(default_factory=InlineCompiler)
    tasks: Tasks = field(default_factory=Tasks)
    changes: list[str | None] = field(default_factory=list[str | None])
    loaded: list[str] = field(default_factory=list[str])
    listings: MemoryListingStore = field(default_factory=MemoryListingStore)

    def open(
        self,
        bounds: Selection = Selection(),  # noqa: B008 - it is immutable
        quotas: QuotaSettings = DEFAULT_QUOTAS,
    ) -> Registry:
        async def on_change(user_id: str | None) -> None:
            self.changes.append(user_id)

        def on_load(server: LoadedServer) -> None:
            self.loaded.append(server.record.id)

        return Registry(
            self.store,
            self.compiler,
            self.listings,
            operator_id=OPERATOR,
            bounds=bounds,
            quotas=quotas,
            tasks=self.tasks,
            on_change=on_change,
            on_load=on_load,
        )
