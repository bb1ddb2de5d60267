"""How a team logs in to the page: at one OpenID Connect provider, and what its claims decide."""

from __future__ import annotations

from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from bridge.settings.declaration import CommaSeparated, Names, Section, SettingsError, SpaceSeparated
from bridge.settings.network import LOOPBACK_NAMES, NetworkSettings, lacks_tls
from bridge.settings.oauth import check_issuer, check_scopes

ISSUER_VARIABLE = "TOOL_BRIDGE_OIDC_ISSUER"
CLIENT_ID_VARIABLE = "TOOL_BRIDGE_OIDC_CLIENT_ID"

OPENID = "openid"
"""The scope without which a provider sends no ID token."""

MAX_LOGIN_HOURS = 24 * 365

_CLAIM = r"^[A-Za-z0-9_.:/-]{1,100}$"


def _check_scopes(scopes: tuple[str, ...]) -> tuple[str, ...]:
    if OPENID not in scopes:
        raise ValueError(f"must have {OPENID} among them")
    return check_scopes(scopes)


class LoginSettings(Section):
    """The OpenID Connect provider at which people log in, and whom it lets in as what."""

    title: ClassVar[str] = "Login by OpenID Connect"

    oidc_issuer: Annotated[
        Annotated[str, AfterValidator(check_issuer)] | None,
        Names(
            ISSUER_VARIABLE,
            "--oidc-issuer",
            "URL",
            range="an https address, letter by letter as in the provider's metadata; http on this machine",
            default="none: links and codes are the only ways in",
            see="[let a team log in](../how-to/let-a-team-log-in.md)",
        ),
    ] = Field(default=None, description="OpenID Connect provider at which people may log in to the page")
    oidc_client_id: Annotated[
        str | None, Names(CLIENT_ID_VARIABLE, "--oidc-client-id", "ID", range="text without spaces")
    ] = Field(
        default=None,
        pattern=r"^[\x21-\x7e]{1,500}$",
        description="what the provider calls this bridge; required with an issuer",
    )
    oidc_client_secret: Annotated[
        str | None,
        Names(
            "TOOL_BRIDGE_OIDC_CLIENT_SECRET",
            "--oidc-client-secret",
            "FILE",
            range="text without spaces; the option names a file",
            default="none: a public client, which PKCE alone protects",
            is_secret=True,
            option_names_file=True,
        ),
    ] = Field(
        default=None,
        pattern=r"^[\x21-\x7e]{1,1000}$",
        repr=False,
        description="secret that the provider gave this bridge",
    )
    oidc_scopes: Annotated[
        tuple[str, ...],
        SpaceSeparated,
        AfterValidator(_check_scopes),
        Names(
            "TOOL_BRIDGE_OIDC_SCOPES",
            "--oidc-scope",
            "SCOPE",
            range="names of scopes, `openid` among them",
            default="`openid`, `profile`",
        ),
    ] = Field(
        default=(OPENID, "profile"),
        description="scopes that a login asks for; many providers send groups only for one of their own",
    )
    oidc_user_claim: Annotated[
        str, Names("TOOL_BRIDGE_OIDC_USER_CLAIM", "--oidc-user-claim", "CLAIM", range="the name of a claim")
    ] = Field(
        default="sub",
        pattern=_CLAIM,
        description="claim with the id of a user; the provider must never give a value to somebody else, and "
        "users must not be able to choose it, so an e-mail address will not do",
    )
    oidc_groups_claim: Annotated[
        str,
        Names("TOOL_BRIDGE_OIDC_GROUPS_CLAIM", "--oidc-groups-claim", "CLAIM", range="the name of a claim"),
    ] = Field(
        default="groups", pattern=_CLAIM, description="claim with the list of a user's groups, or with one"
    )
    oidc_allowed_groups: Annotated[
        tuple[str, ...],
        CommaSeparated,
        Names("TOOL_BRIDGE_OIDC_ALLOWED_GROUPS", "--oidc-allowed-group", "GROUP", range="names of groups"),
    ] = Field(
        default=(),
        description="groups whose members may log in; with none, whomever the provider lets in. "
        "Operators may in any case",
    )
    oidc_operator_groups: Annotated[
        tuple[str, ...],
        CommaSeparated,
        Names("TOOL_BRIDGE_OIDC_OPERATOR_GROUPS", "--oidc-operator-group", "GROUP", range="names of groups"),
    ] = Field(default=(), description="groups whose members are operators, as long as their login counts")
    oidc_login_hours: Annotated[float, Names("TOOL_BRIDGE_OIDC_LOGIN_HOURS")] = Field(
        default=168.0,
        ge=0.01,
        le=MAX_LOGIN_HOURS,
        description="hours for which a login counts; then the pages of its user want another one",
    )


def check_login(login: LoginSettings, network: NetworkSettings) -> None:
    """Check that the settings of the login are complete, and that a browser can come back safely.

    Raises:
        SettingsError: something is missing, or has no effect without the rest.
    """
    if login.oidc_issuer is None:
        if login.oidc_client_id or login.oidc_client_secret:
            raise SettingsError(
                f"{CLIENT_ID_VARIABLE} and its secret have no effect without {ISSUER_VARIABLE}: set the "
                "address of the provider, or remove them."
            )
        if login.oidc_allowed_groups or login.oidc_operator_groups:
            raise SettingsError(
                "TOOL_BRIDGE_OIDC_ALLOWED_GROUPS and TOOL_BRIDGE_OIDC_OPERATOR_GROUPS have no effect without "
                f"{ISSUER_VARIABLE}: nobody would be let in or kept out by them. Set the provider, or remove "
                "them."
            )
        return
    if login.oidc_client_id is None:
        raise SettingsError(
            f"{ISSUER_VARIABLE} needs {CLIENT_ID_VARIABLE} (--oidc-client-id): register this bridge with the "
            "provider, with the redirect address PUBLIC-ADDRESS/login/callback."
        )
    public = urlsplit(network.public_url or "")
    if lacks_tls(network) or (public.scheme == "http" and public.hostname not in LOOPBACK_NAMES):
        raise SettingsError(
            f"{ISSUER_VARIABLE} needs an https address of this bridge, to which the provider sends browsers "
            "back: set TOOL_BRIDGE_PUBLIC_URL (--public-url), such as https://bridge.example."
        )
