"""What every model route reads of an HTTP request before the model is asked: its body and its headers."""

from __future__ import annotations

from typing import cast

import orjson
from aiohttp import web

from bridge.auth.identity import Caller
from bridge.http.body import read_limited
from bridge.models.agent.request_fields import InvalidRequest, wrong_type
from bridge.settings.answer_format import (
    CALL_DISPLAYS,
    MARKER_FORMS,
    CallDisplay,
    MarkerForm,
    display_named,
    form_named,
)
from bridge.settings.chat.model_defaults import ModelDefaults
from toolserver.json_types import MAX_NESTING, JsonObject, JsonValue, may_nest_deeply, nests_deeply

MODEL_BODY_BYTES = 32 * 1024 * 1024
"""Largest body of a request to a model: images and files travel inside."""

DISPLAY_HEADER = "X-Tool-Bridge-Calls"
"""How this answer shows calls; wins over what the key says."""

MARKERS_HEADER = "X-Tool-Bridge-Markers"
"""How this answer names what is kept of it; wins over what the key says."""

TASK_HEADER = "X-Tool-Bridge-Task"
"""Names a task (a title, tags), which gets no tools. Open WebUI fills it in: `{{TASK}}`."""

DEBUG_HEADER = "X-Tool-Bridge-Debug"
"""1: the request has a log of its own; 0: it has none, whatever the setting says."""

_YES, _NO = ("1", "true", "on"), ("0", "false", "off")


async def json_body(request: web.Request) -> JsonObject:
    """The request's body, a JSON object.

    Raises:
        BridgeError: as `read_limited`.
        InvalidRequest: it is no JSON object, or nested too deeply to be passed on.
    """
    body = await read_limited(request, MODEL_BODY_BYTES)
    try:
        value = cast("JsonValue", orjson.loads(body))
    except orjson.JSONDecodeError as error:
        message = f"The body is not JSON: {error}."
        raise InvalidRequest(message, param=None, code="invalid_json") from None
    if not isinstance(value, dict):
        raise wrong_type("body", "an object", value)
    if may_nest_deeply(body) and nests_deeply(value):
        message = (
            f"The body is nested too deeply: at most {MAX_NESTING} arrays and objects within each other."
        )
        raise InvalidRequest(message, param=None, code="invalid_value")
    return value


def display_of(request: web.Request, caller: Caller, shows_cards: bool | None) -> CallDisplay:
    """How the answer shows the bridge's calls: by the request's header, else by the key, else by the setting.

    `shows_cards`: to everybody or to nobody; None: to forwarders.

    Raises:
        InvalidRequest: the header says something else.
    """
    value = request.headers.get(DISPLAY_HEADER)
    if value is None:
        shows = caller.is_forwarded if shows_cards is None else shows_cards
        return caller.show_calls or ("details" if shows else "hidden")
    found = display_named(value.strip().lower())
    if found is None:
        message = f"{DISPLAY_HEADER} must be one of {', '.join(CALL_DISPLAYS)}, not {value[:100]!r}."
        raise InvalidRequest(message, param=DISPLAY_HEADER, code="invalid_value")
    return found


def asks_for_log(request: web.Request) -> bool:
    """Whether the request's header asks for a log."""
    return request.headers.get(DEBUG_HEADER, "").strip().lower() in _YES


def wants_log(request: web.Request, caller: Caller, defaults: ModelDefaults) -> bool:
    """Whether the request has a log of its own: by its header, else by the setting; and if its key may.

    Raises:
        InvalidRequest: the header says something else than yes or no.
    """
    value = request.headers.get(DEBUG_HEADER, "").strip().lower()
    if value not in ("", *_YES, *_NO):
        message = f"{DEBUG_HEADER} must be 1 or 0, not {value[:100]!r}."
        raise InvalidRequest(message, param=DEBUG_HEADER, code="invalid_value")
    may = defaults.request_logs == "all" or (defaults.request_logs == "own" and not caller.is_forwarded)
    return may and (value in _YES if value else defaults.log_level == "debug")


def markers_of(request: web.Request, caller: Caller) -> MarkerForm:
    """How the answer names what is kept of it: by the request's header, else by the key, else by who asks.

    Raises:
        InvalidRequest: as `requested_markers`.
    """
    known = requested_markers(request) or caller.markers
    return known or ("link" if is_from_open_webui(request) else "off")


def requested_markers(request: web.Request) -> MarkerForm | None:
    """What the request's header says of markers; None when there is none.

    Raises:
        InvalidRequest: the header says something else.
    """
    value = request.headers.get(MARKERS_HEADER)
    if value is None:
        return None
    found = form_named(value.strip().lower())
    if found is None:
        message = f"{MARKERS_HEADER} must be one of {', '.join(MARKER_FORMS)}, not {value[:100]!r}."
        raise InvalidRequest(message, param=MARKERS_HEADER, code="invalid_value")
    return found


def is_task(request: web.Request) -> bool:
    """Whether the caller's header says that this is a task."""
    return bool(request.headers.get(TASK_HEADER, "").strip())


def is_from_open_webui(request: web.Request) -> bool:
    """Whether Open WebUI asks, which shows more than text."""
    return any(name.lower().startswith("x-openwebui-") for name in request.headers)
