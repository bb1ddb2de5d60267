"""Quirks of providers that speak Responses: rows as in `provider_quirks`."""

import json
from typing import Any

from tests.support.models.model_answers import calls, frames, responses_events, text
from tests.support.models.provider_quirks import HI, JSON, ONE, Json, Quirk, as_json

CALL = list(responses_events(calls(("takeAll", HI)), 0, "m"))
TEXT = list(responses_events(text("Hi"), 0, "m"))
TWO_CALLS = list(responses_events(calls(("takeAll", HI), ("ping", "{}")), 0, "m"))
DONE = b"data: [DONE]\n\n"
DELTA, WHOLE = "response.function_call_arguments.delta", "response.function_call_arguments.done"
ENDING: Json = CALL[-1]["response"]


def events(*bodies: Json) -> bytes:
    return b"".join(frames(bodies, with_names=True))


def _without(*kinds: str, of: list[Json] = CALL) -> list[Json]:
    return [body for body in of if body["type"].removeprefix("response.") not in kinds]


def _changed(of: list[Json], **members: Any) -> list[Json]:
    """With other members in the deltas of arguments; None: without them."""
    changed: list[Json] = []
    for body in of:
        other = {name: each for name, each in {**body, **members}.items() if each is not None}
        changed.append(other if body["type"] == DELTA else body)
    return changed


def _ending_with(*output: Json) -> Json:
    return {"type": "response.completed", "response": {**ENDING, "output": [*output]}}


BLANK: list[Json] = json.loads(json.dumps(CALL).replace(json.dumps(HI), '""'))
"""Without arguments where the whole call stands."""
BLANK_ITEM = [*CALL[:6], *BLANK[6:]]
"""Without arguments in the item."""
ADDED = "output_item.added"
ITEM_DONE = "output_item.done"

RESPONSES_QUIRKS: tuple[Quirk, ...] = (
    Quirk("plain call", events(*CALL), calls=ONE),
    Quirk("plain text", events(*TEXT), text="Hi"),
    Quirk("[DONE] after the ending", events(*CALL) + DONE, calls=ONE),
    # Whole, and nothing else
    Quirk(
        "an item that comes whole, without deltas",
        events(CALL[0], *(body for body in CALL if body["type"].endswith(ITEM_DONE)), CALL[-1]),
        calls=ONE,
        finding="W-13",
    ),
    Quirk("the ending and nothing before it", events(CALL[-1]), calls=ONE, finding="W-13"),
    Quirk("the response as JSON", as_json(ENDING), calls=ONE, headers=(JSON,), finding="W-13"),
    Quirk("the response as JSON that says it is a stream", as_json(ENDING), calls=ONE, finding="W-13"),
    Quirk("the response as the one event", b"data: " + as_json(ENDING) + b"\n\n", calls=ONE, finding="W-13"),
    Quirk(
        "an incomplete response as JSON",
        as_json({**TEXT[-1]["response"], "status": "incomplete"}),
        text="Hi",
        status="incomplete",
        headers=(JSON,),
        finding="W-13",
    ),
    Quirk(
        "a failed response as JSON",
        as_json({**ENDING, "status": "failed", "error": {"code": "x", "message": "No quota."}}),
        error="No quota.",
        headers=(JSON,),
        finding="I-L4",
    ),
    # Arguments that only the deltas have
    Quirk("a whole item without the arguments of its deltas", events(*BLANK), calls=ONE, finding="W-1"),
    Quirk(
        "a whole item without arguments, and an ending without items",
        events(*BLANK[:-1], _ending_with()),
        calls=ONE,
        finding="W-1",
    ),
    Quirk("no end of an item", events(*_without(ITEM_DONE, of=BLANK)), calls=ONE, finding="W-1"),
    Quirk(
        "no end of an item, and an ending without items",
        events(*_without(ITEM_DONE, "completed"), _ending_with()),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "an ending that lacks a call",
        events(*TWO_CALLS[:-1], _ending_with(TWO_CALLS[-1]["response"]["output"][1])),
        calls=(("ping", "{}"), *ONE),
        finding="W-1",
    ),
    # Deltas in another place
    Quirk("deltas under another index", events(*_changed(BLANK, output_index=7)), calls=ONE, finding="W-1"),
    Quirk("deltas without an index", events(*_changed(BLANK, output_index=None)), calls=ONE, finding="W-1"),
    Quirk("deltas of another item's name", events(*_changed(BLANK, item_id="x")), calls=ONE, finding="W-1"),
    Quirk(
        "deltas of no item, while one call is open",
        events(*_changed(BLANK, item_id=None, output_index=None)),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "deltas of no item, while no call is open",
        events(CALL[0], *(body for body in BLANK if body["type"] == DELTA), *BLANK[-1:]),
        calls=(("takeAll", ""),),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "deltas of no item, and an ending without items",
        events(
            CALL[0],
            *(body for body in BLANK if body["type"] == DELTA),
            *(body for body in BLANK if body["type"].endswith(("item.added", "item.done"))),
            _ending_with(),
        ),
        calls=(("takeAll", ""),),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "an empty object first",
        events(*_changed(BLANK[:3], delta="{}"), *BLANK[3:]),
        calls=ONE,
        finding="W-15",
    ),
    # Arguments that only their end has
    Quirk(
        "a whole item without the arguments of their end",
        events(*_without("function_call_arguments.delta", of=BLANK_ITEM)),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "arguments at their end alone, no end of the item",
        events(*_without("function_call_arguments.delta", ITEM_DONE, of=BLANK_ITEM[:-1]), _ending_with()),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "half of the arguments in deltas, all at their end",
        events(*_changed(BLANK_ITEM, delta='{"s":')),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "an end of arguments before its call",
        events(CALL[0], *CALL[5:]),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "an end of arguments of no call",
        events(CALL[0], CALL[5], *BLANK[6:]),
        calls=(("takeAll", ""),),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "a whole item that says there are none",
        events(*json.loads(json.dumps(BLANK).replace('"arguments": ""', '"arguments": "{}"'))),
        calls=ONE,
        finding="W-15",
    ),
    # How it ends
    Quirk("[DONE] and no ending", events(*CALL[:-1]) + DONE, calls=ONE, finding="W-43"),
    Quirk("[DONE] and no ending, after a text", events(*TEXT[:-1]) + DONE, text="Hi", finding="W-43"),
    Quirk(
        "[DONE] and no ending, the call without an end",
        events(*_without(ITEM_DONE, "completed")) + DONE,
        calls=ONE,
        finding="W-43",
    ),
    Quirk("[DONE] in the middle of a call", events(*CALL[:4]) + DONE, error="broke off", finding="W-43"),
    Quirk("[DONE] and nothing before it", events(*CALL[:2]) + DONE, error="broke off", finding="W-43"),
    Quirk("no ending", events(*CALL[:-1]), error="broke off", finding="W-43"),
    # Errors
    Quirk(
        "event: error with words alone",
        events(*TEXT[:4]) + b'event: error\ndata: {"message": "Full."}\n\n',
        error="Full.",
        finding="I-L4",
    ),
    Quirk(
        "error array",
        as_json([{"error": {"message": "No quota."}}]),
        error="No quota.",
        headers=(JSON,),
        finding="I-L4",
    ),
    Quirk("an empty stream", b": nothing\n\n", error="an event stream without events", finding="I-L5"),
)
