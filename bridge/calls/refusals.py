"""A call that was refused before a page was asked, for those who count or record such calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bridge.calls.request import CallContext
from bridge.errors import ErrorCode


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """Who asked for what, and why it was refused; nothing of the arguments."""

    context: CallContext
    tool_name: str
    """As the caller wrote it, if there is no such tool."""
    server_id: str | None
    """Server of the tool, or the one that the caller named; None: not known."""
    code: ErrorCode


OnRefusal: TypeAlias = Callable[[RefusedCall], None]
"""Called with each call that is refused; must not fail or wait."""
