"""Contract tests once more, with each of their bridges below a path of its origin (`--below-a-path`)."""

from bridge.settings.bridge import BridgeSettings
from bridge.settings.path_prefix import prefix_of
from tests.support.settings import changed_settings
from tests.support.tcp_servers import free_port

PREFIX = "/below/a-path"


class _Run:
    is_below = False


def begin_run_below() -> None:
    """From now on, bridges of tests are below a path."""
    _Run.is_below = True


def placed(settings: BridgeSettings) -> BridgeSettings:
    """The settings, below the path in such a run unless the test chose an address."""
    if not _Run.is_below or settings.network.public_url is not None:
        return settings
    port = settings.network.port or free_port()
    return changed_settings(settings, port=port, public_url=f"http://127.0.0.1:{port}{PREFIX}")


def socket_path(base_url: str) -> str:
    """The path at which pages of a bridge open their sockets, as python-socketio takes it."""
    return f"{prefix_of(base_url)}/ws/socket.io".lstrip("/")
