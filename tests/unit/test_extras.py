"""Drivers that only some bridges need: which extra brings them, and the sentence where one is missing."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from bridge.cli.serve.start_checks import check_extras
from bridge.extras import EXTRAS, Extra, MissingExtra, has_extra, need_extra
from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import SettingsError
from bridge.settings.sources import read_settings
from tests.house.source import ROOT

WANTED: Mapping[Extra, tuple[Mapping[str, str], str]] = {
    "postgresql": ({}, "TOOL_BRIDGE_DATABASE_URL"),
    "replicas": ({"TOOL_BRIDGE_REDIS": "redis://cache"}, "TOOL_BRIDGE_REDIS"),
    "tracing": (
        {"TOOL_BRIDGE_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"},
        "TOOL_BRIDGE_TRACES_ENDPOINT",
    ),
}
"""Of each extra, the variables that want it, apart from the database, and the one that is named."""


def settings(environ: Mapping[str, str]) -> BridgeSettings:
    return read_settings(Path("/data"), {}, environ)


@pytest.mark.parametrize("extra", WANTED)
def test_a_setting_whose_driver_is_missing_stops_the_start_with_the_way_to_install_it(extra: Extra) -> None:
    """Finding house-H4: a traceback about a module would say less."""
    environ, variable = WANTED[extra]
    database = "postgresql://db/tools" if extra == "postgresql" else None
    with pytest.raises(SettingsError) as refused:
        check_extras(settings(environ), database, lambda package: package not in EXTRAS[extra])
    assert str(refused.value) == (
        f"{variable} needs the extra `{extra}`: pip install 'direct-tool-bridge[{extra}]'"
    )
    check_extras(settings(environ), database, lambda package: package in EXTRAS[extra])
    check_extras(settings({}), None, lambda _package: False)


def test_a_missing_extra_is_named_by_the_error() -> None:
    """Finding house-H4: who catches it can say more than the sentence does."""
    with pytest.raises(MissingExtra, match="PostgreSQL needs the extra") as refused:
        need_extra("postgresql", "PostgreSQL", lambda _package: False)
    assert refused.value.extra == "postgresql"
    assert has_extra("tracing", lambda _package: True)


def test_the_package_has_these_extras_and_one_for_all_of_them() -> None:
    """Finding house-H4: a sentence that names an extra which pip does not know would help no one."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = project["optional-dependencies"]
    assert {*asked} == {*EXTRAS, "all"}
    (everything,) = asked["all"]
    assert set(re.findall(r"[a-z]+", everything.partition("[")[2])) == {*EXTRAS}
