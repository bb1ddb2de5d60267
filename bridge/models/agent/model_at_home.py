"""A model that is asked for a user only while the user is at home in this replica."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from bridge.homes import user_elsewhere
from bridge.models.agent.model import Model, ModelEvent, ModelRequest
from bridge.tasks import sleep_safely

LOOK_S = 0.2
"""Seconds between two looks whether the user is at home here."""

AWAKE_S = 10.0
"""Maximum seconds for which a round waits for that: a replica that was frozen looks within one or two."""


class ModelAtHome:
    """Asks another model, unless this replica may have lost its user while it was frozen or cut off.

    Another replica may go on with the same turn then. Until it is known a round waits; when the user is
    elsewhere, whoever owns the turn cancels it.
    """

    __slots__ = ("_acts_for", "_model", "_user_id")

    def __init__(self, model: Model, user_id: str, acts_for: Callable[[str], bool]) -> None:
        """`acts_for`: whether the user is at home here, as far as is known without a question."""
        self._model = model
        self._user_id = user_id
        self._acts_for = acts_for

    def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """Stream one round; as `Model`.

        Raises:
            BridgeError: `replica_lost`: nobody said for `AWAKE_S` seconds that the user is at home here.
        """
        if self._acts_for(self._user_id):
            return self._model.stream_round(request)
        return self._stream_later(request)

    async def _stream_later(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        for _ in range(round(AWAKE_S / LOOK_S)):
            await sleep_safely(LOOK_S)
            if self._acts_for(self._user_id):
                break
        else:
            raise user_elsewhere()
        async with aclosing(self._model.stream_round(request)) as events:
            async for event in events:
                yield event
