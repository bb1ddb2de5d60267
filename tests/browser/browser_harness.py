"""The stage of a browser test: a bridge, the sample API on another port, and pages of real users."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import aiohttp
from aiohttp import web
from playwright.async_api import Browser, BrowserContext, Page, expect

from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.documents.reader import DocumentReader
from bridge.settings.network import page_url
from bridge.storage.database import open_database
from examples.sample_api import start_sample_api
from tests.browser.served_page import find_built_page
from tests.support.chromium import Caller, accept_selection, open_page
from tests.support.documents.compiled import overlay_text
from tests.support.documents.inline_reader import InlineReader
from tests.support.running_bridge import TEST_LIMITS
from tests.support.settings import bridge_settings
from tests.support.stores.databases import with_tables
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject

PATIENT = {"PAGE_RESUME_SECONDS": 10}
"""A page that is reloaded on a busy machine is back in time."""

MIRROR_VIEWS = (
    ("servers",),
    ("servers", "mirror"),
    ("servers", "mirror", "review"),
    ("tools",),
    ("tools", "mirrorJson"),
    ("selection",),
    ("chat",),
    ("calls",),
    ("audit",),
    ("charts",),
    ("devices",),
    ("settings",),
    ("approval",),
    ("backup",),
    ("connect",),
    ("doctor",),
)
"""Views of a page that has the API `mirror`, as `go_to` takes them."""


@dataclass
class BrowserHarness:
    """Everything that runs; pages made here belong to contexts of this test alone."""

    bridge: Bridge
    samples: web.AppRunner
    samples_url: str
    http: aiohttp.ClientSession
    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list[BrowserContext])

    @property
    def caller(self) -> Caller:
        """A program that holds the printed key."""
        return self.caller_at(self.bridge.base_url)

    def caller_at(self, base_url: str) -> Caller:
        """The same program, reaching the bridge by another address."""
        return Caller(base_url, self.bridge.key, self.http)

    async def new_context(self, **options: Any) -> BrowserContext:
        """A browser profile that has never seen the bridge."""
        context = await self.browser.new_context(**options)
        self.contexts.append(context)
        return context

    async def open_page(self, **options: Any) -> Page:
        """The printed link, opened in a new profile, once everything it offers is accepted there."""
        page = await self._opened(await self.bridge.page_url(), options)
        await expect(page.get_by_text("because you named these documents")).to_be_visible()
        return page

    async def link_of(self, user: str) -> str:
        """A fresh link of another user."""
        account = await self.bridge.components.users.ensure_user(user)
        return page_url(self.bridge.base_url, await self.bridge.components.users.add_ticket(account.id))

    async def open_page_of(self, user: str, **options: Any) -> Page:
        """The link of another user, which accepts nothing; then all is accepted in the page."""
        page = await self._opened(await self.link_of(user), options)
        account = await self.bridge.components.users.ensure_user(user)
        for server in (await self.bridge.components.registry.view_of_user(account.id)).servers:
            await accept_selection(page, server.record.id)
        return page

    async def program_of(self, user: str) -> Caller:
        """A program with a key of another user."""
        users = self.bridge.components.users
        _, key = await users.add_key((await users.ensure_user(user)).id, "test")
        return Caller(self.bridge.base_url, key, self.http)

    async def expect_no_page(self, user: str) -> None:
        """Wait until the bridge knows that no page of that user is open."""
        account = await self.bridge.components.users.ensure_user(user)
        await eventually(lambda: self.bridge.components.gateway.pages.count_pages(account.id) == 0)

    async def edit_document(self, *actions: JsonObject) -> None:
        """Have the one document that is offered edited by an overlay, as `--overlay` does."""
        registry = self.bridge.components.registry
        (server,) = (await registry.view_of_user(self.bridge.local_user.id)).servers
        record = server.record
        assert record.named is not None
        overlays = (overlay_text(*actions),)
        await registry.share_document(
            record.named, record.text, source_url=record.source_url, overlays=overlays
        )

    async def _opened(self, url: str, options: dict[str, Any]) -> Page:
        page = await (await self.new_context(**options)).new_page()
        await open_page(page, url)
        return page


@asynccontextmanager
async def open_harness(
    browser: Browser, folder: Path, documents: Sequence[str], **settings: Any
) -> AsyncGenerator[BrowserHarness]:
    """A bridge that offers these sample documents, as `tool-bridge demo` does, but asks about no call.

    Tests of approval say `approve="safe"`.
    """
    async with AsyncExitStack() as stack:
        samples, samples_url = await start_sample_api()
        stack.push_async_callback(samples.cleanup)
        http = await stack.enter_async_context(aiohttp.ClientSession())
        bridge = await start_offering(folder, samples_url, documents, **settings)
        harness = BrowserHarness(bridge, samples, samples_url, http, browser)
        try:
            yield harness
        finally:
            for context in harness.contexts:
                await context.close()
            await harness.bridge.close()


async def start_offering(
    folder: Path,
    samples_url: str,
    documents: Sequence[str],
    *,
    deadline_s: float = 60,
    limits: Mapping[str, float] = MappingProxyType({}),
    reader: DocumentReader | None = None,
    **settings: Any,
) -> Bridge:
    """Start a bridge, on a free port if none is given, and share documents of the sample API.

    `reader`: who reads them, if not this process.
    """
    limits = {"TOOL_TIMEOUT_SECONDS": deadline_s, **PATIENT, **TEST_LIMITS, **limits}
    settings.setdefault("built_in_clone", find_built_page())
    chosen = bridge_settings(folder, limits=limits, **settings)
    database = open_database(with_tables(folder / "bridge.sqlite3"))
    bridge = await start_bridge(chosen, database, documents=reader or InlineReader())
    for name in documents:
        await bridge.share_document(f"{samples_url}/documents/{name}", named=f"sample {name}")
    return bridge
