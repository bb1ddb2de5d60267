"""The bridge of the tests of a module that measure it."""

import asyncio
from collections.abc import Generator

import pytest

from tests.cost.scales import Scales


@pytest.fixture(scope="module")
def scales(tmp_path_factory: pytest.TempPathFactory) -> Generator[Scales]:
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        opened = Scales(tmp_path_factory.mktemp("cost"), runner)
        yield opened
        opened.close()
