"""`/api/kept/choice`: what the caller wants kept of answers, as far as the bridge keeps anything."""

from __future__ import annotations

from aiohttp import web
from pydantic import BaseModel

from bridge.audit import AuditKind
from bridge.auth.identity import Identity
from bridge.browser_protocol import ErrorCode
from bridge.http.audit import tell_audit
from bridge.http.routing import Answer, Route, caller_of, json_answer, page_of, read_body
from bridge.settings.bridge import MemorySettings, ReasoningMemory
from bridge.stored_items.retention_preference import MemoryChoice, MemoryChoices


class WantedMemory(BaseModel):
    """What is to be kept; more than the bridge keeps is never kept."""

    keeps_answers: bool
    """False: nothing of any answer from now on."""
    reasoning: ReasoningMemory
    """For how long a model is given what it thought."""


class MemoryFacts(WantedMemory):
    """What the caller wants, and the most that the bridge keeps."""

    may_keep_answers: bool
    most_reasoning: ReasoningMemory


class MemoryChoiceRoutes:
    """Handlers of what users want kept."""

    def __init__(self, identity: Identity, choices: MemoryChoices, settings: MemorySettings) -> None:
        self._identity = identity
        self._choices = choices
        self._settings = settings

    def routes(self) -> list[Route]:
        """The table of these routes."""
        failing = (ErrorCode.STORE_UNAVAILABLE,)
        return [
            Route(
                "GET",
                "/api/kept/choice",
                self.show,
                "getMemoryChoice",
                "What the caller wants kept of answers",
                {200: Answer("What is wanted, and the most that there is.", MemoryFacts)},
                errors=failing,
            ),
            Route(
                "PUT",
                "/api/kept/choice",
                self.put,
                "putMemoryChoice",
                "Choose what is kept of the caller's answers from now on",
                {200: Answer("What is wanted, and the most that there is.", MemoryFacts)},
                body=WantedMemory,
                access="page",
                errors=failing,
                audited=AuditKind.MEMORY_CHANGED,
            ),
        ]

    async def show(self, request: web.Request) -> web.Response:
        """The caller's choice."""
        caller = await caller_of(self._identity, request)
        return self._facts(await self._choices.of(caller.user.id))

    async def put(self, request: web.Request) -> web.Response:
        """A new choice."""
        caller = await page_of(self._identity, request)
        wanted = await read_body(request, WantedMemory)
        choice = MemoryChoice(wanted.keeps_answers, wanted.reasoning)
        await self._choices.put(caller.user.id, choice)
        tell_audit(request, keeps_answers=choice.keeps_answers, reasoning=choice.reasoning)
        return self._facts(choice)

    def _facts(self, choice: MemoryChoice) -> web.Response:
        return json_answer(
            MemoryFacts(
                keeps_answers=choice.keeps_answers,
                reasoning=choice.reasoning,
                may_keep_answers=self._settings.persist_tool_results,
                most_reasoning=self._settings.reasoning,
            )
        )
