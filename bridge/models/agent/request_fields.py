"""Typed readers for the members of a request body; errors name the member as OpenAI does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bridge.models.agent.items import Item
from bridge.models.agent.turn import TurnRequest
from toolserver.arguments.validation_cost import count_values
from toolserver.json_types import JsonObject, JsonValue

MAX_VALUES = 200_000
"""Maximum number of values in a request. Chosen: each takes up to 20 µs (measured), in which nobody else is
served; 10,000 messages with as many calls have about as many."""

MAX_ROUNDS_MEMBER = "max_function_call_loops"
"""Request member with a limit of rounds, named like the setting."""

MAX_REQUESTED_ROUNDS = 1000
"""Maximum number of rounds that a request may ask for."""


class InvalidRequest(Exception):
    """A request that cannot be understood, or asks for what the bridge does not do. Nothing was started."""

    def __init__(self, message: str, *, param: str | None, code: str) -> None:
        """`param`: path of the member, such as `messages[0].role`; `code`: as in OpenAI's errors."""
        super().__init__(message)
        self.message = message
        self.param = param
        self.code = code


def refuse_too_many(body: JsonObject) -> None:
    """Refuse a request of too many values: its bytes bound texts and images, not what each value costs.

    Raises:
        InvalidRequest: there are more than `MAX_VALUES`.
    """
    if count_values(body, MAX_VALUES) > MAX_VALUES:
        message = (
            f"The request has more than {MAX_VALUES:,} values: members, items of lists, and each kilobyte of "
            "text. Send fewer messages or tools."
        )
        raise InvalidRequest(message, param=None, code="invalid_value")


@dataclass(frozen=True, slots=True)
class ParsedRequest:
    """A request in the form that all endpoints share, before its user is known."""

    model: str
    input: tuple[Item, ...]
    instructions: str | None = None
    caller_tools: tuple[JsonObject, ...] = ()
    options: JsonObject = field(default_factory=dict[str, JsonValue])
    chat_options: JsonObject = field(default_factory=dict[str, JsonValue])
    """Members that exist only in Chat Completions."""
    with_tools: bool = True
    tool_servers: tuple[str, ...] | None = None
    """Ids or titles of the servers whose tools the model gets; None: those that the user shows to models."""
    max_rounds: int | None = None
    streams: bool = False
    stores: bool = False
    """Whether the answer is stored under its id (Responses only)."""
    background: bool = False
    """Whether the answer is completed even if its caller disconnects (Responses only)."""
    previous_response_id: str | None = None
    wants_usage_chunk: bool = False
    """Whether the stream ends with a chunk of usage (Chat Completions only)."""
    dropped: tuple[str, ...] = ()
    """Members that are not passed on to any provider, in the order of the body; they had no effect."""

    def build_turn(self, user_id: str, turn_id: str, *, may_have_tools: bool) -> TurnRequest:
        """Build the loop's request for this user, as far as the body determines it."""
        return TurnRequest(
            user_id=user_id,
            turn_id=turn_id,
            model=self.model,
            input=self.input,
            instructions=self.instructions,
            caller_tools=self.caller_tools,
            options=self.options,
            chat_options=self.chat_options,
            with_tools=self.with_tools and may_have_tools and self.tool_servers != (),
            max_rounds=self.max_rounds,
            previous_response_id=self.previous_response_id,
        )


def required_text(body: Mapping[str, JsonValue], name: str, where: str = "") -> str:
    """Read a string that must be present and not empty."""
    param = where + name
    if body.get(name) is None:
        raise InvalidRequest(
            f"Missing required parameter: '{param}'.", param=param, code="missing_required_parameter"
        )
    value = optional_text(body, name, where)
    if not value:
        raise InvalidRequest(f"'{param}' must not be empty.", param=param, code="invalid_value")
    return value


def optional_text(body: Mapping[str, JsonValue], name: str, where: str = "") -> str | None:
    """Read a string; None when it is absent."""
    value = body.get(name)
    if value is None or isinstance(value, str):
        return value
    raise wrong_type(where + name, "a string", value)


def read_flag(body: Mapping[str, JsonValue], name: str, *, default: bool = False) -> bool:
    """Read a boolean; `default` when it is absent."""
    value = body.get(name)
    if value is None:
        return default
    if isinstance(value, bool):
        return value
    raise wrong_type(name, "a boolean", value)


def optional_object(body: Mapping[str, JsonValue], name: str, where: str = "") -> JsonObject:
    """Read an object; empty when it is absent."""
    value = body.get(name)
    if value is None:
        return {}
    return as_object(value, where + name)


def as_object(value: JsonValue, param: str) -> JsonObject:
    """Return a value that must be an object."""
    if isinstance(value, dict):
        return value
    raise wrong_type(param, "an object", value)


def as_array(value: JsonValue, param: str) -> list[JsonValue]:
    """Return a value that must be an array."""
    if isinstance(value, list):
        return value
    raise wrong_type(param, "an array", value)


def requested_rounds(body: Mapping[str, JsonValue]) -> int | None:
    """Read how many rounds the request allows; None when it does not say."""
    value = body.get(MAX_ROUNDS_MEMBER)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(MAX_ROUNDS_MEMBER, "an integer", value)
    if not 1 <= value <= MAX_REQUESTED_ROUNDS:
        message = f"'{MAX_ROUNDS_MEMBER}' must be from 1 to {MAX_REQUESTED_ROUNDS}, not {value}."
        raise InvalidRequest(message, param=MAX_ROUNDS_MEMBER, code="invalid_value")
    return value


def wrong_type(param: str, expected: str, value: JsonValue) -> InvalidRequest:
    """Build the error for a member of the wrong type."""
    message = f"Invalid type for '{param}': expected {expected}, but got {_kind(value)} instead."
    return InvalidRequest(message, param=param, code="invalid_type")


def _kind(value: JsonValue) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int():
            return "an integer"
        case float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "an array"
        case dict():
            return "an object"
