"""The page's section about the life of a call, written from the table that decides it."""

from collections.abc import Iterator

from bridge.calls.state_machine import (
    MAY_BEGIN,
    STATE_OF,
    TERMINAL,
    TRANSITIONS,
    UNDECIDED,
    WITHOUT_PAGE,
    CallEvent,
    CallPhase,
)
from tests.house.source import ROOT

PAGE = "docs/explanation/architecture.md"
BEGIN, END = "<!-- The life of a call: written by python -m tests.house.call_diagram -->\n", "<!-- end -->\n"

_OPEN = [phase for phase in CallPhase if phase not in TERMINAL]
_GROUPS = {
    "any phase": frozenset(_OPEN),
    "any phase at a page": frozenset(_OPEN) - WITHOUT_PAGE,
    "any phase in which the page may not begin": frozenset(_OPEN) - MAY_BEGIN,
    "any phase in which the page may not begin, `sent`": frozenset(_OPEN) - MAY_BEGIN | {CallPhase.SENT},
}


def section() -> str:
    """The section as it must be now."""
    return "\n".join([*_diagram(), "", *_phases(), "", *_endings(), ""])


def replaced(text: str) -> str:
    """The page with the section as it must be now."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END, 1)
    return f"{before}{BEGIN}\n{section()}\n{END}{after}"


def _diagram() -> Iterator[str]:
    yield from ("```mermaid", "stateDiagram-v2")
    yield f"    [*] --> {CallPhase.UNAPPROVED}: must be approved"
    yield f"    [*] --> {CallPhase.QUEUED}"
    ways: dict[tuple[CallPhase, CallPhase], list[CallEvent]] = {}
    for (phase, event), after in TRANSITIONS[True].items():
        if after not in TERMINAL:
            ways.setdefault((phase, after), []).append(event)
    for (phase, after), events in ways.items():
        yield f"    {phase} --> {after}: {', '.join(events)}"
    yield "```"


def _phases() -> Iterator[str]:
    yield from ("| phase | state for callers | its user | its page |", "|---|---|---|---|")
    for phase in _OPEN:
        user = "has still to decide" if phase in UNDECIDED else "need not be asked"
        if phase is CallPhase.RUNNING_UNASKED:
            user = "was not asked"
        page = "may have begun it" if phase in MAY_BEGIN else "may not begin it"
        yield f"| `{phase}` | `{STATE_OF[phase]}` | {user} | {'none' if phase in WITHOUT_PAGE else page} |"


def _endings() -> Iterator[str]:
    yield from ("| event | in | safe request | unsafe request |", "|---|---|---|---|")
    rows: dict[tuple[CallEvent, CallPhase, CallPhase], set[CallPhase]] = {}
    for (phase, event), after in TRANSITIONS[True].items():
        if after in TERMINAL:
            rows.setdefault((event, after, TRANSITIONS[False][phase, event]), set()).add(phase)
    for (event, safe, unsafe), phases in rows.items():
        yield f"| `{event}` | {_named(phases)} | `{safe}` | `{unsafe}` |"


def _named(phases: set[CallPhase]) -> str:
    for name, group in _GROUPS.items():
        if frozenset(phases) == group:
            return name
    return ", ".join(f"`{phase}`" for phase in _OPEN if phase in phases)


if __name__ == "__main__":
    (ROOT / PAGE).write_text(replaced((ROOT / PAGE).read_text(encoding="utf-8")), encoding="utf-8")
