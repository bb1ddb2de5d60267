"""The plugins, loaded as Open WebUI loads them, with a real bridge behind them."""

from typing import Any

from bridge.app.server import Bridge
from plugins.open_webui.assemble import assemble_plugin
from tests.support.fake_open_webui import loaded, with_valves

PIPE = assemble_plugin("pipe")
SUBQUERY = assemble_plugin("subquery")

CITY = {"city": {"type": "string"}}


def load_pipe(bridge: Bridge, **valves: Any) -> Any:
    """A pipe of this bridge."""
    given = {"BRIDGE_URL": bridge.base_url, "BRIDGE_KEY": bridge.key, **valves}
    return with_valves(loaded(PIPE, "Pipe"), **given)


def load_subquery(bridge: Bridge, **valves: Any) -> Any:
    """A subquery tool of this bridge."""
    given = {"BRIDGE_URL": bridge.base_url, "BRIDGE_KEY": bridge.key, **valves}
    return with_valves(loaded(SUBQUERY, "Tools"), **given)


async def weather(_name: str, params: dict[str, Any]) -> Any:
    """What a browser answers to `execute:tool`."""
    return [{"city": params.get("city"), "temp": 22}, {"content-type": "application/json"}]
