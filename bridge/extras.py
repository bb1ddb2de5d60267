"""Drivers that only some bridges need: the extra that brings each, and the error where one is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Literal, TypeAlias

from bridge.told_failure import ToldFailure

Extra: TypeAlias = Literal["postgresql", "replicas", "tracing"]

EXTRAS: Mapping[Extra, Sequence[str]] = {
    "postgresql": ("psycopg",),
    "replicas": ("redis",),
    "tracing": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
}
"""What each extra brings that the bridge imports."""


class MissingExtra(ToldFailure):
    """A setting or a command wants a driver that is not installed; the message says how to install it."""

    def __init__(self, extra: Extra, wanted_by: str) -> None:
        """`wanted_by`: the name of the setting, or of what it is for."""
        super().__init__(f"{wanted_by} needs the extra `{extra}`: pip install 'direct-tool-bridge[{extra}]'")
        self.extra = extra


def is_installed(package: str) -> bool:
    """Return whether a package can be found; it is not imported."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of a package within one that is not there
        return False


def has_extra(extra: Extra, can_import: Callable[[str], bool] = is_installed) -> bool:
    """Return whether everything that an extra brings is installed."""
    return all(map(can_import, EXTRAS[extra]))


def need_extra(extra: Extra, wanted_by: str, can_import: Callable[[str], bool] = is_installed) -> None:
    """Refuse to go on without an extra.

    Raises:
        MissingExtra: it is not installed.
    """
    if not has_extra(extra, can_import):
        raise MissingExtra(extra, wanted_by)
