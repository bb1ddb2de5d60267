"""Options that settings make: what is repeated is one list, and is judged as one."""

import argparse
from pathlib import Path

import pytest

from bridge.cli.parser import Parser
from bridge.cli.serve.options import parse_limit
from bridge.cli.setting_options import add_setting_options
from bridge.settings.bridge import BridgeSettings
from bridge.settings.declaration import SettingsError, list_settings
from bridge.settings.sources import read_settings


def settings_of(*words: str) -> BridgeSettings:
    parser = Parser()
    add_setting_options(parser)
    given = {name: value for name, value in vars(parser.parse_args(words)).items() if value is not None}
    return read_settings(Path("/data"), given, {})


@pytest.mark.parametrize(
    "words",
    [
        ("--oidc-scope", "openid", "--oidc-scope", "groups"),
        ("--oidc-scope", "groups", "--oidc-scope", "openid"),
        ("--oidc-scope", "groups,openid"),
        ("--oidc-scope", "openid groups"),
    ],
)
def test_a_rule_about_a_list_is_applied_to_the_whole_list(words: tuple[str, ...]) -> None:
    """Finding P-M2: each value was refused for what only the others have."""
    assert set(settings_of(*words).login.oidc_scopes) == {"openid", "groups"}


def test_a_list_that_breaks_its_rule_is_told_as_it_was_given() -> None:
    """Finding P-M2: whoever repeated an option reads what the bridge made of it."""
    with pytest.raises(SettingsError, match=r"^--oidc-scope must have openid among them, not 'a,b'\.$"):
        settings_of("--oidc-scope", "a", "--oidc-scope", "b")


VALUES = {
    "--allow-host": ("a.lan", "b.lan:8080"),
    "--allow-origin": ("https://a.example", "http://b.example:81"),
    "--trust-proxy": ("127.0.0.1", "10.1.0.0/16"),
    "--oidc-scope": ("groups", "openid"),
    "--oidc-allowed-group": ("Tool users", "ops"),
    "--oidc-operator-group": ("ops", "sre"),
    "--oauth-scope": ("tools", "calls"),
    "--log-level-of": ("cluster=debug", "models.providers=warning"),
}


def test_every_option_of_a_list_may_be_repeated() -> None:
    """Finding P-M2: the rule that only a whole list can keep may come with the next one."""
    lists = [each for each in list_settings(BridgeSettings) if each.is_list and each.names.option]
    assert {each.names.option for each in lists} == set(VALUES)
    for setting in lists:
        option = setting.names.option
        one, other = VALUES[option]
        settings = settings_of(option, one, option, other)
        assert len(getattr(getattr(settings, setting.section), setting.field)) == 2


def test_a_mistyped_limit_is_told_what_it_may_mean() -> None:
    """Finding P-L9: seventeen names are no answer to a letter that is missing."""
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        parse_limit("TOOL_TIMEOUT_SECOND=5")
    assert (
        str(refused.value)
        == "there is no limit 'TOOL_TIMEOUT_SECOND'. Did you mean TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS?"
    )
    with pytest.raises(argparse.ArgumentTypeError, match="the limits are TOOL_BRIDGE_MAX_PARALLEL"):
        parse_limit("X=5")


def test_a_limit_is_named_by_its_variable_or_its_alias() -> None:
    """Finding house-H2: a script with the old name goes on working; a typed value is judged either way."""
    for name in ("TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS", "TOOL_TIMEOUT_SECONDS"):
        assert parse_limit(f"{name}=5") == ("TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS", 5)
        with pytest.raises(argparse.ArgumentTypeError, match=f"^{name} must be a number from 1 to 600"):
            parse_limit(f"{name}=soon")
