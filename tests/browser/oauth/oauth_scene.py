"""A bridge whose page logs in to a protected API at a real authorization server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.support.chromium import accept_selection, expect_connection, go_to, open_page
from tests.support.oauth.authorization import TOKEN_SECONDS, OAuthServer, oauth_server
from tests.support.oauth.protected_api import NotesApi, notes_api
from tests.support.oauth.records import Client
from tests.support.tcp_servers import free_port
from tests.support.waiting import eventually

CLIENT = "bridge-page"


@dataclass
class OAuthScene:
    """The page is open, and has accepted the API's operations."""

    harness: BrowserHarness
    server: OAuthServer
    api: NotesApi
    page: Page
    server_id: str

    @property
    def panel(self) -> Locator:
        """The part of the server's page that logs in."""
        return self.page.get_by_role("region", name="Login")

    @property
    def redirect(self) -> str:
        return f"{self.harness.bridge.base_url}/oauth/callback"

    async def show_server(self) -> None:
        """Show the server with its login."""
        await go_to(self.page, "servers", self.server_id)
        await expect(self.panel).to_be_visible()

    async def fill_client(self, client_id: str = CLIENT, **values: str) -> None:
        """Enter what was registered at the server."""
        await self.panel.get_by_text("Client and account").click()
        await self.panel.get_by_label("Client id").fill(client_id)
        for label, value in values.items():
            await self.panel.get_by_label(label).fill(value)

    async def press(self, name: str = "Log in") -> Page:
        """Press a button that opens a window, and give that, once the server's page is there."""
        async with self.page.context.expect_page() as opened:
            await self.panel.get_by_role("button", name=name, exact=True).click()
        window = await opened.value
        await window.wait_for_url(f"{self.server.issuer}/**")
        return window

    async def log_in(self, user: str = "ada", *, button: str = "Log in") -> None:
        """The whole way."""
        window = await self.press(button)
        await window.get_by_label("Your name").fill(user)
        await window.get_by_role("button", name="Allow").click()
        await expect(self.panel.get_by_text("Logged in.")).to_be_visible()
        await self.expect_executor()

    async def log_in_briefly(self, user: str = "ada") -> None:
        """The whole way, with a first token that expires at once; those that follow do not."""
        self.server.token_seconds = 1
        await self.log_in(user)
        self.server.token_seconds = TOKEN_SECONDS
        await eventually(lambda: not self.server.tokens[0].is_good)

    async def expect_executor(self) -> None:
        """The worker that may renew logins has taken over."""
        await expect_connection(self.page, "connected")

    async def call(self, tool: str, arguments: Any = "{}") -> Any:
        return await self.harness.caller.call(tool, arguments)


@asynccontextmanager
async def oauth_scene(
    chromium: Browser,
    folder: Path,
    *,
    openid: bool = False,
    approve: str = "all",
    prefix: str = "",
    **scheme: Any,
) -> AsyncGenerator[OAuthScene]:
    """`prefix`: of the bridge's path; `scheme`: members of the document's security scheme to replace."""
    parts = unopened_scene(chromium, folder, openid=openid, approve=approve, prefix=prefix, **scheme)
    async with parts as (harness, server, api, server_id):
        page = await (await harness.new_context()).new_page()
        await open_page(page, await harness.bridge.page_url())
        yield await begun_scene(harness, server, api, page, server_id)


async def begun_scene(
    harness: BrowserHarness, server: OAuthServer, api: NotesApi, page: Page, server_id: str
) -> OAuthScene:
    """With the operations accepted on a page that is open, and the login shown."""
    scene = OAuthScene(harness, server, api, page, server_id)
    await accept_selection(page, server_id)
    await scene.show_server()
    return scene


@asynccontextmanager
async def unopened_scene(
    chromium: Browser,
    folder: Path,
    *,
    openid: bool = False,
    approve: str = "all",
    prefix: str = "",
    **scheme: Any,
) -> AsyncGenerator[tuple[BrowserHarness, OAuthServer, NotesApi, str]]:
    """All but a page; at last the id of the API's server."""
    port = free_port()
    place = {"port": port, "public_url": f"http://127.0.0.1:{port}{prefix}"}
    async with (
        oauth_server() as server,
        notes_api(server) as api,
        open_harness(chromium, folder, [], deadline_s=20, approve=approve, **place) as harness,
    ):
        server.clients[CLIENT] = Client(CLIENT, (f"{harness.bridge.base_url}/oauth/callback",))
        document = folder / "notes.json"
        document.write_text(api.openid_document() if openid else api.document(**scheme))
        added = await harness.bridge.share_document(str(document), named="notes")
        yield harness, server, api, added.record.id
