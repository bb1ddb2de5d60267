"""Which calls ask their user first."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field

from bridge.settings.declaration import Choice, Names, Section

ApprovalMode = Literal["safe", "ask", "all"]
"""safe: what only reads runs immediately, everything else asks · ask: every call asks · all: no call asks."""

APPROVAL_MODES: tuple[ApprovalMode, ...] = get_args(ApprovalMode)

DEFAULT_APPROVAL_S = 120.0
"""Seconds that a user may think about a call; no answer is a denial (ruling 8)."""


class ApprovalSettings(Section):
    """Approval of calls, for users who have not chosen otherwise."""

    title: ClassVar[str] = "Approval"

    approve: Annotated[
        ApprovalMode,
        Choice,
        Names("TOOL_BRIDGE_APPROVE", "--approve", "MODE", see="[approve calls](../how-to/approve-calls.md)"),
    ] = Field(
        default="safe",
        description="which calls ask in the page first; safe: those that may change something, ask: every "
        "one, all: none. Each user may choose otherwise in the page",
    )
    approval_s: Annotated[float, Names("TOOL_BRIDGE_APPROVAL_SECONDS", "--approval-time", "SECONDS")] = Field(
        default=DEFAULT_APPROVAL_S,
        ge=1,
        le=600,
        description="seconds that a user has to answer; no answer counts as a denial",
    )
