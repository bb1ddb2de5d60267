"""Settings of one bridge process, as the command line and the environment give them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from bridge.settings.model_defaults import ModelDefaults
from bridge.settings.models import ModelsFile
from toolserver.tool.selection import MODEL_LIMIT

DEFAULT_PORT = 8765
"""One fixed port, because browser storage is per origin (ruling 25)."""

SAMPLES_PORT = 8766

LOCAL_USER = "local"
"""The one user of a bridge that nobody configured otherwise; it may change shared servers."""

RUNNING_FILE = "running.json"
"""In the data folder: where the bridge that uses it can be reached."""

DEFAULT_AUDIT_DAYS, MIN_AUDIT_DAYS, MAX_AUDIT_DAYS = 365, 1, 3650
"""How long entries of the audit log are kept."""

DEFAULT_APPROVAL_S = 120.0
"""How long a user may think about a call; no answer is a denial (ruling 8)."""

MAX_OPEN_CALLS_PER_USER = 1000
"""Calls of one user that may run or wait at once; the next one is refused with `queue_full`. Chosen."""

DEFAULT_MAX_ANSWER_BYTES = 256 * 1024
"""Of one answer's text that a caller reads: about 64,000 tokens, half of the context of most models."""

MIN_MAX_ANSWER_BYTES = 1024

DEFAULT_TOOL_OUTPUT_TURNS = 10
"""Turns of a chat in which a model is shown what its tools returned in full."""

ApprovalMode = Literal["safe", "ask", "all"]
"""safe: what only reads runs at once, everything else asks · ask: every call asks · all: none does."""

APPROVAL_MODES: tuple[ApprovalMode, ...] = get_args(ApprovalMode)

ReasoningMemory = Literal["disabled", "next_reply", "conversation"]
"""For how long a model is shown again what it thought: never, in the next answer, in the whole chat."""

REASONING_MEMORIES: tuple[ReasoningMemory, ...] = ("disabled", "next_reply", "conversation")


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What is kept of answers, and what of it a model is shown again."""

    persist_tool_results: bool = True
    """False: nothing is kept of any answer."""
    reasoning: ReasoningMemory = "conversation"
    tool_output_turns: int = DEFAULT_TOOL_OUTPUT_TURNS
    """0: all turns."""


DEFAULT_CLEANUP_DAYS, MIN_CLEANUP_DAYS, MAX_CLEANUP_DAYS = 90, 1, 365
"""How long what is kept of answers stays after it was last used."""

DEFAULT_CLEANUP_HOURS, MIN_CLEANUP_HOURS, MAX_CLEANUP_HOURS = 1.0, 0.5, 24.0
"""How often what is too old is looked for."""

DEFAULT_KEPT_BYTES, MIN_KEPT_BYTES = 1024**3, 1024**2
"""Of one user's answers, as they stand in the database."""


@dataclass(frozen=True, slots=True)
class StorageSettings:
    """How what is kept of answers stands in the database, and for how long."""

    encryption_keys: tuple[str, ...] = field(default=(), repr=False)
    """The first one encrypts, all decrypt; none: nothing is encrypted."""
    encrypt_all: bool = True
    """False: of items only what models thought is encrypted."""
    compress: bool = True
    min_compress_bytes: int = 0
    cleanup_days: int = DEFAULT_CLEANUP_DAYS
    """1 to 365."""
    cleanup_interval_hours: float = DEFAULT_CLEANUP_HOURS
    """0.5 to 24."""
    bytes_per_user: int = DEFAULT_KEPT_BYTES
    """0: any number."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one bridge process is told from outside."""

    data_dir: Path
    """Folder of the database, keys and stored answers; created with mode 0700."""
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    """0 lets the system choose."""
    public_url: str | None = None
    """The canonical address of the page when it is not `http://{host}:{port}`, for example behind TLS."""
    allowed_hosts: tuple[str, ...] = ()
    """Further `Host` values that are answered, `name` or `name:port`."""
    allowed_origins: tuple[str, ...] = ()
    """Origins whose pages may use the tool-server routes (Open WebUI's, for direct tool servers)."""
    user_jwt_secret: str | None = field(default=None, repr=False)
    """Signs the tokens in which forwarders name users; None: none is believed."""
    trust_user_headers: bool = False
    """Forwarders may name users in plain headers."""
    limits: Mapping[str, int | float] = field(default_factory=dict[str, int | float])
    """Limits that environment and command line give, by name (`bridge.limits.settings`)."""
    approve: ApprovalMode = "safe"
    """Which calls ask, for users who chose nothing else."""
    approval_s: float = DEFAULT_APPROVAL_S
    """Seconds a user may think about a call, 1 to 600."""
    max_tools: int = MODEL_LIMIT
    """Tools shown to a model, 3 to 20,000, for users who chose no number of their own."""
    max_tool_tokens: int | None = None
    """Tokens of all definitions that a model is shown, 1,000 to 10,000,000; None for no budget."""
    max_answer_bytes: int = DEFAULT_MAX_ANSWER_BYTES
    """Of one answer's text that a caller reads; 0: all that the bridge keeps (`wire.RESULT_BYTES`)."""
    audit_days: int = DEFAULT_AUDIT_DAYS
    """Days for which entries of the audit log are kept, 1 to 3650."""
    models: ModelsFile = field(default_factory=ModelsFile)
    """Providers and models; without a provider there is the demo model."""
    model_defaults: ModelDefaults = field(default_factory=ModelDefaults)
    """How models are asked where neither callers nor `models` say so."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Where the keys of providers stand, under the names that `models` has for them."""
    enable_strict_tool_calling: bool = True
    """Models get strict schemas, where a tool's schema allows it."""
    limit_reached_template: str = ""
    """What an answer says that has used up its rounds; "" for the built-in text."""
    memory: MemorySettings = field(default_factory=MemorySettings)
    kept: StorageSettings = field(default_factory=StorageSettings)
    max_open_calls_per_user: int = field(default=MAX_OPEN_CALLS_PER_USER)


def default_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """`TOOL_BRIDGE_DATA`, else `tool-bridge` in the user's data folder (XDG base directory specification)."""
    if chosen := environ.get("TOOL_BRIDGE_DATA"):
        return Path(chosen)
    base = environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "tool-bridge"


def origin_of(url: str) -> str:
    """Scheme, host and port of `url` as a browser writes an origin: lower case, no default port."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    host = f"[{host}]" if ":" in host else host
    default = {"http": 80, "https": 443}.get(parts.scheme.lower())
    port = "" if parts.port in (None, default) else f":{parts.port}"
    return f"{parts.scheme.lower()}://{host}{port}"


def page_url(base_url: str, ticket: str) -> str:
    """The page's address with a one-time ticket."""
    return f"{base_url}/#ticket={ticket}"
