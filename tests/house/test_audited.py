"""What only a page may change leaves a trace: the audit log has an entry of it."""

from pathlib import Path

import pytest

from bridge.app.http_application import ROUTES
from bridge.http.routing import ApiRoute
from tests.house.source import refuse
from tests.support.running_bridge import running_bridge

CHANGES_NOTHING = {
    "POST /api/tickets": "gives nobody anything: the browser is paired already, the ticket is only used up",
    "POST /api/pairings/code": "shows who waits with a code; the decision about it is audited",
    "POST /api/documents/bundle": "makes one text of several and keeps nothing",
    "POST /api/providers/test": "asks a provider for its models and keeps nothing",
}
"""Routes that only a page may use, by a method that changes something elsewhere; each with the reason."""


@pytest.mark.asyncio
async def test_what_only_a_page_may_change_is_audited(tmp_path: Path) -> None:
    """What is kept from keys is what a person decides; afterwards it is asked who did."""
    deciding = {f"{route.method} {route.path}": route for route in await _routes(tmp_path) if _decides(route)}
    assert "POST /api/keys" in deciding
    silent = {name for name, route in deciding.items() if route.audited is None}
    refuse(
        [
            *(
                f"{name} changes something and is not `audited`"
                for name in sorted(silent - CHANGES_NOTHING.keys())
            ),
            *(f"{name} needs no excuse" for name in sorted(CHANGES_NOTHING.keys() - silent)),
        ]
    )


def _decides(route: ApiRoute) -> bool:
    return route.access == "page" and route.method != "GET"


async def _routes(folder: Path) -> list[ApiRoute]:
    async with running_bridge(folder) as bridge:
        return [route for route in bridge.runner.app[ROUTES] if isinstance(route, ApiRoute)]
