"""Which variables are the bridge's own, and what a mistyped one may mean."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from bridge.close_names import find_closest
from bridge.settings.declaration import OWN_PREFIX

OF_COMMANDS = ("TOOL_BRIDGE_DATA", "TOOL_BRIDGE_DATABASE_URL", "TOOL_BRIDGE_KEY")
"""Names that are no settings of a bridge: commands read them."""

OF_MAKE = ("TOOL_BRIDGE_OSV_URL", "TOOL_BRIDGE_NPM_REGISTRY")
"""Names that are set where the bridge is built: `make check` reads them."""


def explain_mistyped(names: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """Return a sentence for each of these names that looks like ours and is not `known`."""
    ours = {*known, *OF_COMMANDS}
    for name in names:
        if name.startswith(OWN_PREFIX) and name not in {*ours, *OF_MAKE}:
            yield f"{name} has no effect: nothing has this name.{_question(name, ours)}"


def _question(name: str, known: Iterable[str]) -> str:
    """Return what may be meant; all begin alike, which would make any two of them similar."""
    rests = [each.removeprefix(OWN_PREFIX) for each in known if each.startswith(OWN_PREFIX)]
    likely = find_closest(name.removeprefix(OWN_PREFIX), rests)
    return f" Did you mean {OWN_PREFIX}{likely}?" if likely else ""
