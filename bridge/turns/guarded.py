"""Work that a turn can do without: a bug or a broken store in it must not end the answer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

_log = logging.getLogger(__name__)


async def guarded(work: Coroutine[Any, Any, Result], what: str) -> Result | None:
    """What `work` gives; None when it raised, which is logged under `what`. Cancelling cancels it."""
    try:
        async with asyncio.TaskGroup() as alone:
            running = alone.create_task(work, name=what)
    except ExceptionGroup as failures:
        _log.error("%s failed.", what, exc_info=failures.exceptions[0])
        return None
    return running.result()
