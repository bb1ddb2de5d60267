"""Rounds of a replica that may have lost its user: they wait until it knows. Time is virtual."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

import pytest

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.model import ModelEvent, ModelRequest
from bridge.models.agent.model_at_home import AWAKE_S, LOOK_S, ModelAtHome

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

REQUEST = ModelRequest("gpt", (), None, (), {})


@dataclass
class OneEvent:
    """A model that notes when it is asked."""

    asked_at: list[float] = field(default_factory=list[float])

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.asked_at.append(asyncio.get_running_loop().time())
        yield ModelEvent({"type": "response.completed"})


async def ask(model: ModelAtHome) -> list[ModelEvent]:
    return [event async for event in model.stream_round(REQUEST)]


async def test_at_home_the_model_is_asked_at_once() -> None:
    """Nothing stands between the model and its caller then."""
    model, began_at = OneEvent(), asyncio.get_running_loop().time()
    assert len(await ask(ModelAtHome(model, "ann", {"ann"}.__contains__))) == 1
    assert model.asked_at == [began_at]


async def test_a_round_waits_until_its_replica_knows_that_the_user_is_there() -> None:
    """A replica that was frozen must not ask a model beside the new home of the user (33)."""
    model, home = OneEvent(), set[str]()
    asking = asyncio.create_task(ask(ModelAtHome(model, "ann", home.__contains__)))
    await asyncio.sleep(1.0)
    assert model.asked_at == []
    home.add("ann")
    back_at = asyncio.get_running_loop().time()
    assert len(await asking) == 1
    assert model.asked_at[0] - back_at <= LOOK_S


async def test_a_round_that_nobody_takes_back_fails() -> None:
    """It must not hang: whoever waits is told that the user is elsewhere, and to try again."""
    model, began_at = OneEvent(), asyncio.get_running_loop().time()
    with pytest.raises(BridgeError) as refused:
        await ask(ModelAtHome(model, "ann", lambda _: False))
    assert refused.value.error.code is ErrorCode.REPLICA_LOST
    assert model.asked_at == []
    assert asyncio.get_running_loop().time() - began_at == pytest.approx(AWAKE_S)
