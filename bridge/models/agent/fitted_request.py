"""Fits a round's request to what its provider takes: tools, and the ids of calls. Pure.

The same tools give the same bytes, whatever came before, so that a provider's cache of prompts holds. What
fits is passed on unchanged. A caller's tools are fitted, too: a misfit has the whole request refused.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from bridge.models.agent.called_names import begins_well, fitted_name
from bridge.models.agent.items import SEARCH_OUTPUT, Item
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.plain_root import with_plain_root
from bridge.models.agent.schema_dialect import fit_schema
from bridge.settings.chat.provider_rules import CallIdForm, ProviderRules
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at
from toolserver.tool.description import shorten_description

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def fit_request(request: ModelRequest, rules: ProviderRules) -> ModelRequest:
    """Return the request as the provider takes it; the same object where it does as it is."""
    if rules.begins_with_letter:
        request = fit_names(request)
    tools = fit_tools(request.tools, rules)
    items = fit_loaded(request.input, rules)
    form = rules.call_ids_of(request.model)
    items = items if form is None else fit_call_ids(items, form)
    if tools is request.tools and items is request.input:
        return request
    return replace(request, tools=tools, input=items)


def fit_names(request: ModelRequest) -> ModelRequest:
    """Return the request with names that begin with a letter or `_`, in tools, choice and calls."""
    names = [text_at(tool, "name") for tool in request.tools]
    names += [text_at(item, "name") for item in request.input if _is_call(item)]
    misfits = [name for name in names if name and not begins_well(name)]
    if not misfits:
        return request
    fitted = {name: fitted_name(name, names) for name in misfits}

    def rename(named: JsonObject) -> JsonObject:
        name = text_at(named, "name")
        return {**named, "name": fitted[name]} if name in fitted else named

    options, choice = request.options, request.options.get("tool_choice")
    if isinstance(choice, dict):
        options = {**options, "tool_choice": rename(choice)}
    return replace(
        request,
        tools=tuple(map(rename, request.tools)),
        input=tuple(rename(item) if _is_call(item) else item for item in request.input),
        options=options,
    )


def _is_call(item: Item) -> bool:
    return item.get("type") == "function_call"


def fit_tools(tools: tuple[JsonObject, ...], rules: ProviderRules) -> tuple[JsonObject, ...]:
    """Return the tools as the provider takes them; the same tuple where it does as they are."""
    return _unless_same(tools, tuple(_fit_tool(tool, rules) for tool in tools))


def fit_loaded(items: tuple[Item, ...], rules: ProviderRules) -> tuple[Item, ...]:
    """Return the items with the tools that searches have loaded as the provider takes them."""
    loading = (_fit_group(item, rules) if item.get("type") == SEARCH_OUTPUT else item for item in items)
    return _unless_same(items, tuple(loading))


def _fit_tool(tool: JsonObject, rules: ProviderRules) -> JsonObject:
    match tool.get("type"):
        case "function":
            return fit_function(tool, rules)
        case "namespace":
            return _fit_group(tool, rules)
        case _:
            return tool


def _fit_group(group: JsonObject, rules: ProviderRules) -> JsonObject:
    tools = array_at(group, "tools")
    fitted: list[JsonValue] = [_fit_tool(tool, rules) if isinstance(tool, dict) else tool for tool in tools]
    return group if _unless_same(tools, fitted) is tools else {**group, "tools": fitted}


_Values = TypeVar("_Values", bound=Sequence[object])


def _unless_same(values: _Values, fitted: _Values) -> _Values:
    """Return `fitted`; `values` themselves where each of them stayed the same object."""
    return values if all(map(operator.is_, fitted, values)) else fitted


def fit_function(tool: JsonObject, rules: ProviderRules) -> JsonObject:
    """Return a function as the provider takes it; the same object where it does as it is.

    `examples` of a function are whole arguments, which few providers take, under the name `input_examples`.
    """
    fitted = {**tool}
    examples = fitted.pop("examples", None)
    if rules.takes_examples and examples:
        fitted["input_examples"] = examples
    if rules.strictness == "unsaid":
        fitted.pop("strict", None)
    elif rules.strictness == "off":
        fitted["strict"] = False
    most, description = rules.max_description_chars, text_at(tool, "description")
    if most is not None and len(description) > most:
        fitted["description"] = shorten_description(description, most)
    if isinstance(parameters := tool.get("parameters"), dict):
        parameters = with_plain_root(parameters, rules.refused_at_root)
        fitted["parameters"] = fit_schema(parameters, rules.schemas) if rules.schemas else parameters
    return tool if fitted == tool else fitted


def fit_call_ids(items: tuple[Item, ...], form: CallIdForm) -> tuple[Item, ...]:
    """Return the items with ids of calls of this form, the same for a call and its output.

    An id of another form is replaced by one made of its digest, distinct from every other id of the request.
    """
    ids = dict.fromkeys(call_id for item in items if (call_id := text_at(item, "call_id")))
    misfits = [call_id for call_id in ids if form.pattern.fullmatch(call_id) is None]
    if not misfits:
        return items
    fitted = _new_ids(misfits, ids.keys() - set(misfits), form.chars)
    return tuple(
        {**item, "call_id": fitted[call_id]} if (call_id := text_at(item, "call_id")) in fitted else item
        for item in items
    )


def _new_ids(misfits: Sequence[str], taken: set[str], chars: int) -> dict[str, str]:
    fitted: dict[str, str] = {}
    for call_id in misfits:
        attempt, name = 0, _digest_of(call_id, chars)
        while name in taken:
            attempt += 1
            name = _digest_of(f"{call_id} {attempt}", chars)
        taken.add(name)
        fitted[call_id] = name
    return fitted


def _digest_of(text: str, chars: int) -> str:
    """Return letters and digits, some 6 bits each, that stand for a text."""
    number = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    digits: list[str] = []
    for _ in range(chars):
        number, digit = divmod(number, len(_DIGITS))
        digits.append(_DIGITS[digit])
    return "".join(digits)
