"""What bridge and page send of each call beside its arguments and its answer, in bytes."""

import asyncio
import json
import sys
from pathlib import Path

from bench.payloads import ARGUMENTS_TEXT
from tests.cost.bridge_costs import Measured

PAGE = Path(__file__).parents[1] / "page" / "support" / "message_sizes.js"


async def measure_call(measured: Measured, waste: int) -> float:
    """Bytes of `execute:tool` beside the arguments."""
    await measured.ask("POST", "/tools/listProducts", ARGUMENTS_TEXT, times=1)
    return measured.page.sizes["events"] - measured.page.sizes["params"] + waste


async def measure_welcome(measured: Measured, waste: int) -> float:
    """Bytes of the answer to a page's hello."""
    return measured.page.sizes["welcome"] + waste


async def measure_head(measured: Measured, waste: int) -> float:
    """Bytes of the header of a tool route's answer."""
    return len(await measured.ask("POST", "/tools/listProducts", ARGUMENTS_TEXT, times=1)) + waste


async def measure_ack(_measured: Measured, waste: int) -> float:
    """Bytes of a page's acknowledgement."""
    return (await _page_sizes())["ack"] + waste


async def measure_result(_measured: Measured, waste: int) -> float:
    """Bytes of `bridge:result` beside the API's answer."""
    return (await _page_sizes())["result"] + waste


async def _page_sizes() -> dict[str, int]:
    """As the page's own modules write its messages."""
    node = Path(sys.executable).with_name("node")
    process = await asyncio.create_subprocess_exec(str(node), str(PAGE), stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    return json.loads(said)
