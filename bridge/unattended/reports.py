"""What the page tells its driver, as values. static/types/unattended_types.d.ts has the other half."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class _Report(BaseModel):
    model_config = ConfigDict(frozen=True)


class Entrance(_Report):
    """The bridge does not let this browser in."""

    type: Literal["entrance"]
    code: str
    message: str


class Code(_Report):
    """The code that pairs this browser; `ends_at`: milliseconds since 1970."""

    type: Literal["code"]
    code: str
    ends_at: float


class Entered(_Report):
    """The page waits for its policy."""

    type: Literal["entered"]
    user: str


class State(_Report):
    """What the executor of the page does."""

    type: Literal["state"]
    role: str
    connection: str
    error: str
    running: int
    """Calls."""


class AcceptedServer(_Report):
    """What was accepted of one server."""

    title: str
    operations: int


class PolicyApplied(_Report):
    """How far the policy is in force."""

    type: Literal["policy"]
    accepted: list[AcceptedServer]
    changes: list[str] = []
    """What is accepted otherwise than before; a page of an older bridge does not tell."""
    problems: list[str]


Report: TypeAlias = Entrance | Code | Entered | State | PolicyApplied

_REPORT: TypeAdapter[Report] = TypeAdapter(Annotated[Report, Field(discriminator="type")])


def parse_report(text: str) -> Report:
    """Parse a report.

    Raises:
        ValueError: it is none.
    """
    return _REPORT.validate_json(text)
