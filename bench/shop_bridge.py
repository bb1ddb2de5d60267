"""A bridge with the sample shop: what benchmarks of calls talk to, and tests of what a call costs."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from bench.payloads import ARGUMENTS_TEXT, CHAT_ID, MESSAGE_ID
from bench.peer import PageOrder
from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.auth.identity import SESSION
from bridge.browsers.gateway import SOCKET_PATH
from bridge.calls.request import CallContext, CallRequest
from bridge.catalog.server_view import LoadedServer
from bridge.settings.approvals import ApprovalSettings
from bridge.settings.bridge import BridgeSettings
from bridge.settings.limits import Limits
from bridge.settings.network import NetworkSettings
from bridge.storage.database import open_database
from bridge.storage.users import User
from examples.document_files import read_document_text
from tests.support.stores.devices import add_device

DOCUMENT = "shop.json"
TOOL = "listProducts"
CHANGING_TOOL = "addProduct"
_OPERATION = "GET /products"
_SESSION_S = 3600.0

UNLIMITED = Limits(calls_per_minute_per_user=1_000_000)
"""What is measured is the bridge, not the rate that it allows."""


@dataclass(frozen=True)
class ShopBridge:
    """A running bridge whose local user has accepted all of the shop."""

    bridge: Bridge
    server: LoadedServer

    async def open_session(self, user: User) -> tuple[str, str]:
        """A new device of a user, by its id, and a token with which its page may connect."""
        parts = self.bridge.components
        device = await add_device(parts.store, user.id, "bench")
        facts = {"sub": user.id, "name": user.name, "device": device.id}
        return device.id, parts.identity.sign_token(SESSION, facts, _SESSION_S)

    async def page_of(self, user: User) -> PageOrder:
        """A page of a user, to be connected."""
        device_id, token = await self.open_session(user)
        socket_url = f"{self.bridge.base_url}{SOCKET_PATH}/?EIO=4&transport=websocket"
        return PageOrder(socket_url.replace("http://", "ws://"), token, page_id=device_id)

    def compose_call(self, *, safe: bool) -> CallRequest:
        """A call of `TOOL`, as one that only reads or as one that may change something."""
        digest = next(each.digest for each in self.server.compiled.operations if each.key == _OPERATION)
        return CallRequest(
            CallContext(self.bridge.local_user.id, CHAT_ID, MESSAGE_ID),
            tool_name=TOOL,
            server_id=self.server.record.id,
            operation_key=_OPERATION,
            operation_digest=digest,
            origin="",
            safe=safe,
            arguments_text=ARGUMENTS_TEXT,
        )

    async def settle(self) -> None:
        """Return when the database has all calls: who reads the newest one waits for them."""
        await self.bridge.components.journal.list_calls(self.bridge.local_user.id, before=None, limit=1)


async def start_shop(folder: Path, database: URL | None = None) -> ShopBridge:
    """Start a bridge that asks nobody before a call, and open the shop there.

    Without `database` it has a SQLite file.
    """
    settings = BridgeSettings(
        data_dir=folder,
        network=NetworkSettings(port=0),
        approvals=ApprovalSettings(approve="all"),
        limits=UNLIMITED,
    )
    return await open_shop(await start_bridge(settings, open_database(database or folder / "bridge.sqlite")))


async def open_shop(bridge: Bridge) -> ShopBridge:
    """Add the shop to a running bridge, and accept it for the local user."""
    registry = bridge.components.registry
    server = await registry.share_document(
        DOCUMENT, read_document_text(DOCUMENT), source_url=f"http://127.0.0.1:9/{DOCUMENT}"
    )
    digests = {operation.key: operation.digest for operation in server.compiled.operations}
    await registry.accept_operations(bridge.local_user.id, server.record.id, digests)
    return ShopBridge(bridge, server)
