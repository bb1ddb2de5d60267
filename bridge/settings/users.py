"""Who the users of a bridge are, and whom forwarders may name."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, Field

from bridge.settings.declaration import Choice, Names, Section

LOCAL_USER = "local"
"""The only user of a bridge without any user configuration; it may change shared servers."""

Sharing: TypeAlias = Literal["operators", "everyone", "nobody"]


def allows_sharing(sharing: Sharing, *, is_operator: bool) -> bool:
    """Whether a user may begin to share what is theirs."""
    return sharing == "everyone" or (sharing == "operators" and is_operator)


MIN_SECRET_BYTES = 32
"""Of the secret that signs tokens; RFC 7518 asks for as much with HS256."""


def _long_enough(secret: str) -> str:
    if len(secret.encode()) < MIN_SECRET_BYTES:
        raise ValueError(f"is too short: it needs {MIN_SECRET_BYTES} bytes; openssl rand -hex 32 makes one")
    return secret


class UserSettings(Section):
    """Which names of users are believed, and who may share what is theirs."""

    title: ClassVar[str] = "Users"

    user_jwt_secret: Annotated[
        Annotated[str, AfterValidator(_long_enough)] | None,
        Names(
            "TOOL_BRIDGE_USER_JWT_SECRET",
            "--user-jwt-secret",
            "FILE",
            alias="FORWARD_USER_INFO_HEADER_JWT_SECRET",
            range=f"at least {MIN_SECRET_BYTES} bytes; the option names a file",
            is_secret=True,
            option_names_file=True,
            see="[several users](../how-to/several-users.md)",
        ),
    ] = Field(
        default=None,
        repr=False,
        description="secret with which Open WebUI signs the names of its users; the alias is its variable "
        "there, so that one file can serve both",
    )
    sharing: Annotated[Sharing, Choice, Names("TOOL_BRIDGE_SHARING", "--sharing", "WHO")] = Field(
        default="operators",
        description="who may share providers of models and servers with all users in the page; what was "
        "shared before stays shared",
    )
    trust_user_headers: Annotated[bool, Names("TOOL_BRIDGE_TRUST_USER_HEADERS", "--trust-user-headers")] = (
        Field(default=False, description="trust forwarder keys that name their user in plain headers")
    )
