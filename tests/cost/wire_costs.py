"""What bridge and page send of each call beside its arguments and its answer, in bytes.

Waste is sent with the rest: in a name that the message repeats, so that it is longer on the wire too.
"""

import asyncio
import json
import sys
from contextlib import closing
from pathlib import Path

from bench.payloads import ARGUMENTS_TEXT
from bench.shop_bridge import TOOL
from bridge.http.chat_headers import SERVER_CHAT_HEADER
from tests.cost.bridge_costs import Measured
from tests.cost.peers import NONE, Page

PAGE = Path(__file__).parents[1] / "page" / "support" / "message_sizes.js"
ROUTE = f"/tools/{TOOL}"


async def measure_call(measured: Measured, waste: int) -> float:
    """Bytes of `execute:tool` beside the arguments. It repeats the caller's name of the chat."""
    headers = {str(SERVER_CHAT_HEADER): "c" * waste} if waste else NONE
    await measured.ask("POST", ROUTE, ARGUMENTS_TEXT, headers, times=1)
    return measured.page.sizes["events"] - measured.page.sizes["params"]


async def measure_welcome(measured: Measured, waste: int) -> float:
    """Bytes of the answer to a page's hello, for a user with a name of five letters. It repeats the name."""
    user = await measured.bridge.components.users.ensure_user("u" * (5 + waste))
    _, token = await measured.open_session(user)
    page = await asyncio.to_thread(Page, measured.bridge.base_url, token, "page")
    with closing(page):
        return page.sizes["welcome"]


async def measure_head(measured: Measured, waste: int) -> float:
    """Bytes of the header of a tool route's answer. It repeats the origin of a page that asks."""
    headers = {"Origin": measured.bridge.base_url} if waste else NONE
    return len(await measured.ask("POST", ROUTE, ARGUMENTS_TEXT, headers, times=1))


async def measure_ack(_measured: Measured, waste: int) -> float:
    """Bytes of a page's acknowledgement. It repeats the id of the call."""
    return (await _page_sizes(waste))["ack"]


async def measure_result(_measured: Measured, waste: int) -> float:
    """Bytes of `bridge:result` beside the API's answer. It repeats the id of the call."""
    return (await _page_sizes(waste))["result"]


async def _page_sizes(waste: int) -> dict[str, int]:
    """As the page's own modules write its messages, of a call with so many characters more in its id."""
    node = Path(sys.executable).with_name("node")
    process = await asyncio.create_subprocess_exec(
        *(str(node), str(PAGE), str(waste)), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    return json.loads(said)
