"""The composition of the components that create, read and resume responses."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from bridge.agent.memory.recorder import Memory
from bridge.agent.turn_runner import TurnRunner
from bridge.endpoints.openai.responses_api.create import ResponseMaker
from bridge.endpoints.openai.responses_api.resume import ResponseContinuer
from bridge.endpoints.openai.responses_api.retrieve import ResponseReader
from bridge.endpoints.openai.responses_api.running import RunningResponses
from bridge.providers.user_models import ModelServices
from bridge.storage.call_journal import CallJournal
from bridge.tasks import sleep_safely

PAGE_WAIT_S = 15.0
"""Seconds for which a resumed response waits for its user's page to reconnect. Chosen."""

LOOK_S = 0.25

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ResponseComponents:
    """The components that others use."""

    running: RunningResponses
    maker: ResponseMaker
    reader: ResponseReader
    continuer: ResponseContinuer


def compose_responses(
    turns: TurnRunner,
    memory: Memory,
    journal: CallJournal,
    services: ModelServices,
    *,
    page_count: Callable[[str], int],
) -> ResponseComponents:
    """`page_count`: connected pages of a user."""

    async def wait_for_page(user_id: str) -> None:
        for _ in range(int(PAGE_WAIT_S / LOOK_S)):
            if page_count(user_id) > 0:
                return
            await sleep_safely(LOOK_S)
        _log.info("A response resumes without an open page of its user.")

    running = RunningResponses(services.tasks)
    maker = ResponseMaker(turns, memory, journal, running, services.settings_of, hold_work=services.hold_work)
    continuer = ResponseContinuer(memory, journal, services.models, maker, wait_for_page)
    return ResponseComponents(running, maker, ResponseReader(memory.store, running), continuer)
