"""The argument `result_select`: a query of the answer that comes with a call (ruling 57).

It is the caller's word to the bridge, and no argument of the operation: neither validation, plan, card,
digest nor the comparison of calls sees it. A tool to which it might be one keeps it.
"""

from __future__ import annotations

import orjson

from bridge.browser_protocol import ARGUMENT_BYTES
from toolserver.answer.answer_query import QueryError, check_query
from toolserver.arguments.arguments import ArgumentValidator, parse_arguments
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonValue
from toolserver.openapi.json_text import members_of
from toolserver.openapi.media_type import is_json
from toolserver.tool.compile import CompiledOperation

RESULT_SELECT = "result_select"


def split_select(text: str, operation: CompiledOperation, validator: ArgumentValidator) -> tuple[str, str]:
    """Return the arguments of the operation, in their own text, and the query; "" if there is none.

    Raises:
        ArgumentError: the query is not a text, or not JMESPath; or `text` is not a JSON object.
    """
    if RESULT_SELECT not in text or validator.takes(RESULT_SELECT) or _answers_files(operation):
        return text, ""
    arguments = parse_arguments(text, max_bytes=ARGUMENT_BYTES)
    if RESULT_SELECT not in arguments:
        return text, ""
    members = members_of(text)
    del members[RESULT_SELECT]
    rest = ",".join(f"{orjson.dumps(name).decode()}:{value}" for name, value in members.items())
    return f"{{{rest}}}", checked_select(arguments[RESULT_SELECT], RESULT_SELECT)


def select_of_tool(operation: CompiledOperation) -> str:
    """Return the query that an edit of the tool fixed for its answers; "" if there is none."""
    select = operation.result_select
    return "" if not select or _answers_files(operation) else select


def checked_select(query: JsonValue, argument: str) -> str:
    """Return a query that can be run; "" for null and for no text at all.

    Raises:
        ArgumentError: it is not a text, or not JMESPath.
    """
    if query is None or query == "":
        return ""
    pointer = f"/{argument}"
    if not isinstance(query, str):
        raise ArgumentError(f"{argument} must be a text with a JMESPath.", argument=argument, pointer=pointer)
    try:
        check_query(query)
    except QueryError as error:
        raise ArgumentError(f"{argument}: {error}", argument=argument, pointer=pointer) from None
    return query


def _answers_files(operation: CompiledOperation) -> bool:
    """Whether all that the operation answers is something else than text."""
    accept: str = orjson.loads(operation.plan_json).get("accept", "")
    types = [each.strip() for each in accept.split(",") if each.strip()]
    return bool(types) and all(_is_file(each) for each in types)


def _is_file(media_type: str) -> bool:
    kinds = ("image/", "audio/", "video/", "font/")
    return not is_json(media_type) and (media_type.startswith(kinds) or media_type in _FILE_TYPES)


_FILE_TYPES = frozenset(
    ("application/octet-stream", "application/pdf", "application/zip", "application/gzip")
)
