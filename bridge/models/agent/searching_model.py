"""A model that searches for tools by itself: histories that it accepts, refusals that name the setting."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from bridge.models.agent.items import TOOL_SEARCH
from bridge.models.agent.model import Model, ModelError, ModelEvent, ModelRequest
from bridge.models.agent.tool_search import mend_namespaces

_AT_FAULT = frozenset({400, 404, 422})
"""Statuses of providers that do not know the tool, its items or their members."""

_SIGNS = (TOOL_SEARCH, "defer_loading", "namespace")

HINT = (
    "If it does not know tool search, set `tool_search = false` for the model or its provider, or switch "
    "*Native tool search* off in the provider's form on the page. The bridge's own search takes its place."
)


class SearchingModel:
    """A model of a provider of Responses that is offered `tool_search`, or was in an earlier turn."""

    def __init__(self, inner: Model) -> None:
        self._inner = inner

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Run one round, as `Model.stream_round` says."""
        try:
            async with aclosing(self._inner.stream_round(mend_namespaces(request))) as events:
                async for event in events:
                    yield event
        except ModelError as error:
            raise _explained(error) from error


def _explained(error: ModelError) -> ModelError:
    told = f"{error.message} {error.param or ''}"
    if error.status not in _AT_FAULT or not any(sign in told for sign in _SIGNS):
        return error
    return ModelError(
        f"{error.message} {HINT}",
        code=error.code,
        status=error.status,
        kind=error.kind,
        param=error.param,
        retry_after_s=error.retry_after_s,
    )
