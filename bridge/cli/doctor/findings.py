"""What `tool-bridge doctor` finds, and the advice that goes with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bridge.bundled import BUILD_PAGE, UNBUILT_PAGE
from bridge.library_versions import READ_VERSIONS, UnreadLibrary
from bridge.settings.path_prefix import prefix_of

ADVICE = {
    "database": "Read the log of the bridge. PostgreSQL: is the server up, and does it accept this machine? "
    "SQLite: does another program hold the file?",
    "data_folder": "Make room on its disk, and let the user who runs the bridge write there.",
    "documents": "Look again in a minute, as a process that hangs is replaced. Then look whether the machine "
    "lacks memory, and restart the bridge.",
    "canary": "Open the page of the canary's user (--canary-user) and accept its tool (--canary-tool). "
    "Does the page say Connected, and does the tool run there?",
    "cluster": "Does Redis run, and can the machine of this replica reach it (--redis)? tool-bridge replicas "
    "lists those that live. One that drains ends by itself.",
    "bridge": "Start it again when it has ended.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    name: str
    ok: bool
    message: str
    advice: str = ""
    """What to do; "" when nothing is to be done."""
    warning: bool = False
    """Whether something can be better, though it works: `ok` is true."""


def check_libraries(unread: Sequence[UnreadLibrary]) -> list[Finding]:
    """Return whether a bridge can start with the versions of its libraries, and use their insides."""
    if not unread:
        read = ", ".join(READ_VERSIONS)
        return [Finding("libraries", ok=True, message=f"The bridge was fitted to the installed {read}.")]
    return [
        Finding(
            "libraries",
            ok=each.is_replaceable,
            message=f"{each.message} {each.consequence}",
            advice=each.advice,
            warning=each.is_replaceable,
        )
        for each in unread
    ]


def check_page(*, is_unbuilt: bool) -> list[Finding]:
    """Return what is wrong with the files of the page that this installation brings."""
    if not is_unbuilt:
        return []
    return [Finding("built_page", ok=True, message=UNBUILT_PAGE, advice=BUILD_PAGE, warning=True)]


def check_address(base_url: str) -> list[Finding]:
    """Return what browsers make of the page's address, and who else is there."""
    return [_check_origin(base_url), *_check_neighbours(base_url)]


def _check_neighbours(base_url: str) -> list[Finding]:
    """Return a warning where other programs share the page's origin."""
    if not (prefix := prefix_of(base_url)):
        return []
    origin = base_url.removesuffix(prefix)
    message = (
        f"The bridge is below a path: other programs at {origin} can read its page, and use the credentials "
        "that browsers store for it."
    )
    advice = "Trust each of them as you trust the bridge, or give the bridge a host name of its own."
    return [Finding("shared_origin", ok=True, message=message, advice=advice, warning=True)]


def _check_origin(base_url: str) -> Finding:
    """Return whether browsers let the page at this address store its keys."""
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if parts.scheme == "https" or host in ("localhost", "::1") or host.startswith("127."):
        return Finding("origin", ok=True, message=f"Browsers trust {base_url} with the page's keys.")
    message = f"At {base_url} browsers do not allow the key storage that pairing needs."
    advice = (
        "Put a proxy with TLS before it (docs/how-to/run-behind-a-proxy.md), or use it on this machine only."
    )
    return Finding("origin", ok=True, message=message, advice=advice, warning=True)
