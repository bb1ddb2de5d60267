"""The bridge page: its files, and how a person pairs browsers and adds the companion."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.app.part import Ground, Part
from bridge.app.parts.accounts import AccountsPart
from bridge.auth.pairing_codes import PairingCodes
from bridge.browsers.gateway import BrowserGateway
from bridge.browsers.returning_users import ReturningUsers
from bridge.browsers.transfers import Transfers
from bridge.catalog.registry import Registry
from bridge.endpoints.api.account import AccountRoutes, PageRouting
from bridge.endpoints.api.devices import DeviceRoutes
from bridge.endpoints.api.login import LOGIN_PATH
from bridge.endpoints.api.offered_tools import DefineForModels, OfferedToolRoutes
from bridge.endpoints.api.pairing import PairingRoutes
from bridge.endpoints.api.removals import RemovalRoutes
from bridge.endpoints.api.transfers import TransferRoutes
from bridge.endpoints.webui_plugins import PluginRoutes
from bridge.http.companion import CompanionRoutes
from bridge.http.login_cookie import LoginCookie
from bridge.http.routing import Route
from bridge.http.static_page import PageRoutes
from bridge.settings.path_prefix import prefix_of
from bridge.storage.accounts.pairings import PairingTable
from bridge.storage.accounts.removals import RemovalTables
from bridge.storage.open_pages import OPEN_PAGES_FILE


class PagesPart(Part):
    """Serves the page."""

    def __init__(
        self,
        ground: Ground,
        accounts: AccountsPart,
        gateway: BrowserGateway,
        registry: Registry,
        routing: PageRouting | None,
        *,
        define_tools: DefineForModels | None,
    ) -> None:
        """`routing`: of a replica: where pages of a user belong. `define_tools`: None without models."""
        self._ground = ground
        self._accounts = accounts
        self._gateway = gateway
        self._routing = routing
        self._registry = registry
        self._define_tools = define_tools
        self._page = PageRoutes(
            accounts.identity,
            registry,
            ground.base_url,
            said={
                "login": ""
                if ground.settings.login.oidc_issuer is None
                else prefix_of(ground.base_url) + LOGIN_PATH,
                "models": "off" if ground.settings.model_defaults.no_models else "",
            },
            built_in_clone=ground.settings.built_in_clone,
        )

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of the page and its files, of accounts, browsers and the companion."""
        ground, identity, companion = self._ground, self._accounts.identity, CompanionRoutes()
        codes = PairingCodes(PairingTable(ground.store), identity.attempts, quotas=ground.settings.quotas)
        users, choices = self._accounts.users, self._accounts.choices
        tables = RemovalTables(ground.store, ground.settings.quotas)
        return [
            *self._account_routes(),
            *PairingRoutes(identity, codes, LoginCookie(ground.base_url)).list_routes(),
            *DeviceRoutes(users, self._gateway, choices).list_routes(),
            *RemovalRoutes(identity, users, tables, self._gateway, choices).list_routes(),
            *TransferRoutes(Transfers()).list_routes(),
            *OfferedToolRoutes(self._registry, self._define_tools).list_routes(),
            *self._page.list_routes(),
            *companion.list_routes(),
            *self._page.list_files(),
            *companion.list_files(),
            *PluginRoutes().list_routes(),
        ]

    async def end_user(self, user_id: str) -> None:
        """Disconnect the user's pages, which connect to the new home."""
        await self._gateway.move_user(user_id)

    def is_busy(self, user_id: str) -> bool:
        """Return whether a page is connected."""
        return self._gateway.pages.count_pages(user_id) > 0

    async def start(self) -> None:
        """Expect the pages that were open when the bridge last stopped, unless replicas do so themselves."""
        ground, pages = self._ground, self._gateway.pages
        if ground.homes is None:
            returning = ReturningUsers(ground.settings.data_dir / OPEN_PAGES_FILE, pages)
            await returning.expect_pages()
            ground.tasks.keep_running(returning.keep_file, "users with an open page")

    def _account_routes(self) -> Sequence[Route]:
        ground, pages = self._ground, self._gateway.pages
        return AccountRoutes(
            self._accounts.identity,
            self._accounts.users,
            ground.settings,
            offer_executor=self._page.offer_executor,
            operator_id=ground.operator.id,
            base_url=ground.base_url,
            port=ground.port,
            count_pages=lambda user_id: len(pages.presence_of(user_id)),
            routing=self._routing,
        ).list_routes()
