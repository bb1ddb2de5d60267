"""The messages of the socket and their shapes, from `bridge/browser_protocol.py`."""

from collections.abc import Iterable, Iterator

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bridge import browser_protocol as wire
from make.reference.parts import table
from make.reference.shapes import section

PAGE = "docs/reference/wire.md"

FROM_PAGE: dict[str, tuple[type[BaseModel], type[BaseModel] | None]] = {
    wire.EVENT_HELLO: (wire.Hello, None),
    wire.EVENT_VISIBILITY: (wire.Visibility, None),
    wire.EVENT_DECISION: (wire.Decision, wire.DecisionReply),
    wire.EVENT_RESULT: (wire.Result, None),
}
"""Events of a page: what they carry, and the shape of the answer in the ack."""


def events() -> Iterable[str]:
    """Every event, in the order of its name, with who sends it and what it carries."""
    names = sorted(value for name, value in vars(wire).items() if name.startswith("EVENT_"))
    return table(("event", "from", "carries", "ack"), map(_event, names))


def shapes() -> Iterator[str]:
    """The shapes of what pages send, and of what they are answered."""
    models = [model for pair in FROM_PAGE.values() for model in pair if model] + [wire.Accepted]
    _, definitions = models_json_schema([(model, "validation") for model in models], ref_template="#/{model}")
    for name, schema in sorted(definitions["$defs"].items()):
        yield from section(name, schema, "###")


def _event(name: str) -> tuple[str, str, str, str]:
    if name in FROM_PAGE:
        carried, reply = FROM_PAGE[name]
        return f"`{name}`", "page", _link(carried), _link(reply) if reply else ""
    ack = _link(wire.Accepted) if name == wire.EVENT_CALL else ""
    return f"`{name}`", "bridge", f"[its section](#{''.join(c for c in name if c.isalnum())})", ack


def _link(model: type[BaseModel]) -> str:
    return f"[{model.__name__}](#{model.__name__.lower()})"
