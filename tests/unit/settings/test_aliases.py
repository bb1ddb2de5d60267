"""Names that other programs have, too: they are read, and never stop a start."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from bridge.settings.bridge import BridgeSettings
from bridge.settings.canary import CanarySettings
from bridge.settings.declaration import OWN_PREFIX, SettingsError, list_settings
from bridge.settings.limits import given_limits
from bridge.settings.sources import read_section, read_settings
from bridge.settings.storage import StorageSettings
from tests.house.source import files, text_of

SECRET = "0123456789abcdef0123456789abcdef"

ALIASES = {each.names.alias: each.variable for each in list_settings(BridgeSettings) if each.names.alias}


def read(environ: Mapping[str, str], **options: object) -> tuple[BridgeSettings, list[str]]:
    """The settings, and the warnings."""
    told: list[str] = []
    return read_settings(Path("/data"), options, environ, told.append), told


def test_every_setting_has_one_name_with_the_prefix() -> None:
    """Finding house-H2: 40 of 85 had names that other programs have, too."""
    assert all(each.variable.startswith(OWN_PREFIX) for each in list_settings(BridgeSettings))
    assert not [alias for alias in ALIASES if alias.startswith(OWN_PREFIX)]


def test_an_alias_is_read_where_its_variable_is_unset_or_empty() -> None:
    """Finding house-H2: a deployment that was made for the old names behaves as before."""
    old = {
        "TOOL_TIMEOUT_SECONDS": "2.5",
        "TRUNCATION": "disabled",
        "PERSIST_TOOL_RESULTS": "false",
        "ARTIFACT_CLEANUP_DAYS": "7",
        "ENABLE_LZ4_COMPRESSION": "no",
        "SERVERS_PER_USER": "3",
        "ENABLE_STRICT_TOOL_CALLING": "off",
        "FORWARD_USER_INFO_HEADER_JWT_SECRET": SECRET,
        "ARTIFACT_ENCRYPTION_KEY": f"{SECRET},older",
    }
    settings, told = read(old | {"TOOL_BRIDGE_TRUNCATION": " "})
    assert told == []
    assert given_limits(settings.limits) == {"TOOL_TIMEOUT_SECONDS": 2.5}
    assert settings.model_defaults.truncation == "disabled"
    assert settings.memory.persist_tool_results is False
    assert settings.tools.enable_strict_tool_calling is False
    assert settings.quotas.servers == 3
    assert settings.users.user_jwt_secret == SECRET
    assert settings.storage == StorageSettings(
        encryption_keys=(SECRET, "older"), compress=False, cleanup_days=7
    )
    assert read_section(StorageSettings, old) == settings.storage


def test_every_alias_gives_what_its_variable_gives() -> None:
    """Finding house-H2: none of the old names is lost."""
    values = {
        "TRUNCATION": "disabled",
        "SEARCH_CONTEXT_SIZE": "low",
        "ENABLE_REASONING_SUMMARY": "auto",
        "MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE": "No more.",
        "LOG_LEVEL": "debug",
        "REQUEST_LOGS": "all",
        "PERSIST_REASONING_TOKENS": "disabled",
        "ARTIFACT_ENCRYPTION_KEY": SECRET,
        "FORWARD_USER_INFO_HEADER_JWT_SECRET": SECRET,
        "STORED_BYTES_PER_USER": "2000000",
        "DOCUMENT_CHARACTERS_PER_USER": "2000000",
        "UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS": "20",
        "ARTIFACT_CLEANUP_INTERVAL_HOURS": "2",
        "BREAKER_WINDOW_SECONDS": "7",
    }
    booleans = {"ENABLE_WEB_SEARCH_TOOL", "ENABLE_STRICT_TOOL_CALLING", "SHOW_TOOL_CARDS", "ENCRYPT_ALL"}
    booleans |= {"PERSIST_TOOL_RESULTS", "ENABLE_LZ4_COMPRESSION"}
    plain, _ = read({})
    for alias, variable in ALIASES.items():
        value = values.get(alias, "off" if alias in booleans else "2")
        by_alias, told = read({alias: value})
        assert told == []
        assert by_alias.model_dump(exclude={"environ"}) != plain.model_dump(exclude={"environ"}), alias
        by_variable, _ = read({variable: value})
        assert by_alias.model_dump(exclude={"environ"}) == by_variable.model_dump(exclude={"environ"}), alias


def test_an_alias_whose_value_cannot_be_used_is_told_and_left_out() -> None:
    """Finding house-H2: `TRUNCATION=yes` of another program stopped the start."""
    settings, told = read({"TRUNCATION": "yes", "TOOL_TIMEOUT_SECONDS": "soon", "BREAKER_MAX_FAILURES": "3"})
    assert settings.model_defaults.truncation == "auto"
    assert given_limits(settings.limits) == {"BREAKER_MAX_FAILURES": 3}
    assert told == [
        "TOOL_TIMEOUT_SECONDS must be a number from 1 to 600, not 'soon'. It is ignored, and the default "
        "(60) is in force. The bridge's own variable is TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS.",
        "TRUNCATION must be auto, disabled or none, not 'yes'. It is ignored, and the default (auto) is in "
        "force. The bridge's own variable is TOOL_BRIDGE_TRUNCATION.",
    ]
    told.clear()
    assert read_section(StorageSettings, {"ENCRYPT_ALL": "maybe"}, told.append) == StorageSettings()
    assert [line.split()[0] for line in told] == ["ENCRYPT_ALL"]


def test_the_variable_wins_over_another_value_of_its_alias() -> None:
    """Finding house-H2: said in one line, and no error even if the alias cannot be used."""
    settings, told = read({"TOOL_BRIDGE_LOG_LEVEL": "error", "LOG_LEVEL": "loud"})
    assert settings.model_defaults.log_level == "error"
    assert told == ["LOG_LEVEL is ignored, as TOOL_BRIDGE_LOG_LEVEL is set, to another value."]
    assert read({"TOOL_BRIDGE_LOG_LEVEL": "error", "LOG_LEVEL": "error "})[1] == []


def test_nobody_is_told_of_an_alias_that_an_option_makes_idle() -> None:
    """The sentence would name the default as what is in force."""
    settings, told = read({"TOOL_TIMEOUT_SECONDS": "soon"}, TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS=5.0)
    assert (settings.limits.tool_timeout_seconds, told) == (5, [])


def test_an_empty_option_leaves_the_variable_in_force() -> None:
    """An empty value counts as unset, wherever it stands."""
    settings, _ = read({"TOOL_BRIDGE_CANARY_USER": "ann"}, TOOL_BRIDGE_CANARY_USER="")
    assert settings.find_section(CanarySettings).canary_user == "ann"


def test_a_secret_under_an_alias_that_cannot_be_used_stops_the_start() -> None:
    """No other program has these names, and the default would store in the clear what was to be encrypted."""
    for name, value in (
        ("ARTIFACT_ENCRYPTION_KEY", f"{SECRET},{SECRET}"),
        ("FORWARD_USER_INFO_HEADER_JWT_SECRET", SECRET[:31]),
    ):
        with pytest.raises(SettingsError) as refused:
            read({name: value})
        assert str(refused.value).startswith(name)
        assert SECRET[:31] not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("WARN", "warning"),
        ("Warning", "warning"),
        ("critical", "error"),
        ("FATAL", "error"),
        ("trace", "debug"),
        ("Info", "info"),
    ],
)
def test_levels_are_understood_as_other_programs_call_them(name: str, level: str) -> None:
    """Finding house-H2: base images and platforms set `LOG_LEVEL=WARN`."""
    settings, told = read({"LOG_LEVEL": name, "TOOL_BRIDGE_LOG_LEVELS": f"cluster={name}"})
    assert (settings.model_defaults.log_level, settings.telemetry.log_levels) == (
        level,
        (f"cluster={level}",),
    )
    assert told == []


@pytest.mark.parametrize("yes", ["true", "Yes", "ON", "1"])
@pytest.mark.parametrize("no", ["FALSE", "no", "Off", "0"])
def test_truth_is_written_as_people_write_it(yes: str, no: str) -> None:
    """Finding house-H2: each program has its own words."""
    settings, _ = read({"TOOL_BRIDGE_SHOW_TOOL_CARDS": yes, "TOOL_BRIDGE_ENCRYPT_ALL": no})
    assert (settings.model_defaults.show_tool_cards, settings.storage.encrypt_all) == (True, False)


WRITTEN = (".md", ".yaml", ".service", ".conf", ".env")
OF_OTHERS = {
    "docs/reference/settings.md": "lists the aliases",
    "docs/reference/features.md": "quotes the source programs",
    "docs/how-to/open-webui-plugins.md": "names valves of Open WebUI",
    "docs/adr/": "tells what was decided at its time",
}


def test_documentation_and_deployments_name_the_variables() -> None:
    """Finding house-H2: what people copy must not have a name that is another program's, too."""
    names = {*ALIASES} - {"FORWARD_USER_INFO_HEADER_JWT_SECRET"}
    places = files(*WRITTEN, under=("docs/", "deploy/", "README.md"))
    found = {
        f"{place}: {word}"
        for place in places
        if not place.startswith(tuple(OF_OTHERS))
        for word in names & {*re.findall(r"[A-Z][A-Z0-9_]+", text_of(place))}
    }
    assert found <= OF_THE_API


OF_THE_API = {
    "docs/reference/errors.md: TOOL_TIMEOUT_SECONDS",
    "docs/reference/errors.md: TOOL_BATCH_TIMEOUT_SECONDS",
    "docs/reference/errors.md: MAX_PARALLEL_TOOLS_PER_REQUEST",
}
"""Members of answers have the names of limits without the prefix."""
