"""Responses: created, read, and resumed after a restart."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from bridge.app.part import Ground, Part
from bridge.app.parts.models import ModelsPart
from bridge.auth.access_watch import HoldWork
from bridge.calls.ports import CallKnowledge
from bridge.endpoints.openai.responses import ResponseRoutes
from bridge.endpoints.openai.responses_api.create import ResponseMaker
from bridge.endpoints.openai.responses_api.resume import ResponseContinuer
from bridge.endpoints.openai.responses_api.retrieve import ResponseReader
from bridge.endpoints.openai.responses_api.running import RunningResponses
from bridge.homes import Home
from bridge.http.routing import Route
from bridge.storage.replicas.left_work import LeftWork
from bridge.tasks import sleep_safely

LOOK_S = 0.25

_log = logging.getLogger(__name__)


class ResponsesPart(Part):
    """Makes responses of turns."""

    def __init__(
        self,
        ground: Ground,
        models: ModelsPart,
        journal: CallKnowledge,
        count_pages: Callable[[str], int],
        hold_work: HoldWork,
    ) -> None:
        """`count_pages`: connected pages of a user; `hold_work` ends what is open for who loses access."""
        services, memory = models.services, models.memory
        self._is_alone = ground.homes is None
        self._page_wait_s = ground.timings.page_wait_s
        self._models = models
        self._count_pages = count_pages
        self.running = RunningResponses(ground.tasks)
        self.maker = ResponseMaker(
            models.turns, memory, journal, self.running, services.settings_of, hold_work=hold_work
        )
        self.reader = ResponseReader(memory.store, self.running)
        self.continuer = ResponseContinuer(memory, journal, models.models, self.maker, self._wait_for_page)

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of the Responses API."""
        return ResponseRoutes(self._models.reader, self.maker, self.reader).list_routes()

    async def start(self) -> None:
        """Go on with what another process left, unless replicas do so for each user."""
        if self._is_alone and (interrupted := await self.continuer.resume_orphaned()):
            _log.warning("%d responses were in progress when the bridge last stopped.", interrupted)

    async def take_over_user(self, home: Home, left: LeftWork) -> str:
        """Go on with responses that a lost home left."""
        resumed = await self.continuer.resume_orphaned(home.user_id) if left.has_responses else 0
        return f"{resumed} responses resumed" if resumed else ""

    async def end_user(self, user_id: str) -> None:
        """End the user's responses in the background; the new home goes on with them."""
        await self.running.stop_user(user_id)

    def is_busy(self, user_id: str) -> bool:
        """Return whether a response is being made."""
        return bool(self.running.count_user(user_id))

    async def stop_work(self) -> None:
        """End the responses in the background; the next process resumes them."""
        await self.running.stop_background()

    async def _wait_for_page(self, user_id: str) -> None:
        for _ in range(int(self._page_wait_s / LOOK_S)):
            if self._count_pages(user_id) > 0:
                return
            await sleep_safely(LOOK_S)
        _log.info("A response resumes without an open page of its user.")
