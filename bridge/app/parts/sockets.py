"""The sockets of pages, by which calls reach them."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.app.part import Ground, Part
from bridge.app.parts.accounts import AccountsPart
from bridge.app.parts.records import RecordsPart
from bridge.browsers.followed_devices import FollowedDevices
from bridge.browsers.gateway import BrowserGateway, FindRoute
from bridge.browsers.page_socket import MakeSocket, PageSocket
from bridge.cluster.changes import Followed
from bridge.lazy_modules import load_lazily
from bridge.metrics.metric_definitions import StateGauges
from bridge.settings.network import origin_of


class SocketsPart(Part):
    """Serves pages; the application attaches its socket, and the server closes it before the listener."""

    def __init__(
        self, ground: Ground, accounts: AccountsPart, records: RecordsPart, find_route: FindRoute | None
    ) -> None:
        """`find_route`: of a replica: where the pages of a user belong."""
        make_socket: MakeSocket = load_lazily("straight_socket") if ground.is_straight else PageSocket
        self._ground = ground
        self.gateway = BrowserGateway(
            accounts.identity,
            accounts.choices,
            records.approvals,
            ground.tasks,
            records.journal,
            own_origins=[origin_of(ground.base_url)],
            make_socket=make_socket,
            ack_s=ground.timings.ack_s,
            find_route=find_route,
        )
        self._followed = FollowedDevices(accounts.users, accounts.identity, accounts.choices, self.gateway)

    def list_followed(self) -> Sequence[Followed]:
        """Return the browsers, of which removed ones are disconnected."""
        return [(["devices"], self._followed.read_devices)]

    def set_gauges(self, gauges: StateGauges) -> None:
        """Count the pages, and the users who have one."""
        pages = self.gateway.pages
        users = pages.user_ids()
        gauges.page_users.set(len(users))
        gauges.pages.set(sum(map(pages.count_pages, users)))

    async def start(self) -> None:
        """Begin to look for browsers that were removed by a command."""
        self._ground.tasks.keep_running(self._followed.keep_reading, "browsers that were removed")
