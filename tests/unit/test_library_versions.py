"""With which versions of its libraries a bridge starts, and what it says of the others."""

import logging
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError

import pytest

from bridge.cli.doctor.findings import check_libraries
from bridge.library_versions import (
    READ_VERSIONS,
    UnfitLibraries,
    explain_missing_name,
    find_unread_libraries,
    may_use_insides,
)


def installed(**others: str) -> Callable[[str], str]:
    """A machine that has what was read, but for these; "": it is not known of them what they are."""

    def version_of(name: str) -> str:
        version = others.get(name.replace("-", "_"), READ_VERSIONS[name][0])
        if not version:
            raise PackageNotFoundError(name)
        return version

    return version_of


def test_versions_that_were_read_are_used_to_the_full_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Finding house-H1: what nearly everybody has must not warn."""
    assert may_use_insides(installed())
    assert caplog.records == []
    assert find_unread_libraries(installed()) == []
    assert explain_missing_name(installed()) == ""


@pytest.mark.parametrize("version", ["3.14.3", "3.14.6", "3.15.0", "4.0.0a1", ""])
def test_without_the_aiohttp_that_was_read_a_bridge_starts_and_says_so_once(
    version: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Finding house-H1: a patch release has changed eleven of the functions that the bridge leans on."""
    with caplog.at_level(logging.WARNING, "bridge.library_versions"):
        assert not may_use_insides(installed(aiohttp=version))
    (record,) = caplog.records
    said = record.getMessage()
    assert f"aiohttp {version or 'of an unknown version'} is installed" in said
    assert "3.14.4 and 3.14.5" in said
    assert 'pip install "aiohttp==3.14.5"' in said


@pytest.mark.parametrize("library", ["python-engineio", "python-socketio"])
def test_without_the_socket_library_that_was_read_no_bridge_starts(library: str) -> None:
    """Finding house-H1: nothing that it documents bounds what waits for a page, or ends a silent socket."""
    version_of = installed(**{library.replace("-", "_"): "99.0"}, aiohttp="3.99.0")
    with pytest.raises(UnfitLibraries) as refusal:
        may_use_insides(version_of)
    said = str(refusal.value)
    assert f"{library} 99.0 is installed" in said
    assert f'pip install "{library}=={READ_VERSIONS[library][-1]}"' in said
    assert "aiohttp" not in said


def test_the_doctor_tells_what_a_start_would_make_of_the_libraries() -> None:
    """Finding house-H1: a machine that looks well must start a bridge."""
    (well,) = check_libraries(find_unread_libraries(installed()))
    assert (well.ok, well.warning, well.advice) == (True, False, "")
    (slow,) = check_libraries(find_unread_libraries(installed(aiohttp="3.15.0")))
    assert (slow.ok, slow.warning) == (True, True)
    (bad,) = check_libraries(find_unread_libraries(installed(python_socketio="6.0.0")))
    assert (bad.ok, bad.warning) == (False, False)
    assert "pip install" in bad.advice


def test_an_import_that_fails_is_explained_by_a_version_that_nobody_has_read() -> None:
    """Finding house-H1: a name that a new version has taken away was a traceback at every command."""
    said = explain_missing_name(installed(python_engineio="5.0.0"))
    assert said.startswith("python-engineio 5.0.0 is installed, and the bridge was fitted to 4.15.1.")
