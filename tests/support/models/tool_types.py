"""Functions as official clients of providers type them; members that a client does not know are refused."""

import json
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import FunctionToolParam
from openai.types.shared_params import FunctionDefinition
from pydantic import TypeAdapter, ValidationError

from tests.clients.environments import GOOGLE_GENAI, HERE
from tests.support.models.messages_types import find_odd_request
from tests.support.models.schema_judge import find_tool_refusals, read_rules
from tests.support.programs.needs import need_environment

GEMINI_TYPES: Path = HERE / "programs" / "gemini_types.py"

Json = dict[str, Any]

_TYPES: dict[str, Any] = {"responses": FunctionToolParam, "chat": ChatCompletionFunctionToolParam}


@cache
def _type_of(api: str) -> TypeAdapter[Any]:
    for each in (FunctionToolParam, ChatCompletionFunctionToolParam, FunctionDefinition):
        setattr(each, "__pydantic_config__", {"extra": "forbid"})  # noqa: B010
    return TypeAdapter(_TYPES[api])


def find_odd_tools(tools: Sequence[Json], api: str) -> str | None:
    """What of tools the types of the protocol's client do not take; None: nothing."""
    if api == "messages":
        hello = {"role": "user", "content": [{"type": "text", "text": "Hello"}]}
        return find_odd_request(
            {"model": "m", "max_tokens": 1, "messages": [hello], "tools": [*tools], "stream": True}
        )
    try:
        for tool in tools:
            _type_of(api).validate_python(tool)
    except ValidationError as error:
        return str(error)
    return None


def find_tool_problems(tools: Sequence[Json], dialect: str) -> list[str]:
    """What the client's types, and the rules of a dialect, have against tools in its protocol."""
    api = {"openai": "responses", "anthropic": "messages"}.get(dialect, "chat")
    problems = [odd] if (odd := find_odd_tools(tools, api)) else []
    if dialect == "plain":
        return problems
    for tool in tools:
        function = tool.get("function", tool)
        plain = {"parameters": function.get("input_schema"), **function}
        problems += find_tool_refusals(plain, read_rules(dialect))
    return problems


def find_gemini_complaints(declarations: Sequence[Json]) -> list[str]:
    """What Google's client says against each declaration of a function; empty: nothing."""
    need_environment(GOOGLE_GENAI)
    lines = "".join(f"{json.dumps(each)}\n" for each in declarations)
    command = (str(GOOGLE_GENAI.interpreter), str(GEMINI_TYPES))
    ended = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=300)
    complaints = ended.stdout.split("\n")[:-1]
    assert len(complaints) == len(declarations)
    return complaints
