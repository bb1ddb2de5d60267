"""How data is stored, and for how long."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from bridge.settings.declaration import CommaSeparated, Names, Section

DEFAULT_AUDIT_DAYS = 365
"""Days for which entries of the audit log are stored."""

KEYS_VARIABLE = "TOOL_BRIDGE_ENCRYPTION_KEY"

GUESSABLE_CHARS = 20
"""Characters below which a key of encryption is warned of: people make up shorter ones, a generator longer
ones. Chosen."""

MIN_STORED_BYTES = 1024**2

_QUOTA_RANGE = f"0, or a whole number of at least {MIN_STORED_BYTES:,}"


def _distinct_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    if "" in keys or len(set(keys)) < len(keys):
        raise ValueError("must be one key, or several separated by commas, none empty or repeated")
    return keys


def _all_or_enough(number: int) -> int:
    if number and number < MIN_STORED_BYTES:
        raise ValueError(f"must be {_QUOTA_RANGE}")
    return number


class StorageSettings(Section):
    """How answers are stored in the database, and for how long."""

    title: ClassVar[str] = "Storage"

    encryption_keys: Annotated[
        tuple[str, ...],
        CommaSeparated,
        AfterValidator(_distinct_keys),
        Names(
            KEYS_VARIABLE,
            alias="ARTIFACT_ENCRYPTION_KEY",
            range="any text; several keys with commas between them",
            is_secret=True,
            see="[what is stored](stored-data.md)",
        ),
    ] = Field(
        default=(),
        repr=False,
        description="key of stored content: the first one encrypts, all decrypt; used by the commands "
        "`encrypt`, `export` and `import`, too",
    )
    encrypt_all: Annotated[bool, Names(alias="ENCRYPT_ALL")] = Field(
        default=True, description="false: of the items, only reasoning is encrypted"
    )
    compress: Annotated[bool, Names(alias="ENABLE_LZ4_COMPRESSION")] = Field(
        default=True, description="whether content is compressed (with zlib) if that makes it shorter"
    )
    min_compress_bytes: Annotated[int, Names(alias="MIN_COMPRESS_BYTES")] = Field(
        default=0, ge=0, description="bytes below which content is not compressed"
    )
    cleanup_days: Annotated[int, Names(alias="ARTIFACT_CLEANUP_DAYS")] = Field(
        default=90, ge=1, le=365, description="days for which content is stored after its last use"
    )
    cleanup_interval_hours: Annotated[float, Names(alias="ARTIFACT_CLEANUP_INTERVAL_HOURS")] = Field(
        default=1.0, ge=0.5, le=24, description="hours between two searches for content that is too old"
    )
    bytes_per_user: Annotated[
        int,
        AfterValidator(_all_or_enough),
        Names("TOOL_BRIDGE_STORED_BYTES_PER_USER", alias="STORED_BYTES_PER_USER", range=_QUOTA_RANGE),
    ] = Field(
        default=1024**3,
        ge=0,
        description="maximum bytes of one user's content, as it is in the database; beyond that the content "
        "that was not used for longest is deleted. 0: no limit",
    )
    audit_days: Annotated[
        int, Names("TOOL_BRIDGE_AUDIT_DAYS", "--audit-days", "DAYS", see="[audit log](audit.md)")
    ] = Field(
        default=DEFAULT_AUDIT_DAYS,
        ge=1,
        le=3650,
        description="days for which entries of the audit log are stored",
    )


def has_guessable_key(storage: StorageSettings) -> bool:
    """Return whether a key is so short that whoever has the database may find it by trying.

    A key's SHA-256 encrypts, as in the OpenRouter pipe, so that a guess costs next to nothing.
    """
    return any(len(key) < GUESSABLE_CHARS for key in storage.encryption_keys)
