"""The Model Context Protocol as values: versions, codes, messages in, messages out. Pure.

Two eras share one address. *Modern* (2026-07-28): each request says its version and its client's
capabilities in `_meta`, and repeats version, method and name in headers. *Legacy* (2025-11-25 and before):
the version is agreed by `initialize`; no session is kept here, so that later requests bring it in a header.
Names and numbers are those of the specification; `tests/unit/endpoints/mcp` compares them with the official
package (ADR 22).
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Literal, TypeAlias, cast

import msgspec
import orjson

from bridge.errors import WireError
from toolserver.arguments.exact_json import is_object_text
from toolserver.json_types import MAX_NESTING, JsonObject, JsonValue, dump_json, may_nest_deeply, nests_deeply
from toolserver.openapi.json_text import members_of
from toolserver.value_object import value_object

MODERN_VERSION = "2026-07-28"
LEGACY_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that `initialize` may agree on, the newest first."""

UNTOLD_VERSION = "2025-03-26"
"""What a legacy request without a version header speaks."""

CANCELLED = "notifications/cancelled"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022
REFUSED = -32000
"""Code of a request that the bridge refuses before it reads the message; `data` is the bridge's own error."""

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"

IDEMPOTENCY_KEY = "tool-bridge/idempotency-key"
"""Key in a call's `_meta` with the client's own name for the call: a call of that name is made once."""

IDEMPOTENCY_KEY_CHARS = 200

_STATUS = {
    PARSE_ERROR: HTTPStatus.BAD_REQUEST,
    INVALID_REQUEST: HTTPStatus.BAD_REQUEST,
    INVALID_PARAMS: HTTPStatus.BAD_REQUEST,
    METHOD_NOT_FOUND: HTTPStatus.NOT_FOUND,
    HEADER_MISMATCH: HTTPStatus.BAD_REQUEST,
    MISSING_CAPABILITY: HTTPStatus.BAD_REQUEST,
    UNSUPPORTED_VERSION: HTTPStatus.BAD_REQUEST,
}

_LONG_NUMBER = b"0" * 16
_DIGITS_TO_ZERO = bytes(ord("0") if chr(byte).isdecimal() else ord(" ") for byte in range(256))

RequestId: TypeAlias = "str | int"


class RpcError(Exception):
    """A JSON-RPC error for the client."""

    def __init__(
        self,
        code: int,
        message: str,
        data: JsonObject | None = None,
        *,
        request_id: RequestId | None = None,
        status: int | None = None,
    ) -> None:
        """`status`: HTTP status where it is not that of the code."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.request_id = request_id
        self.status = _STATUS.get(code, HTTPStatus.OK) if status is None else status


@value_object
class RpcMessage:
    """A request or notification, its envelope checked, its version not."""

    method: str
    params: JsonObject
    """Of a `_PlainCall` without its arguments."""
    meta: JsonObject
    """`params._meta`."""
    request_id: RequestId | None
    """None: a notification."""
    text: bytes
    """The body as it was sent."""
    is_modern: bool
    """Whether it says its version itself."""
    plain_arguments: str | None = None
    """JSON text of the arguments of a `_PlainCall`, an object; None: they are in `params`, if anywhere."""

    @property
    def progress_token(self) -> RequestId | None:
        """The token under which its client wants to hear of progress; None: it does not."""
        return _as_id(self.meta.get("progressToken"))

    def read_arguments(self) -> str:
        """Return the JSON text of `params.arguments`, in which no integer has lost a digit.

        Raises:
            RpcError: they are no object.
        """
        if self.plain_arguments is not None:
            return self.plain_arguments
        arguments = self.params.get("arguments")
        if arguments is None:
            return "{}"
        if isinstance(arguments, str) and is_object_text(arguments):  # encoded once too often
            return arguments
        if not isinstance(arguments, dict):
            raise RpcError(INVALID_PARAMS, "params.arguments must be an object.", request_id=self.request_id)
        if has_long_number(self.text):
            return members_of(members_of(self.text.decode())["params"])["arguments"]
        return orjson.dumps(arguments).decode()


def has_long_number(text: bytes) -> bool:
    """Whether a JSON text may hold an integer that JavaScript or orjson would round.

    A pattern would take ten times as long. `in` would fail at first to take what it looks for as a number.
    """
    return text.translate(_DIGITS_TO_ZERO).find(_LONG_NUMBER) >= 0


class _PlainParams(msgspec.Struct, forbid_unknown_fields=True, rename={"meta": "_meta"}):
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    meta: msgspec.Raw = msgspec.Raw(b"{}")


class _PlainCall(msgspec.Struct, forbid_unknown_fields=True):
    """A call of a tool with nothing but what nearly every one has.

    Its arguments stay text: to read them and write them again would take as long as the rest.
    """

    jsonrpc: Literal["2.0"]
    id: str | Annotated[int, msgspec.Meta(ge=-(2**53), le=2**53)]
    method: Literal["tools/call"]
    params: _PlainParams


_PLAIN_CALLS = msgspec.json.Decoder(_PlainCall)
_CALL_MARK = b'"tools/call"'


def read_message(body: bytes) -> RpcMessage:
    """Return the one request or notification of a POST.

    Raises:
        RpcError: `PARSE_ERROR`, `INVALID_REQUEST`.
    """
    is_call = body.find(_CALL_MARK) >= 0 and not may_nest_deeply(body)
    return (is_call and _read_plain_call(body)) or _read_any_message(body)


def _read_plain_call(body: bytes) -> RpcMessage | None:
    """Return the message of a `_PlainCall`; None: `body` is another message, or none."""
    try:
        call = _PLAIN_CALLS.decode(body)
        params = call.params
        meta: JsonValue = orjson.loads(memoryview(params.meta))
        arguments = str(params.arguments, "utf-8")
        if not body.isascii():
            body.decode()  # msgspec passes over the value of a key that comes again
    except ValueError:  # of which msgspec's and orjson's errors are
        return None
    if not isinstance(meta, dict) or not arguments.startswith("{"):
        return None
    return RpcMessage("tools/call", {"name": params.name}, meta, call.id, body, _is_modern(meta), arguments)


def _read_any_message(body: bytes) -> RpcMessage:
    try:
        value: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise RpcError(PARSE_ERROR, f"The body is not JSON: {error}.") from None
    if not isinstance(value, dict):
        text = "The body must be one JSON-RPC request or notification; only 2025-03-26 has batches."
        raise RpcError(INVALID_REQUEST, text)
    request_id = _as_id(value.get("id"))
    if value.get("jsonrpc") != "2.0" or (request_id is None and "id" in value):
        message = 'A request needs "jsonrpc": "2.0" and an id that is a text or an integer.'
        raise RpcError(INVALID_REQUEST, message)
    if may_nest_deeply(body) and nests_deeply(value):
        message = f"The message is nested too deeply: at most {MAX_NESTING} levels."
        raise RpcError(INVALID_REQUEST, message, request_id=request_id)
    method = value.get("method")
    params = value.get("params")
    if not isinstance(method, str):
        raise RpcError(INVALID_REQUEST, "The message has no method.", request_id=request_id)
    if params is None:  # clients of typed languages write out what is unset
        params = {}
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "params must be an object.", request_id=request_id)
    meta = params.get("_meta")
    if not isinstance(meta, dict):
        meta = {}
    return RpcMessage(method, params, meta, request_id, body, _is_modern(meta))


def _is_modern(meta: JsonObject) -> bool:
    return meta.get(VERSION_KEY) is not None


def _as_id(value: JsonValue) -> RequestId | None:
    """Return a value that may be the id of a request, or name its progress; None: it may not."""
    if isinstance(value, str):
        return value
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_name(message: RpcMessage) -> str:
    """Return the name of the tool to be called.

    Raises:
        RpcError: there is none.
    """
    name = message.params.get("name")
    if not name or not isinstance(name, str):
        raise RpcError(INVALID_PARAMS, "params.name must name a tool.", request_id=message.request_id)
    return name


def read_idempotency_key(message: RpcMessage) -> str | None:
    """Return the client's own name for a call; None: it gave none.

    Raises:
        RpcError: it is no text of 1 to `IDEMPOTENCY_KEY_CHARS` characters.
    """
    key = message.meta.get(IDEMPOTENCY_KEY)
    if key is None or (isinstance(key, str) and 1 <= len(key) <= IDEMPOTENCY_KEY_CHARS):
        return key
    text = f"_meta[{IDEMPOTENCY_KEY!r}] must be a text of 1 to {IDEMPOTENCY_KEY_CHARS} characters."
    raise RpcError(INVALID_PARAMS, text)


def result_bytes(request_id: RequestId | None, result: object) -> bytes:
    """Return the response with a result; fragments in it are spliced in."""
    return orjson.dumps({"jsonrpc": "2.0", "id": request_id, "result": result})


def notification_bytes(method: str, params: object) -> bytes:
    """Return a notification."""
    return orjson.dumps({"jsonrpc": "2.0", "method": method, "params": params})


def event_frame(message: bytes) -> bytes:
    """Return a message as a server-sent event."""
    return b"event: message\ndata: " + message + b"\n\n"


def error_bytes(error: RpcError) -> bytes:
    """Return the response with an error."""
    body: dict[str, object] = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    answer = {"jsonrpc": "2.0", "id": error.request_id, "error": body}
    return dump_json(cast(JsonValue, answer))  # it may repeat a header, which need not be text


def of_wire(error: WireError) -> RpcError:
    """Return the error of a request that the bridge refused as a whole."""
    data: JsonObject = {"error": cast(JsonValue, error.model_dump(mode="json"))}
    return RpcError(REFUSED, error.message, data, status=error.code.facts.http_status)
