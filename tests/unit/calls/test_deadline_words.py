"""What the error of a call says of the deadline that ended it."""

from __future__ import annotations

from bridge.calls.endings import out_of_time, with_deadline
from bridge.calls.limits.settings import Deadline


def test_a_limit_is_told_under_each_of_its_names() -> None:
    """Finding I-L9: who set `--deadline` does not know the variable, and the other way round."""
    error = with_deadline(out_of_time(6, safe=True), Deadline(6, "TOOL_TIMEOUT_SECONDS"))
    assert error.message == "No answer within 6 s. That is TOOL_BRIDGE_TOOL_TIMEOUT_SECONDS (--deadline)."
    assert error.detail["set_by"] == "TOOL_TIMEOUT_SECONDS"
