"""Refuses, before a call is sent anywhere, arguments that its request could not be built of: withheld names.

Receives a plan; gives a check of arguments. Takes the same steps as the builder, up to the text of a request.
"""

from collections.abc import Callable
from functools import partial
from typing import cast

import orjson

from toolserver.errors import ArgumentError, RequestError
from toolserver.json_types import JsonObject, array_at, object_at, text_at
from toolserver.operation.withheld import EDITED_VERSION, version_of_plan
from toolserver.request.body import fill_body, value_of_body
from toolserver.request.withheld import fill_place, refuse_withheld_names


def withheld_check(plan_json: bytes) -> Callable[[JsonObject], None] | None:
    """A check that raises `ArgumentError` for a name that edits keep from callers; None: there is none."""
    if version_of_plan(plan_json) < EDITED_VERSION:  # as in nearly all: thousands of plans need not be read
        return None
    return partial(_check, cast(JsonObject, orjson.loads(plan_json)))


def _check(plan: JsonObject, arguments: JsonObject) -> None:
    try:
        refuse_withheld_names(plan, arguments)
        for parameter in array_at(plan, "parameters"):
            name = text_at(parameter, "argument") if isinstance(parameter, dict) else ""
            if isinstance(parameter, dict) and name in arguments:
                fill_place(plan, parameter, arguments[name], name, is_text_read=True)
        body = object_at(plan, "body")
        is_given = text_at(body, "argument") in arguments if "argument" in body else bool(arguments)
        if body and is_given:
            fill_body(plan, body, value_of_body(plan, body, arguments))
    except RequestError as error:
        raise ArgumentError(error.message, argument=error.argument) from None
