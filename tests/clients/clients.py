"""Which clients are run, and what each cannot do by itself."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath

from tests.clients.environments import (
    AGENTS,
    MCP_1,
    MCP_2,
    NODE,
    NODE_TOOLS,
    OPEN_WEBUI,
    ClientEnvironment,
    GivenEnvironment,
)

NEW_ERA = "2026-07-28"
OLD_ERA = "2025-11-25"

NO_PROGRESS = "it asks for none, and waits"
NO_CANCEL = "it goes away without a word, so the call goes on"

THREE_HUNDRED = "never: after 300 s without a byte only"
SIXTY = "after 60 s: `timeout`, `resetTimeoutOnProgress`"


class Ability(StrEnum):
    """What a client is asked to do, as the head of its column says."""

    LIST = "list"
    CALL = "call"
    WRONG_ARGUMENT = "wrong argument"
    API_ERROR = "error of the API"
    IMAGE = "image"
    PROGRESS = "long call with progress"
    CANCEL = "cancel"
    APPROVAL = "approval"


@dataclass(frozen=True, slots=True)
class McpClient:
    """One client, as its makers publish it."""

    name: str
    package: str
    """Whose version the lock names."""
    environment: ClientEnvironment | GivenEnvironment
    program: str
    protocol: str
    """The version of the protocol that it speaks with the bridge."""
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    patience: str = THREE_HUNDRED
    """When it gives up a call by itself, and the setting that changes this."""
    lacks: Mapping[Ability, str] = field(default_factory=dict[Ability, str])
    """What it has no such thing for, and what it does in its place."""
    is_everyday: bool = False
    """Whether `make test` runs it."""

    @property
    def version(self) -> str:
        """Of its package, as locked."""
        return self.environment.version_of(self.package)

    @property
    def label(self) -> str:
        """Its program and protocol, for the names of tests."""
        return f"{PurePosixPath(self.program).stem}-{self.protocol}"

    @property
    def title(self) -> str:
        """Its name and version, for people."""
        return f"{self.name} {self.version}"


CLIENTS = (
    McpClient("Python SDK (`mcp`)", "mcp", MCP_2, "programs/mcp_2_client.py", NEW_ERA, is_everyday=True),
    McpClient(
        "Python SDK (`mcp`)",
        "mcp",
        MCP_1,
        "programs/mcp_1_client.py",
        OLD_ERA,
        is_everyday=True,
        lacks={Ability.CANCEL: NO_CANCEL},
    ),
    McpClient(
        "TypeScript SDK (`@modelcontextprotocol/sdk`)",
        "@modelcontextprotocol/sdk",
        NODE,
        "node/sdk_1_client.mjs",
        OLD_ERA,
        patience=SIXTY,
        is_everyday=True,
    ),
    McpClient(
        "TypeScript client (`@modelcontextprotocol/client`)",
        "@modelcontextprotocol/client",
        NODE,
        "node/client_2_client.mjs",
        OLD_ERA,
        patience=SIXTY,
        is_everyday=True,
    ),
    McpClient(
        'the same, `versionNegotiation: { mode: "auto" }`,',
        "@modelcontextprotocol/client",
        NODE,
        "node/client_2_client.mjs",
        NEW_ERA,
        environ={"VERSIONS": "auto"},
        patience=SIXTY,
        is_everyday=True,
    ),
    McpClient("FastMCP", "fastmcp", AGENTS, "programs/fastmcp_client.py", NEW_ERA),
    McpClient(
        "Pydantic AI",
        "pydantic-ai-slim",
        AGENTS,
        "programs/pydantic_ai_client.py",
        NEW_ERA,
        lacks={Ability.PROGRESS: NO_PROGRESS},
    ),
    McpClient(
        "OpenAI Agents SDK",
        "openai-agents",
        AGENTS,
        "programs/openai_agents_client.py",
        NEW_ERA,
        patience="after 5 s: `client_session_timeout_seconds`",
        lacks={Ability.PROGRESS: NO_PROGRESS},
    ),
    McpClient(
        "LangChain MCP adapters",
        "langchain-mcp-adapters",
        MCP_1,
        "programs/langchain_client.py",
        OLD_ERA,
        lacks={Ability.CANCEL: NO_CANCEL},
    ),
    McpClient(
        "MCP Inspector, command line",
        "@modelcontextprotocol/inspector",
        NODE_TOOLS,
        "node/inspector_client.mjs",
        OLD_ERA,
        patience="after 60 s",
        lacks={Ability.PROGRESS: "it shows none, and waits", Ability.CANCEL: NO_CANCEL},
    ),
    McpClient(
        "Open WebUI",
        "open-webui",
        OPEN_WEBUI,
        "programs/open_webui_client.py",
        NEW_ERA,
        environ={"WEBUI_SECRET_KEY": "of a test", "DATA_DIR": "."},
        lacks={Ability.PROGRESS: NO_PROGRESS},
    ),
)
