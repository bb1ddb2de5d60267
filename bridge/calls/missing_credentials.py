"""What the caller of a refused request reads of the credentials that it went without. Pure.

The caller sees nothing of the page, and a model would repeat the call: it is told who can help, and where.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge.browser_protocol import MissingCredential
from toolserver.errors import quote_text

_MAX_TOLD, _MAX_NAME_CHARS = 3, 60
"""How many are told, and characters of a name: even in quotes and escaped they leave room for the answer."""

_PLACE = "on the bridge page, at this server"

_COOKIE = f"its user can choose {_PLACE} that the companion extension sends it with their login"


def explain_missing(missing: Sequence[MissingCredential]) -> str:
    """Return a sentence for each of the first; "" for none. Names come from the document and are quoted."""
    return " ".join(
        _explain(each.kind, quote_text(each.scheme[:_MAX_NAME_CHARS])) for each in missing[:_MAX_TOLD]
    )


def _explain(kind: str, scheme: str) -> str:
    match kind:
        case "login":
            return f"Nobody is logged in for {scheme} in this browser: its user can log in {_PLACE}."
        case "cookie":
            return f"{scheme} is a cookie, which no page can send: {_COOKIE}."
        case "undeclared":
            return (
                "No credential was sent: the API's description demands none, and none is saved in this "
                f"browser. Its user can enter one {_PLACE} under Credentials. If it knows its users by a "
                f"cookie, {_COOKIE}."
            )
        case _:
            return (
                f"No credential for {scheme} is saved in this browser: its user can enter it {_PLACE} under "
                "Credentials."
            )
