"""What the tests that hold models to engines compare."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from bridge.cluster.ports import ClusterUnavailable
from bridge.errors import BridgeError
from tests.faults.replicas.engines import EngineLost

T = TypeVar("T")


class ShortWay:
    """A way to a model that takes no time, and loses everything while the engine is away."""

    is_away = False

    async def ask(self, name: str, statement: Callable[[], T], call_id: str = "") -> T:
        if self.is_away:
            raise EngineLost
        return statement()


async def answer_of(asking: Awaitable[Any]) -> object:
    """What an engine answers, or the name of its error."""
    try:
        return await asking
    except ClusterUnavailable:
        return "cluster_unavailable"
    except BridgeError as error:
        return error.error.code.value
