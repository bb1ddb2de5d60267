"""Settings of the login, and what they need of others."""

from pathlib import Path

import pytest

from bridge.settings.declaration import SettingsError
from bridge.settings.login import LoginSettings, check_login
from bridge.settings.sources import read_settings

COMPLETE = {
    "TOOL_BRIDGE_OIDC_ISSUER": "https://login.example/realms/main",
    "TOOL_BRIDGE_OIDC_CLIENT_ID": "tool-bridge",
    "TOOL_BRIDGE_OIDC_CLIENT_SECRET": "s3cret",
    "TOOL_BRIDGE_PUBLIC_URL": "https://bridge.example",
}


def checked(environ: dict[str, str]) -> LoginSettings:
    settings = read_settings(Path("/data"), {}, environ)
    check_login(settings.login, settings.network)
    return settings.login


def test_without_a_provider_nobody_logs_in() -> None:
    """Links and codes are the only ways in."""
    assert checked({}).oidc_issuer is None


def test_a_provider_with_a_client_is_enough() -> None:
    """On this machine the bridge needs no TLS, which its port has not."""
    login = checked({**COMPLETE, "TOOL_BRIDGE_OIDC_OPERATOR_GROUPS": "admins, sre"})
    assert login.oidc_operator_groups == ("admins", "sre")
    assert (login.oidc_scopes, login.oidc_user_claim) == (("openid", "profile"), "sub")
    del (local := dict(COMPLETE))["TOOL_BRIDGE_PUBLIC_URL"]
    assert checked(local).oidc_client_id == "tool-bridge"


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"TOOL_BRIDGE_OIDC_CLIENT_ID": ""}, "needs TOOL_BRIDGE_OIDC_CLIENT_ID.*/login/callback"),
        ({"TOOL_BRIDGE_OIDC_ISSUER": ""}, "no effect without TOOL_BRIDGE_OIDC_ISSUER"),
        ({"TOOL_BRIDGE_OIDC_ISSUER": "http://login.example"}, "must be the https address"),
        ({"TOOL_BRIDGE_OIDC_SCOPES": "profile"}, "must have openid"),
        ({"TOOL_BRIDGE_PUBLIC_URL": "http://bridge.example"}, "needs an https address of this bridge"),
        ({"TOOL_BRIDGE_PUBLIC_URL": "", "TOOL_BRIDGE_HOST": "0.0.0.0"}, "needs an https address"),
    ],
)
def test_half_a_configuration_of_the_login_stops_the_start(changed: dict[str, str], sentence: str) -> None:
    """Nobody could log in, or somebody on the way could read the code."""
    with pytest.raises(SettingsError, match=sentence) as refused:
        checked({**COMPLETE, **changed})
    assert "s3cret" not in str(refused.value)


def test_groups_without_a_provider_stop_the_start() -> None:
    """Who sets them expects them to keep somebody out."""
    with pytest.raises(SettingsError, match=r"ALLOWED_GROUPS and .* have no effect"):
        checked({"TOOL_BRIDGE_OIDC_ALLOWED_GROUPS": "tools"})
