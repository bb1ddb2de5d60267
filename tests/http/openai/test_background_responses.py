"""Responses in the background: made without a caller, polled, followed by several, cancelled, deleted."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, cast

import aiohttp
import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.endpoints.openai.responses_api.running import MAX_IN_BACKGROUND
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, fails, script
from tests.support.models.stored_responses import joined_text, read_stream, sequence_numbers, wait_for_end
from tests.support.models.wing import wing_of
from tests.support.running_bridge import page_of
from tests.support.stores.databases import execute
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

LIST = calls(("listProducts", {"limit": 2}))


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider) as running:
        yield running


async def test_a_response_in_the_background_is_polled_to_its_end(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """It answers at once, runs its calls without a connection, and is read when it is done."""
    release = asyncio.Event()
    provider.play(script(LIST).held(release, after=1), text("There is tea."))
    async with page_of(bridge, bridge.local_user.id, products) as page:
        response = await client.responses.create(model=MODEL, input="What is there?", background=True)
        assert (response.status, response.background, response.output) == ("queued", True, [])
        polled = await eventually(lambda: in_progress(client, response.id))
        assert polled.id == response.id
        release.set()
        whole = await wait_for_end(client, response.id)
        assert len(page.calls) == 1
    assert (whole.status, whole.output_text) == ("completed", "There is tea.")
    assert whole.usage is not None
    assert whole.usage.total_tokens == 36
    assert (await client.responses.retrieve(response.id)).to_dict() == whole.to_dict()


async def in_progress(client: AsyncOpenAI, response_id: str) -> Any:
    response = await client.responses.retrieve(response_id)
    return response if response.status == "in_progress" else None


async def test_a_stream_in_the_background_goes_on_without_its_caller_and_is_resumed(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-153: the cursor of OpenAI's guide: nothing is missed and nothing comes twice."""
    release = asyncio.Event()
    provider.play(script(text("One ", "two ", "three ", "four.")).held(release, after=6))
    stream = await client.responses.create(model=MODEL, input="Count", background=True, stream=True)
    seen: list[Any] = []
    async for event in stream:
        seen.append(event)
        if event.type == "response.output_text.delta":
            break
    await stream.close()
    assert [event.type for event in seen[:3]] == [
        "response.created",
        "response.queued",
        "response.in_progress",
    ]
    release.set()
    rest = await read_stream(client, seen[0].response.id, starting_after=seen[-1].sequence_number)
    assert sequence_numbers([*seen, *rest]) == list(range(len(seen) + len(rest)))
    assert joined_text([*seen, *rest]) == "One two three four."
    assert rest[-1].type == "response.completed"
    again = await read_stream(client, seen[0].response.id)
    assert [event.to_dict() for event in again] == [event.to_dict() for event in [*seen, *rest]]
    assert await read_stream(client, seen[0].response.id, starting_after=rest[-1].sequence_number) == []


async def test_the_stream_helper_follows_a_response_by_its_id(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The SDK rebuilds the whole from the first event and shows those behind the cursor."""
    provider.play(text("Hi ", "there"))
    response = await client.responses.create(model=MODEL, input="Hello", background=True)
    async with client.responses.stream(response_id=response.id, starting_after=5) as stream:
        shown = [event.sequence_number async for event in stream]
        final = await stream.get_final_response()
    assert shown[0] == 6
    assert final.output_text == "Hi there"


@pytest.mark.slow
@pytest.mark.timeout(180)  # 40,000 events through the SDK take long on a busy machine
async def test_several_listeners_get_the_same_and_a_slow_one_disturbs_nobody(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Ten thousand deltas: one reads nothing until the others are done, and then has them all."""
    pieces = tuple(f"{number} " for number in range(10_000))
    release = asyncio.Event()
    provider.play(script(text(*pieces)).held(release, after=3))
    response = await client.responses.create(model=MODEL, input="Count", background=True)
    url = f"{bridge.base_url}/v1/responses/{response.id}?stream=true"
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with (
        aiohttp.ClientSession(read_bufsize=2**10) as http,
        http.get(url, headers=headers) as slow,
        asyncio.TaskGroup() as group,
    ):
        first = await slow.content.readuntil(b"\n\n")
        listeners = [group.create_task(read_stream(client, response.id)) for _ in range(3)]
        release.set()
        async with asyncio.timeout(120):
            heard = [await listener for listener in listeners]
            rest = await slow.content.read()
    assert joined_text(heard[0]) == "".join(pieces)
    assert sequence_numbers(heard[0]) == list(range(len(heard[0])))
    for other in heard[1:]:
        assert sequence_numbers(other) == sequence_numbers(heard[0])
    assert (first + rest).count(b"event: response.output_text.delta\n") == 10_000
    assert joined_text(await read_stream(client, response.id)) == "".join(pieces)


async def test_a_response_in_the_background_is_cancelled_by_its_id(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The provider is hung up on, listeners get the end, and cancelling twice is cancelling once."""
    release = asyncio.Event()
    provider.play(script(text("One ", "two")).held(release, after=5))
    stream = await client.responses.create(model=MODEL, input="Count", background=True, stream=True)
    events: list[Any] = []
    async for event in stream:
        events.append(event)
        if event.type == "response.output_text.delta":
            cancelled = await client.responses.cancel(events[0].response.id)
            assert cancelled.status == "cancelled"
    assert events[-1].response.status == "cancelled"
    async with asyncio.timeout(20):
        await provider.requests[0].hung_up.wait()
    again = await client.responses.cancel(events[0].response.id)
    assert (again.status, again.output_text) == ("cancelled", "One ")
    read = await wait_for_end(client, events[0].response.id)
    assert read.status == "cancelled"

    async def is_kept_as_ended() -> bool:
        return not await wing_of(bridge.components).models.memory.store.list_unfinished()

    assert await eventually(is_kept_as_ended)


async def test_a_running_response_is_ended_when_it_is_deleted(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Nothing of it comes back when its turn ends."""
    release = asyncio.Event()
    provider.play(script(text("One ", "two")).held(release, after=5))
    response = await client.responses.create(model=MODEL, input="Count", background=True)
    listening = asyncio.ensure_future(read_stream(client, response.id))
    await eventually(lambda: provider.requests)
    await client.responses.delete(response.id)
    assert (await listening)[-1].type == "response.incomplete"
    async with asyncio.timeout(20):
        await provider.requests[0].hung_up.wait()
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve(response.id)


async def test_a_call_that_was_stopped_has_an_honest_output(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The next turn neither lacks the call nor believes that nothing happened."""
    begun = asyncio.Event()

    async def never(_call: dict[str, Any]) -> None:
        begun.set()

    provider.play(calls(("addProduct", {"name": "tea"})), text("I see."))
    async with page_of(bridge, bridge.local_user.id, never):
        response = await client.responses.create(model=MODEL, input="Make tea", background=True)
        async with asyncio.timeout(10):
            await begun.wait()
        await client.responses.cancel(response.id)
        await wait_for_end(client, response.id)
        await eventually(
            lambda: (
                wing_of(bridge.components).responses.running.find_running(bridge.local_user.id, response.id)
                is None
            )
        )
        await client.responses.create(model=MODEL, input="Well?", previous_response_id=response.id)
    told = provider.requests[1].body["input"][-2]
    assert told["type"] == "function_call_output"
    assert "It may or may not have been performed." in told["output"]


async def test_so_many_run_in_the_background_and_no_more(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """A client in a loop does not fill the bridge; one that ends makes room."""
    release, most = asyncio.Event(), range(MAX_IN_BACKGROUND)
    provider.play(*(script(text("Hi.")).held(release, after=1) for _ in most), text("Hi."))
    running = [await client.responses.create(model=MODEL, input="Hi", background=True) for _ in most]
    with pytest.raises(openai.RateLimitError) as refused:
        await client.responses.create(model=MODEL, input="Hi", background=True)
    assert refused.value.code == "rate_limit_exceeded"
    release.set()
    for response in running:
        await wait_for_end(client, response.id)

    async def one_more() -> bool:
        try:
            await client.responses.create(model=MODEL, input="Hi", background=True)
        except openai.RateLimitError:
            return False
        return True

    assert await eventually(one_more)


async def test_without_a_database_there_is_no_background_and_the_rest_goes_on(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, tmp_path: Path
) -> None:
    """S0-96, S0-143: a clear error before anything is begun; an answer without memory says that."""
    tables = ("kept_events", "kept_responses")
    await asyncio.to_thread(execute, tmp_path / "bridge.sqlite3", *(f"DROP TABLE {each}" for each in tables))
    provider.play(text("Hi."))
    with pytest.raises(openai.InternalServerError) as refused:
        await client.responses.create(model=MODEL, input="Hello", background=True)
    assert (refused.value.status_code, refused.value.code) == (503, "database_unavailable")
    assert cast("dict[str, str]", refused.value.body)["former_code"] == "store_unavailable"
    assert provider.requests == []
    response = await client.responses.create(model=MODEL, input="Hello")
    assert (response.output_text, response.to_dict()["store"]) == ("Hi.", False)
    with pytest.raises(openai.InternalServerError) as away:
        await client.responses.retrieve(response.id)
    assert away.value.code == "database_unavailable"


async def test_a_response_in_the_background_that_fails_says_why(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Whoever polls finds the provider's word in the response, and whoever listens gets an ending."""
    provider.play(fails(400, "Too odd.", code="too_odd"))
    response = await client.responses.create(model=MODEL, input="Hello", background=True)
    whole = await wait_for_end(client, response.id)
    assert whole.status == "failed"
    assert whole.error is not None
    assert whole.error.code == "too_odd"
    assert [event.type for event in await read_stream(client, response.id)] == [
        "response.created",
        "response.queued",
        "response.in_progress",
        "response.failed",
    ]
