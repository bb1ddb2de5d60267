"""A model whose rounds are counted against the budget of a user."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from http import HTTPStatus

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import usage_of
from bridge.models.agent.model import ENDINGS, Model, ModelError, ModelEvent, ModelRequest
from bridge.models.budgets.budgets import Budgets, RoundUsage
from toolserver.json_types import JsonObject, dump_json, object_at, text_at

CHARS_PER_TOKEN = 4
"""By which tokens are estimated where a provider does not say them, or the round broke off: about right for
English text, and too few for most others. Chosen."""

LONG_S = 10.0
"""Seconds from which on a provider that fails before its first event counts as one that had begun. Chosen."""

_UNREACHABLE = "upstream_unreachable"


class BudgetedModel:
    """Asks another model within the budget of a user, and counts each round that has begun.

    One whose caller leaves before the first event has: nobody knows what the provider did until then.
    """

    def __init__(
        self,
        model: Model,
        user_id: str,
        budgets: Budgets,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._user_id = user_id
        self._budgets = budgets
        self._clock = clock

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round; as `Model`.

        Raises:
            ModelError: also `budget_exceeded`, before the round begins.
        """
        await self._check_budget()
        usage: JsonObject = {}
        chars = 0
        has_begun = False
        asked_at = self._clock()
        try:
            async with aclosing(self._model.stream_round(request)) as events:
                async for event in events:
                    has_begun = True
                    if event.type in ENDINGS:
                        usage = usage_of(object_at(event.body, "response"))
                    else:
                        chars += len(text_at(event.body, "delta"))
                    yield event
        except ModelError as error:
            has_begun = has_begun or (self._clock() - asked_at >= LONG_S and _may_have_begun(error))
            raise
        except (asyncio.CancelledError, GeneratorExit):
            has_begun = True
            raise
        finally:
            if has_begun:
                self._budgets.count_round(self._user_id, _read_usage(request, usage, chars))

    async def _check_budget(self) -> None:
        try:
            await self._budgets.check_budget(self._user_id)
        except BridgeError as error:
            if error.error.code is not ErrorCode.BUDGET_EXCEEDED:
                raise
            raise ModelError(
                error.error.message,
                code=ErrorCode.BUDGET_EXCEEDED,
                status=ErrorCode.BUDGET_EXCEEDED.facts.http_status,
                kind="insufficient_quota",
                retry_after_s=error.error.detail["retry_after_s"],
            ) from None


def _may_have_begun(error: ModelError) -> bool:
    """Return whether a provider may have worked on a round that it failed: it did not refuse it at once."""
    is_refused = error.status is not None and error.status < HTTPStatus.INTERNAL_SERVER_ERROR
    return not is_refused and error.code != _UNREACHABLE


def _read_usage(request: ModelRequest, usage: JsonObject, chars: int) -> RoundUsage:
    read = usage.get("input_tokens")
    written = usage.get("output_tokens")
    if isinstance(read, int) and isinstance(written, int):
        return RoundUsage(request.model, max(0, read), max(0, written))
    asked = len(dump_json([*request.input])) + len(request.instructions or "")
    return RoundUsage(
        request.model, asked // CHARS_PER_TOKEN + 1, chars // CHARS_PER_TOKEN + 1, is_estimated=True
    )
