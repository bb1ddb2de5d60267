"""What an open call waits for, as metrics and traces tell it apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from bridge.calls.state_machine import CallPhase

Wait: TypeAlias = Literal["slot", "page", "approval", "api"]
"""Its turn, or a page to come; the acknowledgement of its page; its user; the API."""

WAITS: tuple[Wait, ...] = ("slot", "page", "approval", "api")

WAIT_OF: Mapping[CallPhase, Wait] = {
    CallPhase.UNAPPROVED: "slot",
    CallPhase.QUEUED: "slot",
    CallPhase.ASKING: "page",
    CallPhase.SENT: "page",
    CallPhase.AWAITING_APPROVAL: "approval",
    CallPhase.APPROVED: "slot",
    CallPhase.RUNNING: "api",
    CallPhase.RUNNING_UNASKED: "api",
}
"""The phases of open calls."""
