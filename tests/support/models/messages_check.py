"""What Anthropic's Messages API refuses of a history; the words are its own where they are known."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.models.messages_types import find_odd_request
from tests.support.models.scripted_provider import Thought

Json = dict[str, Any]

_ID = re.compile(r"[a-zA-Z0-9_-]+")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")


def find_refusal(body: Json, thought: Sequence[Thought]) -> str | None:
    """Why a request is refused; None: it is not. `thought`: by all answers so far."""
    if (odd := find_odd_request(body)) is not None:
        return odd
    if not body["messages"] or body["messages"][0]["role"] != "user":
        return "messages: first message must use the user role"
    named = [tool["name"] for tool in body.get("tools", ()) if "input_schema" in tool]
    if wrong := [name for name in named if not _NAME.fullmatch(name)]:
        return f"tools: name {wrong[0]!r} should match pattern"
    if len({*named}) < len(named):
        return "tools: Tool names must be unique."
    for tool in body.get("tools", ()):
        if {"anyOf", "oneOf", "allOf"} & tool.get("input_schema", {}).keys():
            return "input_schema does not support oneOf, allOf, or anyOf at the top level"
    return _refused_thinking_options(body) or _refused_messages(body, thought)


def _refused_thinking_options(body: Json) -> str | None:
    thinking = body.get("thinking", {})
    if thinking.get("type") == "enabled":
        if not 1024 <= thinking["budget_tokens"] < body["max_tokens"]:
            return "max_tokens must be greater than thinking.budget_tokens"
        if body.get("tool_choice", {}).get("type") in ("any", "tool"):
            return "Thinking may not be enabled when tool_choice forces tool use."
    return None


def _refused_messages(body: Json, thought: Sequence[Thought]) -> str | None:
    messages, used = body["messages"], set[str]()
    waiting: list[str] = []
    said = [block for _, blocks in thought for block in blocks]
    signed = {block.get("signature", block.get("data")): block.get("thinking") for block in said}
    for place, message in enumerate(messages):
        if place and message["role"] == messages[place - 1]["role"]:
            return f"messages.{place}: roles must alternate"
        content: list[Json] = message["content"]
        results = [block["tool_use_id"] for block in content if block["type"] == "tool_result"]
        if wrong := _refused_results(content, results, waiting):
            return f"messages.{place}: {wrong}"
        waiting = [block["id"] for block in content if block["type"] == "tool_use"]
        if used.intersection(waiting) or len({*waiting}) < len(waiting):
            return f"messages.{place}: `tool_use` ids must be unique"
        used.update(waiting)
        refused = (_refused_block(message["role"], block, signed) for block in content)
        if wrong := next(filter(None, refused), None):
            return f"messages.{place}: {wrong}"
        if message["role"] == "assistant" and content[-1]["type"].endswith("thinking"):
            return f"messages.{place}: The final block in an assistant message cannot be `thinking`."
        if wrong := _refused_own_tools(content, is_last=place == len(messages) - 1):
            return f"messages.{place}: {wrong}"
    if waiting:
        return f"`tool_use` ids were found without `tool_result` blocks immediately after: {waiting}"
    return _missing_thinking(body, thought)


def _refused_results(content: list[Json], results: list[str], waiting: list[str]) -> str | None:
    if unknown := [each for each in results if each not in waiting]:
        return f"unexpected `tool_use_id` found in `tool_result` blocks: {unknown}"
    if missing := [each for each in waiting if each not in results]:
        return f"`tool_use` ids were found without `tool_result` blocks immediately after: {missing}"
    if len({*results}) < len(results):
        return "each tool_use must have a single result"
    kinds = [block["type"] == "tool_result" for block in content]
    return None if kinds == sorted(kinds, reverse=True) else "tool_result blocks come first"


def _refused_own_tools(content: list[Json], *, is_last: bool) -> str | None:
    """Why blocks of tools that the provider runs itself are refused: what was asked is answered in place."""
    asked: list[str] = []
    for block in content:
        if block["type"] == "server_tool_use":
            asked.append(block["id"])
        elif block["type"].endswith("_tool_result"):
            if block["tool_use_id"] not in asked:
                return f"unexpected `tool_use_id` found in `{block['type']}` blocks: {block['tool_use_id']}"
            asked.remove(block["tool_use_id"])
    return f"`server_tool_use` without a result: {asked}" if asked and not is_last else None


def _refused_block(role: str, block: Json, signed: Mapping[Any, Any]) -> str | None:
    kind = block["type"]
    if kind == "text" and not block["text"].strip():
        return "text content blocks must contain non-whitespace text"
    if kind in ("tool_use", "thinking", "redacted_thinking") and role != "assistant":
        return f"`{kind}` blocks can only be in assistant messages"
    if kind == "tool_result" and role != "user":
        return "`tool_result` blocks can only be in user messages"
    if kind == "tool_use" and not _ID.fullmatch(block["id"]):
        return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
    if kind == "thinking" and signed.get(block["signature"], block["thinking"]) != block["thinking"]:
        return "`thinking` blocks in the latest assistant message cannot be modified."
    if kind == "thinking" and block["signature"] not in signed:
        return "Invalid `signature` in `thinking` block"
    if kind == "redacted_thinking" and block["data"] not in signed:
        return "Invalid `data` in `redacted_thinking` block"
    return None


def _missing_thinking(body: Json, thought: Sequence[Thought]) -> str | None:
    """Why thinking of the last answer is missing: some of it, or all where the request asks for more."""
    must_come = body.get("thinking", {}).get("type") == "enabled"
    for message in reversed(body["messages"]):
        content = message["content"]
        if message["role"] == "user" and content[0]["type"] != "tool_result":
            return None
        first = next((block["id"] for block in content if block["type"] == "tool_use"), "")
        had = [block for block in content if block["type"].endswith("thinking")]
        known = [blocks for call, blocks in thought if call == first]
        if known and had not in known and (had or must_come):
            return "Expected `thinking` or `redacted_thinking`, but found something else."
    return None
