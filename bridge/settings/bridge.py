"""Settings of one bridge process, from the command line and the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from bridge.settings.model_defaults import ModelDefaults
from bridge.settings.models import ModelsFile
from toolserver.tool.selection_bounds import MODEL_LIMIT

DEFAULT_PORT = 8765
"""The default port is fixed, because browser storage is per origin (ruling 25)."""

SAMPLES_PORT = 8766

LOCAL_USER = "local"
"""The only user of a bridge without any user configuration; it may change shared servers."""

RUNNING_FILE = "running.json"
"""File in the data folder that says where the bridge using it can be reached."""

DEFAULT_AUDIT_DAYS, MIN_AUDIT_DAYS, MAX_AUDIT_DAYS = 365, 1, 3650
"""Days for which entries of the audit log are stored."""

DEFAULT_APPROVAL_S = 120.0
"""Seconds that a user may think about a call; no answer is a denial (ruling 8)."""

MAX_OPEN_CALLS_PER_USER = 1000
"""Maximum number of calls of one user that run or wait; the next one is refused with `queue_full`. Chosen."""

DEFAULT_MAX_ANSWER_BYTES = 256 * 1024
"""Maximum bytes of one answer's text that a caller reads: about 64,000 tokens, half the context of most
models."""

MIN_MAX_ANSWER_BYTES = 1024

DEFAULT_TOOL_OUTPUT_TURNS = 10
"""Number of recent turns of a chat in which a model sees its tools' results in full."""

ApprovalMode = Literal["safe", "ask", "all"]
"""safe: what only reads runs immediately, everything else asks · ask: every call asks · all: no call asks."""

APPROVAL_MODES: tuple[ApprovalMode, ...] = get_args(ApprovalMode)

ReasoningMemory = Literal["disabled", "next_reply", "conversation"]
"""How long a model is shown its own reasoning again: never, in the next answer, in the whole chat."""

REASONING_MEMORIES: tuple[ReasoningMemory, ...] = ("disabled", "next_reply", "conversation")


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What is stored of answers, and what of it a model is shown again."""

    persist_tool_results: bool = True
    """False: nothing of any answer is stored."""
    reasoning: ReasoningMemory = "conversation"
    tool_output_turns: int = DEFAULT_TOOL_OUTPUT_TURNS
    """0: all turns."""


DEFAULT_CLEANUP_DAYS, MIN_CLEANUP_DAYS, MAX_CLEANUP_DAYS = 90, 1, 365
"""Days for which stored answers remain after their last use."""

DEFAULT_CLEANUP_HOURS, MIN_CLEANUP_HOURS, MAX_CLEANUP_HOURS = 1.0, 0.5, 24.0
"""Hours between two searches for expired answers."""

DEFAULT_KEPT_BYTES, MIN_KEPT_BYTES = 1024**3, 1024**2
"""Maximum bytes of one user's stored answers, as they are in the database."""


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """How answers are stored in the database, and for how long."""

    encryption_keys: tuple[str, ...] = field(default=(), repr=False)
    """The first key encrypts, all decrypt; none: nothing is encrypted."""
    encrypt_all: bool = True
    """False: of the items, only reasoning is encrypted."""
    compress: bool = True
    min_compress_bytes: int = 0
    cleanup_days: int = DEFAULT_CLEANUP_DAYS
    """Days, 1 to 365."""
    cleanup_interval_hours: float = DEFAULT_CLEANUP_HOURS
    """Hours, 0.5 to 24."""
    bytes_per_user: int = DEFAULT_KEPT_BYTES
    """0: no limit."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one bridge process from outside."""

    data_dir: Path
    """Folder of the database, keys and stored answers; created with mode 0700."""
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    """0: the system chooses one."""
    public_url: str | None = None
    """Canonical address of the page when it is not `http://{host}:{port}`, for example behind TLS."""
    allowed_hosts: tuple[str, ...] = ()
    """Further `Host` values to answer, `name` or `name:port`."""
    allowed_origins: tuple[str, ...] = ()
    """Origins whose pages may use the tool-server routes (Open WebUI's, for direct tool servers)."""
    user_jwt_secret: str | None = field(default=None, repr=False)
    """Key of the signatures on tokens in which forwarders name users; None: no token is accepted."""
    trust_user_headers: bool = False
    """Whether forwarders may name users in plain headers."""
    limits: Mapping[str, int | float] = field(default_factory=dict[str, int | float])
    """Limits from environment and command line, by name (`bridge.limits.settings`)."""
    approve: ApprovalMode = "safe"
    """Which calls ask for approval, for users who have not chosen otherwise."""
    approval_s: float = DEFAULT_APPROVAL_S
    """Seconds that a user may think about a call, 1 to 600."""
    max_tools: int = MODEL_LIMIT
    """Maximum number of tools shown to a model, 3 to 20,000, for users who have not chosen a number."""
    max_tool_tokens: int | None = None
    """Maximum tokens of all tool definitions shown to a model, 1,000 to 10,000,000; None: no budget."""
    max_answer_bytes: int = DEFAULT_MAX_ANSWER_BYTES
    """Maximum bytes of one answer's text that a caller reads; 0: all that is stored
    (`browser_protocol.RESULT_BYTES`)."""
    audit_days: int = DEFAULT_AUDIT_DAYS
    """Days for which entries of the audit log are stored, 1 to 3650."""
    models: ModelsFile = field(default_factory=ModelsFile)
    """Providers and models; without a provider there is only the demo model."""
    model_defaults: ModelDefaults = field(default_factory=ModelDefaults)
    """How models are asked where neither callers nor `models` decide."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Environment with the keys of providers, under the variable names that `models` gives."""
    enable_strict_tool_calling: bool = True
    """Whether models get strict schemas, where a tool's schema allows it."""
    limit_reached_template: str = ""
    """Text of an answer that has used up its rounds; "" for the built-in text."""
    memory: MemorySettings = field(default_factory=MemorySettings)
    kept: StorageSettings = field(default_factory=StorageSettings)
    max_open_calls_per_user: int = field(default=MAX_OPEN_CALLS_PER_USER)


def default_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return `TOOL_BRIDGE_DATA`, else `tool-bridge` in the user's data folder (XDG base directories)."""
    if chosen := environ.get("TOOL_BRIDGE_DATA"):
        return Path(chosen)
    base = environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "tool-bridge"


def origin_of(url: str) -> str:
    """Return scheme, host and port of `url` as a browser writes an origin: lower case, no default port."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme.lower())
    port = "" if parts.port in (None, default) else f":{parts.port}"
    return f"{parts.scheme.lower()}://{host}{port}"


def page_url(base_url: str, ticket: str) -> str:
    """Return the page's address with a one-time ticket."""
    return f"{base_url}/#ticket={ticket}"
