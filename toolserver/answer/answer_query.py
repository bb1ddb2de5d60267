"""Queries of answers: JMESPath, bounded in length and depth, over values whose numbers keep their text.

The library bounds nothing else: a short expression can make gigabytes, or take hours. `run_query` therefore
belongs into a process that may be killed; `check_query` is for the one that serves callers.
"""

import re
from collections.abc import Iterable
from typing import Any

from jmespath.exceptions import (
    ArityError,
    IncompleteExpressionError,
    JMESPathError,
    JMESPathTypeError,
    LexerError,
    ParseError,
    UnknownFunctionError,
)
from jmespath.functions import Functions, signature
from jmespath.parser import ParsedResult, Parser
from jmespath.visitor import Options

from toolserver.answer.exact_values import write_exact
from toolserver.errors import quote_text

MAX_QUERY_CHARS = 1000
MAX_QUERY_LEVELS = 50
"""Maximum depth of an expression (ruling 56); the library recurses into each level."""

_BRACKET = re.compile(r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|`(?:[^`\\]|\\.)*+`|[(\[{}\])]""", re.DOTALL)
"""A bracket, or a quoted text with all that is in it."""


class QueryError(ValueError):
    """An expression that is not JMESPath, or does not fit what it is asked of. Its text is for models."""


def check_query(expression: str) -> None:
    """Parse an expression, so that it can be refused before anything is sent.

    Raises:
        QueryError: too long, too deep, or not JMESPath.
    """
    _parsed(expression)


def run_query(expression: str, value: object, max_bytes: int) -> bytes:
    """What an expression selects, as JSON; `null` where nothing fits it.

    Raises:
        QueryError: as `check_query`; or a function of it does not take the values that it gets.
        TooLong: it has more than `max_bytes`.
        MemoryError: it needs more memory than the process may have.
    """
    query = _parsed(expression)
    try:
        found = query.search(value, Options(custom_functions=_ExactFunctions(max_bytes)))
    except JMESPathTypeError as error:
        expected = " or ".join(error.expected_types)
        message = f"{error.function_name}() takes {expected}, not {error.actual_type}"
        raise QueryError(f"The query does not fit this answer: {message}.") from None
    except (ArityError, UnknownFunctionError) as error:
        raise QueryError(f"The query cannot be run: {error}.") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise QueryError(f"The query cannot be run on this answer ({type(error).__name__}).") from None
    return write_exact(found, max_bytes)


class _ExactFunctions(Functions):
    """The library's functions, but for the one that would write numbers anew."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes

    @signature({"types": []})
    def _func_to_string(self, value: object) -> str:
        return value if isinstance(value, str) else write_exact(value, self._max_bytes).decode()


def _parsed(expression: str) -> ParsedResult:
    if len(expression) > MAX_QUERY_CHARS:
        raise QueryError(
            f"The query has {len(expression):,} characters; {MAX_QUERY_CHARS:,} are allowed. Select in steps."
        )
    try:
        if _count_brackets(expression) > MAX_QUERY_LEVELS:
            raise _too_deep()
        query = Parser().parse(expression)
        Parser.purge()  # else the library keeps the last 512 expressions of all callers
    except QueryError:
        raise
    except ValueError as error:
        raise QueryError(f"This is not JMESPath: {_reason(error)}.") from None
    except RecursionError:
        raise _too_deep() from None
    if _count_levels(query.parsed) > MAX_QUERY_LEVELS:
        raise _too_deep()
    return query


def _too_deep() -> QueryError:
    return QueryError(f"The query is nested more than {MAX_QUERY_LEVELS} levels deep. Select in steps.")


def _reason(error: ValueError) -> str:
    match error:
        case IncompleteExpressionError():
            return "it ends too early"
        case LexerError():
            return f"{error.message[:200]} at character {error.lex_position}"
        case ParseError():
            return f"{quote_text(str(error.token_value))} at character {error.lex_position} is not expected"
        case _:
            return "it is empty" if isinstance(error, JMESPathError) else "one of its values is not JSON"


def _count_brackets(expression: str) -> int:
    """How many brackets are open at most at one place."""
    depth = most = 0
    for bracket in _BRACKET.findall(expression):
        depth += (bracket in "([{") - (bracket in "}])")
        most = max(most, depth)
    return most


def _count_levels(node: dict[str, Any]) -> int:
    """How deeply the nodes of an expression are nested."""
    levels, level = 0, [node]
    while level and levels <= MAX_QUERY_LEVELS:
        levels += 1
        level = [child for each in level for child in _children(each)]
    return levels


def _children(node: dict[str, Any]) -> Iterable[dict[str, Any]]:
    """The nodes below one; a slice has numbers in their place."""
    children: Iterable[dict[str, Any] | int | None] = node.get("children", ())
    return [child for child in children if isinstance(child, dict)]
