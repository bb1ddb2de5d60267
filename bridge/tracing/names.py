"""Every span and attribute by name; `docs/reference/traces.md` is made of this.

The names are those of OpenTelemetry's semantic conventions for HTTP (stable), generative AI and MCP (both in
development: open-telemetry/semantic-conventions-genai), and `tool_bridge.*` where those have none. Spans hold
no arguments, answers, texts, addresses with queries, people or secrets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

SpanKind: TypeAlias = Literal["server", "client", "internal"]
"""server: answers somebody; client: asks somebody; internal: neither."""

ERROR_TYPE = "error.type"
HTTP_METHOD = "http.request.method"
HTTP_ROUTE = "http.route"
HTTP_STATUS = "http.response.status_code"
URL_TEMPLATE = "url.template"
SERVER_ADDRESS = "server.address"
SERVER_PORT = "server.port"
MCP_METHOD = "mcp.method.name"
MCP_VERSION = "mcp.protocol.version"
RPC_REQUEST_ID = "jsonrpc.request.id"
RPC_STATUS = "rpc.response.status_code"
OPERATION = "gen_ai.operation.name"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
TOOL_NAME = "gen_ai.tool.name"
TOOL_CALL_ID = "gen_ai.tool.call.id"
CALL_ID = "tool_bridge.call.id"
CALL_OUTCOME = "tool_bridge.call.outcome"
SERVER_ID = "tool_bridge.server.id"
TRANSPORT = "tool_bridge.transport"
ROUNDS = "tool_bridge.turn.rounds"
TURN_STATUS = "tool_bridge.turn.status"

ATTRIBUTES: Mapping[str, str] = {
    ERROR_TYPE: "Why it failed: an error code of the bridge, a status, `tool_error`, or a class of error.",
    HTTP_METHOD: "Method of the request.",
    HTTP_ROUTE: "Path of the route, with names where clients put values.",
    HTTP_STATUS: "Status of the answer.",
    URL_TEMPLATE: "Path of the operation, as its document writes it.",
    SERVER_ADDRESS: "Host of the API.",
    SERVER_PORT: "Port of the API.",
    MCP_METHOD: "Method of the message.",
    MCP_VERSION: "Version of the protocol that the message names.",
    RPC_REQUEST_ID: "The client's id of the message.",
    RPC_STATUS: "Code of the error with which the message was answered.",
    OPERATION: "`invoke_agent`, `chat` or `execute_tool`.",
    PROVIDER: "Name of the model's provider, as in the models file.",
    REQUEST_MODEL: "The provider's name for the model that was asked.",
    RESPONSE_MODEL: "The model that answered, as the provider names it.",
    FIRST_CHUNK: "Seconds until the first event of the answer.",
    INPUT_TOKENS: "Tokens that were read, as the provider counts them.",
    CACHED_TOKENS: "Those of them that came from its cache.",
    OUTPUT_TOKENS: "Tokens that were written.",
    REASONING_TOKENS: "Those of them that were reasoning.",
    TOOL_NAME: "Name of the tool.",
    TOOL_CALL_ID: "The model's id of the call.",
    CALL_ID: "Id of the call, as in *Calls*, the audit log and the log.",
    CALL_OUTCOME: "The state in which the call ended.",
    SERVER_ID: "Id of the tool's server.",
    TRANSPORT: "What sent the request: `page`, or `companion`.",
    ROUNDS: "Rounds of the model, those of sub-queries included.",
    TURN_STATUS: "`completed`, `incomplete` or `failed`.",
}
"""What each means."""


@dataclass(frozen=True, slots=True)
class SpanType:
    """One kind of span."""

    title: str
    """Its name, with placeholders in braces."""
    kind: SpanKind
    meaning: str
    attributes: tuple[str, ...] = ()
    """Those it may have."""


REQUEST = SpanType(
    "{method} {route}",
    "server",
    "A request to a route of tools, models, MCP or the API, from its head to the end of its answer.",
    (HTTP_METHOD, HTTP_ROUTE, HTTP_STATUS, ERROR_TYPE),
)
MCP_MESSAGE = SpanType(
    "{method} {tool}",
    "server",
    "A message of an MCP client. Its parent is the context in its `_meta`, and the request is a link then.",
    (MCP_METHOD, MCP_VERSION, RPC_REQUEST_ID, RPC_STATUS, OPERATION, TOOL_NAME, ERROR_TYPE),
)
TURN = SpanType(
    "invoke_agent",
    "internal",
    "A model turn from its admission to its end.",
    (
        OPERATION,
        PROVIDER,
        REQUEST_MODEL,
        INPUT_TOKENS,
        CACHED_TOKENS,
        OUTPUT_TOKENS,
        REASONING_TOKENS,
        ROUNDS,
        TURN_STATUS,
        ERROR_TYPE,
    ),
)
MODEL_ROUND = SpanType(
    "chat {model}",
    "client",
    "A round: one request to a model, until its answer has been read.",
    (
        OPERATION,
        PROVIDER,
        REQUEST_MODEL,
        RESPONSE_MODEL,
        FIRST_CHUNK,
        INPUT_TOKENS,
        CACHED_TOKENS,
        OUTPUT_TOKENS,
        REASONING_TOKENS,
        ERROR_TYPE,
    ),
)
TOOL_CALL = SpanType(
    "execute_tool {tool}",
    "internal",
    "A tool call from its opening to its end.",
    (OPERATION, TOOL_NAME, TOOL_CALL_ID, CALL_ID, SERVER_ID, CALL_OUTCOME, ERROR_TYPE),
)
SLOT_WAIT = SpanType("wait for slot", "internal", "The call waits for its turn, or for a page to come.")
PAGE_WAIT = SpanType("wait for page", "internal", "The call was sent to a page, which has not confirmed it.")
APPROVAL_WAIT = SpanType("wait for approval", "internal", "The call's user is asked, and it gets its slot.")
PAGE_RUN = SpanType(
    "run in page", "internal", "The page has the call, until its report, or its end, has come."
)
PAGE_PREPARATION = SpanType(
    "prepare request", "internal", "The page builds the request: credentials, files, the journal."
)
API_REQUEST = SpanType(
    "{method} {template}",
    "client",
    "The page's request to the API, until the head of its answer.",
    (HTTP_METHOD, URL_TEMPLATE, SERVER_ADDRESS, SERVER_PORT, HTTP_STATUS, TRANSPORT, ERROR_TYPE),
)
MCP_REQUEST = SpanType(
    "tools/call {tool}",
    "client",
    "The page's call of a tool of an MCP server, until its result.",
    (MCP_METHOD, OPERATION, TOOL_NAME, SERVER_ADDRESS, SERVER_PORT, TRANSPORT, ERROR_TYPE),
)
ANSWER_READING = SpanType("read answer", "internal", "The page reads the answer's body and redacts it.")
ANSWER_UPLOAD = SpanType("upload answer", "internal", "The page uploads an answer too long for a message.")

SPANS: tuple[SpanType, ...] = (
    REQUEST,
    MCP_MESSAGE,
    TURN,
    MODEL_ROUND,
    TOOL_CALL,
    SLOT_WAIT,
    PAGE_WAIT,
    APPROVAL_WAIT,
    PAGE_RUN,
    PAGE_PREPARATION,
    API_REQUEST,
    MCP_REQUEST,
    ANSWER_READING,
    ANSWER_UPLOAD,
)
"""All, in the order in which they are documented."""
