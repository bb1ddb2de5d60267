"""The tables of `docs/reference/traces.md`, from the declarations."""

from collections.abc import Iterable

from bridge.tracing.names import ATTRIBUTES, SPANS
from make.reference.parts import table

PAGE = "docs/reference/traces.md"


def spans() -> Iterable[str]:
    """Every kind of span, in the order of a call."""
    rows = [
        (f"`{each.title}`", each.kind, each.meaning, ", ".join(f"`{name}`" for name in each.attributes))
        for each in SPANS
    ]
    return table(("span", "kind", "what it is", "attributes"), rows)


def attributes() -> Iterable[str]:
    """Every attribute."""
    return table(("attribute", "meaning"), [(f"`{name}`", text) for name, text in ATTRIBUTES.items()])
