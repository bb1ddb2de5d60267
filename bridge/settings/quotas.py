"""How much one user may have: servers, keys, browsers and conversations. What is there beyond it stays."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from bridge.errors import BridgeError, ErrorCode
from bridge.settings.declaration import Names, Section


class QuotaSettings(Section):
    """Maximum numbers of what one user may add, chosen so that nobody notices them who is not a program."""

    title: ClassVar[str] = "What one user may have"

    servers: Annotated[int, Names("TOOL_BRIDGE_SERVERS_PER_USER", alias="SERVERS_PER_USER")] = Field(
        default=200, ge=1, le=100_000, description="servers of one user"
    )
    operations: Annotated[int, Names("TOOL_BRIDGE_OPERATIONS_PER_USER", alias="OPERATIONS_PER_USER")] = Field(
        default=50_000,
        ge=1,
        le=10_000_000,
        description="operations of all servers of one user; each takes about 3 KB of memory",
    )
    document_chars: Annotated[
        int, Names("TOOL_BRIDGE_DOCUMENT_CHARACTERS_PER_USER", alias="DOCUMENT_CHARACTERS_PER_USER")
    ] = Field(
        default=256 * 1024**2,
        ge=1024**2,
        le=64 * 1024**3,
        description="characters of the documents of all servers of one user",
    )
    keys: Annotated[int, Names("TOOL_BRIDGE_KEYS_PER_USER", alias="KEYS_PER_USER")] = Field(
        default=200, ge=1, le=100_000, description="API keys that one user makes in the page"
    )
    browsers: Annotated[int, Names("TOOL_BRIDGE_BROWSERS_PER_USER", alias="BROWSERS_PER_USER")] = Field(
        default=1000, ge=1, le=100_000, description="paired browsers of one user"
    )
    conversations: Annotated[
        int, Names("TOOL_BRIDGE_CONVERSATIONS_PER_USER", alias="CONVERSATIONS_PER_USER")
    ] = Field(default=100_000, ge=1, le=100_000_000, description="stored conversations of one user")


DEFAULT_QUOTAS = QuotaSettings()


def check_quota(number: int, most: int, name: str, *, what: str, remedy: str) -> None:
    """Refuse what would make a user's `number` of something larger than `most`, the setting `name`.

    Raises:
        BridgeError: `quota_exceeded`; it says what to do: `remedy`, a clause in the imperative.
    """
    if number <= most:
        return
    message = (
        f"That would be {number:,} {what} of one user, and {name} allows {most:,}. Nothing was added. "
        f"{remedy}, or have an operator of the bridge raise {name}."
    )
    raise BridgeError(ErrorCode.QUOTA_EXCEEDED, message, detail={"setting": name, "limit": most})
