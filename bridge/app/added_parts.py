"""Parts that the composition does not name: those of features and of packages (`tool_bridge.parts`)."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from bridge.app.part import Ground, Part, UnusablePart
from bridge.features import FEATURES

if TYPE_CHECKING:
    from bridge.app.composition import Components  # which loads this module

GROUP = "tool_bridge.parts"

_log = logging.getLogger(__name__)


def make_added_parts(made: Components) -> Sequence[Part]:
    """Make the parts of features, then those of all installed packages, by name, from the ground.

    Raises:
        UnusablePart: one of them cannot be made: a bridge without what its operator installed does not start.
    """
    features = [resolve_name(feature.part)(made) for feature in FEATURES.values()]
    return [*features, *(_make_part(each, made.ground) for each in _list_entries(tuple(sys.path)))]


@cache
def _list_entries(_where: tuple[str, ...]) -> Sequence[EntryPoint]:
    """Look into all packages of a search path, once: processes of tests start thousands of bridges."""
    return sorted(entry_points(group=GROUP), key=lambda one: one.name)


def _make_part(entry: EntryPoint, ground: Ground) -> Part:
    package = "an unknown package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
    try:
        part = entry.load()(ground)
    except Exception as error:  # whatever a stranger's module raises: the operator reads whose it is
        raise UnusablePart(_explain(entry, package, f"{type(error).__name__}: {error}")) from error
    if not isinstance(part, Part):
        raise UnusablePart(_explain(entry, package, f"it makes a {type(part).__name__}, which is not a Part"))
    _log.info("Part %s of %s is installed.", entry.name, package)
    return part


def _explain(entry: EntryPoint, package: str, reason: str) -> str:
    return (
        f"The part {entry.name} ({entry.value}) of {package} cannot be used: {reason}. "
        "Mend that package, or uninstall it."
    )
