"""Errors of the bridge as the model API answers with them."""

from __future__ import annotations

import pytest

from bridge.errors import ErrorCode, WireError
from bridge.openai_errors import of_wire


@pytest.mark.parametrize(("nothing_was_sent", "status"), [(True, 503), (False, 502)])
def test_a_client_repeats_a_request_to_a_lost_replica_only_if_nothing_was_sent(
    nothing_was_sent: bool, status: int
) -> None:
    """OpenAI's clients repeat every 5xx by themselves, unless `x-should-retry` is false (REPLICAS 34)."""
    error = of_wire(WireError(code=ErrorCode.REPLICA_LOST, message="Gone.", retryable=nothing_was_sent))

    assert (error.status, error.may_retry, error.code) == (status, nothing_was_sent, "replica_lost")
