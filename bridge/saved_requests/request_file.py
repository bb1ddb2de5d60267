"""The format in which saved requests are exported, shared and run (`docs/reference/saved-requests.md`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from toolserver.answer.answer_query import MAX_QUERY_CHARS, check_query
from toolserver.json_types import load_json

FORMAT = "tool-bridge requests 1"
"""Names the format and its version."""

MAX_REQUESTS = 1000
"""Maximum number of requests in a file; chosen: a thousand calls in a row take minutes."""

MAX_NAME_CHARS = 80
"""Maximum characters of a name; as `MAX_NAME` in `static/session/saved_requests.js`."""

MAX_KEY_CHARS = 4000
"""Maximum characters of an operation's key; chosen, as paths of documents have no limit."""

MAX_VALUES = 50
"""Maximum number of expected values of one request; chosen."""


class UnusableFile(ValueError):
    """The text holds no saved requests that can be run; the message names the place and what is wrong."""


def _checked_query(expression: str) -> str:
    check_query(expression)
    return expression


Query = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARS), AfterValidator(_checked_query)]
"""A JMESPath expression that can be parsed."""


class _Strict(BaseModel):
    """A misspelt member is refused: an expectation that is not read would pass silently."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Expectation(_Strict):
    """What the answer of a request has to be. Without a status, any below 400."""

    status: int | None = Field(default=None, ge=100, le=599)
    within_ms: float | None = Field(default=None, gt=0)
    """Maximum milliseconds from the request to the answer, waits for slots and people included."""
    values: dict[Query, JsonValue] = Field(default={}, max_length=MAX_VALUES)
    """What each query has to select from the answer."""


class _NamedArguments(_Strict):
    """Arguments under a name, and what is expected of the answer."""

    name: str = Field(min_length=1, max_length=MAX_NAME_CHARS)
    arguments: dict[str, JsonValue] = {}
    expect: Expectation = Expectation()


class SavedRequest(_NamedArguments):
    """A call of a tool with its arguments, under a name."""

    tool: str = Field(min_length=1, max_length=64)
    """Name of the tool, as callers know it."""


class SharedRequest(_NamedArguments):
    """A request as all who have a server share it: names of tools differ between users, keys do not."""

    operation: str = Field(min_length=1, max_length=MAX_KEY_CHARS)
    """Key of the operation in the server's document."""


class RequestFile(_Strict):
    """Saved requests, in the order in which they run."""

    format: Literal["tool-bridge requests 1"]
    requests: list[SavedRequest] = Field(max_length=MAX_REQUESTS)


def read_request_file(text: bytes) -> RequestFile:
    """Read a file of saved requests; integers keep all their digits.

    Raises:
        UnusableFile: it is not JSON, or not of this format.
    """
    try:
        value = load_json(text)
    except ValueError as error:
        raise UnusableFile(f"it is not JSON: {error}") from None
    try:
        return RequestFile.model_validate(value)
    except ValidationError as error:
        raise UnusableFile(describe_first_error(error)) from None


def describe_first_error(error: ValidationError) -> str:
    """Return where the first mistake is and what is wrong with it, such as `requests.2.expect.status: …`."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in first["loc"]) or "the file"
    return f"{place}: {first['msg'].removeprefix('Value error, ')}"
