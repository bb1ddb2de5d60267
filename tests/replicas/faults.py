"""What happens to replicas that are processes, and what everybody may expect then."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.cluster.crowd import Crowd
from tests.support.cluster.replica_processes import RealReplica, RealReplicas
from tests.support.cluster.returning_page import now
from tests.support.cluster.verdict import broken_promises, ended_rows, kept_calls
from tests.support.waiting import eventually

FLUSH_S = 10.0
"""Seconds for the table to have what was told last."""


@dataclass
class Faults:
    """Kills and freezes replicas while a crowd calls."""

    cluster: RealReplicas
    crowd: Crowd
    lost_urls: set[str] = field(default_factory=set[str])
    """Replicas whose callers may have heard nothing."""

    @property
    def home(self) -> RealReplica:
        """Where the first user is at home: whoever is lost, it is to be felt."""
        return self.cluster.home_of(self.crowd.members[0].user_id)

    async def kill(self, victim: RealReplica) -> None:
        """With -9; it is started again while the others take over."""
        self.lost_urls.add(victim.base_url)
        killed_at = now()
        victim.kill()
        await victim.wait()
        others = [
            each.base_url for each in self.cluster.replicas if each is not victim and not each.is_frozen
        ]
        await asyncio.gather(self.crowd.wait_until_served(killed_at, others), victim.start())

    async def freeze(self, victim: RealReplica) -> None:
        """Until the others have taken over. What they keep by then, it does not change when it goes on."""
        self.lost_urls.add(victim.base_url)
        frozen_at = now()
        victim.freeze()
        await self.crowd.wait_until_served(frozen_at, self._others(victim))
        before = ended_rows(self.cluster.database)
        thawed_at = now()
        victim.thaw()
        await self.crowd.wait_until_served(thawed_at, self.cluster.urls)
        after = ended_rows(self.cluster.database)
        assert {call_id: after[call_id] for call_id in before} == before

    async def restart(self, victim: RealReplica) -> None:
        """As an operator does it."""
        self.lost_urls.add(victim.base_url)  # past the balancer, nobody leads its callers elsewhere
        assert await victim.stop() == 0, victim.log
        await victim.start()
        await self.crowd.wait_until_served(now(), self.cluster.urls)

    async def find_broken(self) -> Sequence[str]:
        """The promises that were broken, once everything that was told can be in the table."""
        broken: Sequence[str] = ()

        def is_sound() -> bool:
            nonlocal broken
            broken = broken_promises(self.crowd.ledger, kept_calls(self.cluster.database), self.lost_urls)
            return not broken

        try:
            await eventually(is_sound, within_s=FLUSH_S)
        except AssertionError:
            return broken
        return ()

    async def find_differing(self, most: int = 30) -> Sequence[str]:
        """Calls that `GET /api/calls/{id}` shows otherwise than the table, at any replica."""
        kept = kept_calls(self.cluster.database)
        differing: list[str] = []
        orders = [order for order in self.crowd.ledger.orders if not order.is_safe and order.number in kept]
        for order, url in itertools.product(orders[:: -(-len(orders) // most)], self.cluster.urls):
            row = kept[order.number][0]
            member = next(each for each in self.crowd.members if each.user_id == order.user_id)
            shown = await self.crowd.show_call(member, url, row.call_id)
            if shown.get("state") != row.state or (shown.get("error") or {}) != row.error:
                differing.append(f"{url} shows {shown}, the table has {row}")
        return differing

    def _others(self, victim: RealReplica) -> Sequence[str]:
        return [each.base_url for each in self.cluster.replicas if each is not victim]
