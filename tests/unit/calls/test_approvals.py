"""What users said about asking, between calls and restarts."""

from dataclasses import replace

import pytest

from bridge.browser_protocol import DecisionReason
from bridge.calls.approvals import MAX_GRANTS, Approvals
from bridge.calls.open_call import ApprovalVerdict
from bridge.calls.request import CallContext, CallRequest
from bridge.settings.approvals import ApprovalMode
from tests.support.calls.dispatcher_harness import request
from tests.support.calls.memory_approvals import BackgroundWork, FakeAudit, MemoryApprovalStore

pytestmark = pytest.mark.asyncio

ORDER: CallRequest = replace(
    request(safe=False), context=CallContext("ann", "c1", asked_by="key laptop", caller_id="k1")
)


class ApprovalsHarness:
    """Approvals on a store that outlives them, with a clock that a test moves."""

    def __init__(self, store: MemoryApprovalStore | None = None) -> None:
        self.store = store or MemoryApprovalStore()
        self.background_work = BackgroundWork()
        self.time = 1000.0
        self.announced: list[str] = []
        self.audit = FakeAudit()
        self.approvals = Approvals(
            self.store,
            "safe",
            self.audit,
            start=self.background_work.start,
            announce=self._announce,
            now=lambda: self.time,
        )

    def decide(
        self,
        call: CallRequest,
        decision: str,
        reason: DecisionReason = "user",
        device: str | None = "d1",
    ) -> None:
        self.approvals.remember_decision("call_1", call, ApprovalVerdict(decision, reason, device, self.time))

    async def _announce(self, user_id: str) -> None:
        self.announced.append(user_id)


async def test_a_decision_holds_at_once_and_after_a_restart() -> None:
    """The next call must not wait for the disk, and a restart must not forget."""
    harness = ApprovalsHarness()
    assert await harness.approvals.is_needed(ORDER)
    harness.decide(ORDER, "always")
    assert not await harness.approvals.is_needed(ORDER)
    await harness.background_work.done()
    assert harness.announced == ["ann"]
    assert not await ApprovalsHarness(harness.store).approvals.is_needed(ORDER)


async def test_what_one_user_allowed_is_nothing_to_another() -> None:
    """Users share servers, not decisions."""
    harness = ApprovalsHarness()
    await harness.approvals.is_needed(ORDER)
    harness.decide(ORDER, "always")
    await harness.background_work.done()
    assert await harness.approvals.is_needed(replace(ORDER, context=CallContext("bob", "c1")))


async def test_a_mode_is_the_users_own_and_can_be_given_back() -> None:
    """None stands for whatever the bridge was started with."""
    harness = ApprovalsHarness()
    await harness.approvals.choose_mode("ann", "all")
    await harness.background_work.done()
    assert not await harness.approvals.is_needed(ORDER)
    assert (await harness.approvals.mode_of_user("ann"), await harness.approvals.mode_of_user("bob")) == (
        "all",
        "safe",
    )
    await harness.approvals.choose_mode("ann", None)
    await harness.background_work.done()
    assert await harness.approvals.is_needed(ORDER)
    assert await harness.approvals.chosen_mode("ann") is None


async def test_a_grant_that_is_revoked_asks_again() -> None:
    """Once for the id, and nothing for an id that is somebody else's."""
    harness = ApprovalsHarness()
    await harness.approvals.is_needed(ORDER)
    harness.decide(ORDER, "timed")
    await harness.background_work.done()
    (grant,) = await harness.approvals.list_grants("ann")
    assert await harness.approvals.revoke_grants("bob", [grant.id]) == 0
    assert await harness.approvals.revoke_grants("ann", [grant.id, "unknown"]) == 1
    await harness.background_work.done()
    assert await harness.approvals.is_needed(ORDER)
    assert harness.store.grants == []


async def test_a_grant_that_is_over_is_not_listed() -> None:
    """Nobody wants to revoke what has ended."""
    harness = ApprovalsHarness()
    await harness.approvals.is_needed(ORDER)
    harness.decide(ORDER, "timed")
    harness.time += 3600
    assert await harness.approvals.list_grants("ann") == []
    await harness.background_work.done()


async def test_saying_it_again_replaces_what_was_said() -> None:
    """A list of the same line ten times would hide the others."""
    harness = ApprovalsHarness()
    await harness.approvals.is_needed(ORDER)
    harness.decide(ORDER, "always")
    harness.decide(replace(ORDER, operation_digest="d2"), "always")
    await harness.background_work.done()
    assert [grant.digest for grant in await harness.approvals.list_grants("ann")] == ["d2"]
    assert [grant.digest for grant in harness.store.grants] == ["d2"]


async def test_the_oldest_of_very_many_grants_goes() -> None:
    """A client that names a new chat for every call must not fill the memory."""
    harness = ApprovalsHarness()
    await harness.approvals.is_needed(ORDER)
    for number in range(MAX_GRANTS + 1):
        harness.decide(replace(ORDER, context=CallContext("ann", f"c{number}", caller_id="k1")), "chat")
    await harness.background_work.done()
    kept = await harness.approvals.list_grants("ann")
    assert (len(kept), kept[0].chat_id) == (MAX_GRANTS, "c1")


async def test_a_server_that_is_gone_takes_its_grants_with_it() -> None:
    """Added again, it asks: the store has dropped them, and the memory follows."""
    harness = ApprovalsHarness()
    await harness.approvals.is_needed(ORDER)
    harness.decide(ORDER, "always")
    await harness.background_work.done()
    harness.store.grants.clear()
    harness.approvals.clear_cache()
    assert await harness.approvals.is_needed(ORDER)


async def test_what_reaches_beyond_its_call_is_taken_down() -> None:
    """Who allowed further calls, and how far, is the first question afterwards."""
    harness = ApprovalsHarness()
    harness.decide(ORDER, "once")
    harness.decide(ORDER, "denied", "no_answer")
    harness.decide(ORDER, "always")
    await harness.background_work.done()
    ((kind, actor, facts),) = harness.audit.notes
    assert (kind, actor, facts["scope"], facts["expires_at"]) == ("grant", "page d1", "always", None)


async def test_what_the_bridge_itself_denied_is_taken_down() -> None:
    """No page said it, so nobody else notes it."""
    harness = ApprovalsHarness()
    harness.decide(ORDER, "denied", "no_answer", device=None)
    facts = {"decision": "denied", "reason": "no_answer", "asked_by": "key laptop", "chat": "c1", "go": False}
    assert harness.audit.notes == [("decision", "bridge", facts)]


@pytest.mark.parametrize("mode", ["safe", "all"])
async def test_a_tool_that_always_asks_is_asked_about_whatever_its_user_chose(mode: ApprovalMode) -> None:
    """Issue 41: neither the mode nor a permission for good covers it."""
    harness = ApprovalsHarness()
    await harness.approvals.choose_mode("ann", mode)
    asking = replace(ORDER, safe=True, always_asks=True)
    harness.decide(asking, "always")
    await harness.background_work.done()
    assert await harness.approvals.is_needed(asking)
    assert not await harness.approvals.is_needed(replace(asking, always_asks=False))
