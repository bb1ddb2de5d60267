"""What the types of Anthropic's official client say of requests and events; unknown members are refused."""

import inspect
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any, cast

import anthropic.types
from anthropic.types import RawMessageStreamEvent
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from pydantic import BaseModel, TypeAdapter, ValidationError

_OPEN = frozenset({"InputSchemaTyped"})
"""Types that take further members: a tool's schema is any JSON Schema of an object."""


def _modules() -> Iterator[ModuleType]:
    for name, module in inspect.getmembers(anthropic.types, inspect.ismodule):
        if name.endswith(("_param", "_params", "_source")):
            yield module


def _forbid_further_members() -> None:
    """Have pydantic refuse members that the types do not name; it would pass over them."""
    for module in _modules():
        for name, found in inspect.getmembers(module, inspect.isclass):
            if hasattr(found, "__total__") and found.__module__ == module.__name__ and name not in _OPEN:
                known: Any = getattr(found, "__pydantic_config__", {})
                setattr(found, "__pydantic_config__", {**known, "extra": "forbid"})  # noqa: B010


@cache
def _request_type() -> TypeAdapter[Any]:
    _forbid_further_members()
    return TypeAdapter(MessageCreateParamsStreaming)


@cache
def _event_type() -> TypeAdapter[Any]:
    return TypeAdapter(RawMessageStreamEvent)


def find_odd_request(body: dict[str, Any]) -> str | None:
    """What of a request the client's types do not take; None: nothing."""
    try:
        unknown = [*_read_all(_request_type().validate_python(body))]
    except ValidationError as error:
        return str(error)
    return f"unknown: {unknown}" if unknown else None


def find_odd_event(event: dict[str, Any]) -> str | None:
    """What of an event the client's types do not know; None: nothing."""
    try:
        read = _event_type().validate_python(event)
    except ValidationError as error:
        return str(error)
    unknown = [*_unknown_members(read)]
    return f"unknown: {unknown}" if unknown else None


def _read_all(value: object) -> Iterator[str]:
    """Read what pydantic validates only then, whatever the types call iterable; yields unknown members.

    Blocks may also be what the client read before, and of these types further members are taken.
    """
    if isinstance(value, BaseModel):
        yield from _unknown_members(value)
    elif isinstance(value, dict):
        for each in cast("dict[str, object]", value).values():
            yield from _read_all(each)
    elif hasattr(value, "__iter__") and not isinstance(value, str | bytes):
        for each in cast("list[object]", value):
            yield from _read_all(each)


def _unknown_members(model: object) -> Iterator[str]:
    if not isinstance(model, BaseModel):
        return
    yield from model.model_extra or {}
    for name in type(model).model_fields:
        yield from _unknown_members(getattr(model, name))
