"""Clients of others, unmodified, against the bridge's MCP endpoint."""

import json
from collections.abc import AsyncIterator
from typing import NamedTuple

import pytest
import pytest_asyncio

from tests.clients.clients import CLIENTS, Ability, McpClient
from tests.clients.environments import GivenEnvironment
from tests.clients.running_client import RunningClient, running_client
from tests.clients.words import PNG, WordsPage, words_page
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Connected(NamedTuple):
    """A client's program, connected with a bridge that has a page."""

    client: McpClient
    program: RunningClient
    words: WordsPage


PARAMETERS = [
    pytest.param(each, id=each.label, marks=() if each.is_everyday else pytest.mark.slow) for each in CLIENTS
]


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=PARAMETERS)
async def connected(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Connected]:
    client: McpClient = request.param
    if isinstance(client.environment, GivenEnvironment) and not client.environment.is_made:
        pytest.skip(f"{client.title}: name a Python that has it, {client.environment.name}=…")
    async with words_page(tmp_path_factory.mktemp("bridge")) as words:
        bridge, folder = words.bridge, tmp_path_factory.mktemp("client")
        async with running_client(client, f"{bridge.base_url}/mcp", bridge.key, folder) as program:
            yield Connected(client, program, words)


async def test_a_client_lists_the_tools(connected: Connected) -> None:
    """What is not in the list is not there for its model; a changing order spoils its prompt cache."""
    tools = await connected.program.list_tools()
    assert list(tools) == ["showWord", "addWord", "drawWord", "findWord", "readBook", "read_result"]
    assert tools["showWord"]["required"] == ["word"]
    if connected.program.protocol is not None:
        assert connected.program.protocol == connected.client.protocol


async def test_a_client_calls_a_tool(connected: Connected) -> None:
    """What the endpoint is for."""
    ended = await connected.program.call_tool("showWord", word="tea")
    assert (json.loads(ended["text"]), ended["is_error"]) == ({"word": "tea", "size": 3}, False)


async def test_a_client_s_model_reads_what_is_wrong_with_an_argument(connected: Connected) -> None:
    """A protocol error would reach the program; a model that reads the reason corrects itself."""
    ended = await connected.program.call_tool("showWord", word="t")
    assert ended["is_error"]
    assert "word" in ended["text"]


async def test_a_client_s_model_reads_what_the_api_refused(connected: Connected) -> None:
    """The API says best what is wrong."""
    ended = await connected.program.call_tool("findWord")
    assert ended["is_error"]
    assert "no such word" in ended["text"]


async def test_a_client_gets_an_image_as_an_image(connected: Connected) -> None:
    """A model sees it only so."""
    ended = await connected.program.call_tool("drawWord")
    assert (ended["images"], ended["is_error"]) == ([{"mime": "image/png", "bytes": len(PNG)}], False)


async def test_a_client_hears_of_a_long_call_while_it_runs(connected: Connected) -> None:
    """Clients give up calls that say nothing, the strictest after a minute."""
    connected.program.begin_call("readBook")
    await connected.words.take_call("GET /book")
    if Ability.PROGRESS not in connected.client.lacks:
        assert (await connected.program.read_line())["progress"]
    connected.words.finish_book()
    ended = await connected.program.ending()
    assert (json.loads(ended["text"]), ended["is_error"]) == ({"pages": 500}, False)


async def test_a_client_that_gives_up_a_call_stops_it(connected: Connected) -> None:
    """What nobody waits for must not go on in the user's browser."""
    if reason := connected.client.lacks.get(Ability.CANCEL):
        pytest.skip(f"{connected.client.title}: {reason}")
    connected.program.begin_call("readBook", stoppable=True)
    call_id = await connected.words.take_call("GET /book")
    connected.program.stop_call()
    assert await connected.program.ending() == {"stopped": True}
    cancelled = connected.words.page.cancelled
    await eventually(lambda: any(each["call_id"] == call_id for each in cancelled))
    connected.words.finish_book()


async def test_a_client_waits_while_the_user_is_asked(connected: Connected) -> None:
    """Approval stays with the user of the page; a client needs nothing for it but patience."""
    connected.program.begin_call("addWord", word="tea")
    await connected.words.approve(await connected.words.take_call("POST /words"))
    ended = await connected.program.ending()
    assert (json.loads(ended["text"]), ended["is_error"]) == ({"added": True}, False)
