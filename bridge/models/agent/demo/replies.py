"""Texts of the demo model: who it is, which tools it was offered, what its calls returned.

Receives a request or the items since the user's message; returns Markdown.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from bridge.models.agent.demo import german_texts, texts
from bridge.models.agent.demo.sentence import Language
from bridge.models.agent.demo.texts import Text
from bridge.models.agent.demo.understanding import Understood
from bridge.models.agent.items import Item, model_call
from bridge.models.agent.model import ModelRequest
from toolserver.json_types import JsonObject, JsonValue, array_at, load_json, object_at, text_at

MAX_TOOLS = 20
"""Maximum number of tools that an answer lists; the others are counted."""
MAX_RESULT_CHARS = 2000
"""Maximum characters of each result; the demo model says how much it leaves out."""
_MAX_SENTENCE = 120


def say(language: Language, text: Text, *values: str | int) -> str:
    """Return a text with its values."""
    sentence = (german_texts if language == "de" else texts).TEXTS[text]
    return sentence.format(*values) if values else sentence


def words_without_calls(request: ModelRequest, understood: Understood) -> str:
    """Return the answer to a message that asks for no call, or for one that cannot be made."""
    language = understood.language
    who = say(language, "who")
    tools = [tool for tool in request.tools if tool.get("type") == "function"]
    if not tools:
        return f"{who}\n\n{say(language, 'no_tools')}"
    if request.options.get("tool_choice") == "none":
        return f"{who}\n\n{say(language, 'no_call')}"
    if understood.doubt:
        return _doubt_words(understood, tools)
    lines = [f"- `{text_at(tool, 'name')}`{_about(tool)}" for tool in tools[:MAX_TOOLS]]
    if len(tools) > MAX_TOOLS:
        lines.append(f"- {say(language, 'more', len(tools) - MAX_TOOLS)}")
    offered = say(language, "one_tool") if len(tools) == 1 else say(language, "tools", len(tools))
    return "\n".join([who, "", offered, "", *lines, "", say(language, "try", _example(tools[0]))])


def _doubt_words(understood: Understood, tools: Sequence[JsonObject]) -> str:
    """Return what keeps a sentence from being a call, with what the missing parameters are."""
    language = understood.language
    properties = next((_properties(tool) for tool in tools if text_at(tool, "name") == understood.name), None)
    missing = ", ".join(f"`{name}`" for name in understood.missing)
    unclear = ", ".join(f"“{word}”" for word in understood.unclear)
    sentence = (german_texts if language == "de" else texts).DOUBTS[understood.doubt]
    doubt = sentence.format(tool=understood.name, missing=missing, unclear=unclear)
    asked = [f"- `{name}`{_about(object_at(properties or {}, name))}" for name in understood.missing]
    nothing = say(language, "nothing_called", understood.name or "name")
    return "\n".join([say(language, "by_rules"), doubt, "", *asked, *([""] if asked else []), nothing])


def _properties(tool: JsonObject) -> JsonObject:
    return object_at(object_at(tool, "parameters"), "properties")


def _about(tool: JsonObject) -> str:
    """Return the first line of a tool's description, shortened for a list."""
    line = text_at(tool, "description").strip().partition("\n")[0]
    if len(line) > _MAX_SENTENCE:
        line = line[: _MAX_SENTENCE - 1].rstrip() + "…"
    return f": {line}" if line else ""


def _example(tool: JsonObject) -> str:
    parameters = object_at(tool, "parameters")
    required = [name for name in array_at(parameters, "required") if isinstance(name, str)]
    arguments = {name: _value_for(object_at(object_at(parameters, "properties"), name)) for name in required}
    excerpt = {name: value for name, value in arguments.items() if value is not None}
    return f"CALL {text_at(tool, 'name')} {json.dumps(excerpt, ensure_ascii=False)}"


def _value_for(schema: JsonObject) -> JsonValue:
    """Return an example value of the right type; None for a property that strict mode makes nullable."""
    chosen = [*array_at(schema, "examples"), *array_at(schema, "enum")]
    kind = schema.get("type")
    if isinstance(kind, list) and "null" in kind:
        return None
    if chosen:
        return chosen[0]
    by_type: JsonObject = {"integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    return by_type.get(kind, "…") if isinstance(kind, str) else "…"


def result_words(items: Sequence[Item], language: Language, *, by_rules: bool) -> str:
    """Return the results of all calls since the user's message, "" when there were none.

    `by_rules`: the calls were not spelled out, so that they are said as well.
    """
    results = list(_results(items, language))
    if not by_rules or not results:
        return "\n\n".join(results)
    calls = [item for item in items if item.get("type") == "function_call"]
    made = ", ".join(_inline(f"{text_at(call, 'name')} {text_at(call, 'arguments')}") for call in calls)
    return "\n\n".join([say(language, "called", made), *results])


def _inline(text: str) -> str:
    """Return code within a line that its content cannot close."""
    return f"`{text}`" if "`" not in text else f"`` {text} ``"


def _results(items: Sequence[Item], language: Language) -> Iterator[str]:
    calls = [call for item in items if (call := model_call(item))]
    names = {call.call_id: call.name for call in calls}
    for item in items:
        if item.get("type") == "function_call_output":
            name = names.get(text_at(item, "call_id")) or say(language, "a_call")
            yield _result(f"`{name}`", _output_text(item), language)


def _output_text(item: Item) -> str:
    """Return the text of an output, which may be a list of parts."""
    output = item.get("output")
    if isinstance(output, str):
        return output
    parts = [part for part in array_at(item, "output") if isinstance(part, dict)]
    return "\n".join(text_at(part, "text") or f"[{text_at(part, 'type')}]" for part in parts)


def _result(name: str, output: str, language: Language) -> str:
    try:
        value: JsonValue = load_json(output)
    except ValueError:
        if not output.strip():
            return f"{name} {say(language, 'answered_nothing')}"
        return f"{name} {say(language, 'answered')}\n\n{_block(output, '', language)}"
    if failure := _failure(value):
        return f"{name} {say(language, 'failed')} {failure}"
    shown = json.dumps(value, ensure_ascii=False, indent=2)
    return f"{name} {say(language, 'answered')}\n\n{_block(shown, 'json', language)}"


def _failure(value: JsonValue) -> str:
    """Return the message of an error, in the bridge's shape or as a plain text."""
    error = value.get("error") if isinstance(value, dict) else None
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return ""
    message = text_at(error, "message")
    code = text_at(error, "code")
    return f"{message} (`{code}`)" if message and code else message or code


def _block(text: str, syntax: str, language: Language) -> str:
    """Return a code block that its content cannot close."""
    excerpt = text[:MAX_RESULT_CHARS]
    if len(text) > len(excerpt):
        excerpt += "\n" + say(language, "characters_more", len(text) - len(excerpt))
    fence = "```"
    while fence in excerpt:
        fence += "`"
    return f"{fence}{syntax}\n{excerpt}\n{fence}"
