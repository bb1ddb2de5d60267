"""The libraries whose insides the bridge uses, and the versions of each that were read for it.

A version that nobody has read may do something else where the bridge relies on it, and calls are sent there.
For aiohttp the bridge then takes what the library documents, which is slower. For the others there is no such
way: neither bounds what waits for a page that does not read, nor ends a socket that says nothing. ADR 47 has
the reasons; `tests/contract/test_library_internals.py` has what was read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import metadata

from bridge.told_failure import ToldFailure

READ_VERSIONS: Mapping[str, tuple[str, ...]] = {
    "aiohttp": ("3.14.4", "3.14.5"),
    "python-engineio": ("4.15.1",),
    "python-socketio": ("5.18.1",),
}
"""Versions by the name of the package, oldest first; `pyproject.toml` admits no others."""

REPLACEABLE = frozenset({"aiohttp"})
"""Those without whose insides the bridge keeps what it promises."""

_log = logging.getLogger(__name__)

VersionOf = Callable[[str], str]
"""Tells which version of a package is installed; raises `PackageNotFoundError`."""


@dataclass(frozen=True, slots=True)
class UnreadLibrary:
    """A library of which another version is installed than was read."""

    name: str
    found: str
    read: tuple[str, ...]

    @property
    def is_replaceable(self) -> bool:
        """Whether the bridge runs nevertheless, without its insides."""
        return self.name in REPLACEABLE

    @property
    def message(self) -> str:
        """A sentence that says what was found, and what was expected."""
        read = " and ".join(self.read)
        return f"{self.name} {self.found} is installed, and the bridge was fitted to {read}."

    @property
    def consequence(self) -> str:
        """A sentence that says what follows from it."""
        if self.is_replaceable:
            return "The bridge uses only what it documents, so that calls take longer."
        return "The bridge does not start, because calls could be lost or sent twice."

    @property
    def advice(self) -> str:
        """A sentence that says what to do."""
        return f'Install one that was: pip install "{self.name}=={self.read[-1]}".'


class UnfitLibraries(ToldFailure):
    """The bridge cannot start with the libraries that are installed; the text says why and what to do."""


def find_unread_libraries(version_of: VersionOf = metadata.version) -> list[UnreadLibrary]:
    """Return the libraries of which a version is installed that nobody has read."""
    installed = {name: _find_version(name, version_of) for name in READ_VERSIONS}
    return [
        UnreadLibrary(name, installed[name], read)
        for name, read in READ_VERSIONS.items()
        if installed[name] not in read
    ]


def may_use_insides(version_of: VersionOf = metadata.version) -> bool:
    """Return whether the bridge may use the insides of its libraries; a warning says why not.

    Raises:
        UnfitLibraries: it cannot do without those of one that nobody has read.
    """
    unread = find_unread_libraries(version_of)
    if unfit := [each for each in unread if not each.is_replaceable]:
        raise UnfitLibraries(_describe(unfit))
    if unread:
        _log.warning(_describe(unread))
    return not unread


def explain_missing_name(version_of: VersionOf = metadata.version) -> str:
    """Return why something that the bridge imports may not exist; "" if every library was read."""
    return " ".join(f"{each.message} {each.advice}" for each in find_unread_libraries(version_of))


def _find_version(name: str, version_of: VersionOf) -> str:
    try:
        return version_of(name)
    except metadata.PackageNotFoundError:
        return "of an unknown version"


def _describe(unread: list[UnreadLibrary]) -> str:
    return " ".join(f"{each.message} {each.consequence} {each.advice}" for each in unread)
