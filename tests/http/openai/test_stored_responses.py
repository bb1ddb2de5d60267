"""Responses that are kept: OpenAI's own client reads, follows, goes on from, cancels and deletes them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import openai
import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.models.stored_items.retention_preference import MemoryChoice
from bridge.settings.chat.memory import MemorySettings
from tests.support.models.model_answers import calls, reasoning, text
from tests.support.models.model_bridge import MODEL, client_of, products, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider, fails, script
from tests.support.models.stored_responses import wait_for_end
from tests.support.models.wing import wing_of
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio

LIST = calls(("listProducts", {"limit": 2}))


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with shop_bridge(tmp_path, provider) as running:
        yield running


@pytest_asyncio.fixture
async def other(bridge: Bridge) -> AsyncGenerator[AsyncOpenAI]:
    """The client of another user."""
    user = await bridge.components.users.ensure_user("somebody-else")
    _, key = await bridge.components.users.add_key(user.id, "test")
    async with client_of(bridge, key=key) as made:
        yield made


async def test_items_can_be_named_instead_of_sent(
    bridge: Bridge, client: AsyncOpenAI, other: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """As some clients do for what was stored; what names nothing of the caller's is refused by its name."""
    provider.play(reasoning("Hm.") + LIST, text("There is tea."), text("Green."))
    async with page_of(bridge, bridge.local_user.id, products):
        first = await client.responses.create(model=MODEL, input="What is there?")
    ids = [item.id for item in first.output]
    named: Any = [{"type": "item_reference", "id": each} for each in ids]
    short: Any = {"id": ids[-1]}
    question: Any = [{"role": "user", "content": "Which tea?"}]
    await client.responses.create(model=MODEL, input=[*named, short, *question])
    given = provider.requests[2].body["input"]
    assert given[0] == provider.requests[1].body["input"][1]
    assert [item.get("type", "message") for item in given] == ["reasoning", "message", "message"]
    nowhere: Any = [{"type": "item_reference", "id": "msg_nowhere"}]
    for asked, by in ((named, other), (nowhere, client)):
        with pytest.raises(openai.BadRequestError) as refused:
            await by.responses.create(model=MODEL, input=[*asked, *question])
        assert (refused.value.code, refused.value.param) == ("item_not_found", "input[0].id")
        assert f"'{asked[0]['id']}' not found" in refused.value.message
    assert len(provider.requests) == 3


async def test_a_named_item_is_not_given_twice_and_is_stored_as_it_was(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """What comes before has it already; what goes on from the answer has the item and no name of one."""
    provider.play(text("Tea."), text("Green."), text("Black."), text("No."))
    first = await client.responses.create(model=MODEL, input="What is there?")
    named: Any = [{"type": "item_reference", "id": first.output[0].id}, {"role": "user", "content": "Which?"}]
    second = await client.responses.create(model=MODEL, input=named, previous_response_id=first.id)
    assert [item["type"] for item in provider.requests[1].body["input"][:2]] == ["message", "message"]
    assert len(provider.requests[1].body["input"]) == 3
    third = await client.responses.create(model=MODEL, input=named)
    await client.responses.create(model=MODEL, input="And?", previous_response_id=third.id)
    assert "item_reference" not in str([request.body for request in provider.requests])
    assert second.status == "completed"


async def test_a_response_is_read_again_and_continued_from(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S4-16: the next turn has all of this one before it, calls and outputs included."""
    provider.play(reasoning("Hm.") + LIST, text("There is tea."), text("Green."))
    async with page_of(bridge, bridge.local_user.id, products):
        first = await client.responses.create(model=MODEL, input="What is there?")
        second = await client.responses.create(model=MODEL, input="Which tea?", previous_response_id=first.id)
    read = await client.responses.retrieve(first.id)
    assert read.to_dict() == first.to_dict()
    assert (read.to_dict()["store"], read.status, read.output_text) == (True, "completed", "There is tea.")
    assert second.previous_response_id == first.id
    before, after = provider.requests[1].body["input"], provider.requests[2].body["input"]
    assert after[: len(before)] == before
    assert [item.get("type") for item in after] == [
        *("message", "reasoning", "function_call", "function_call_output"),
        *("message", "message"),
    ]
    assert "previous_response_id" not in provider.requests[2].body
    assert provider.requests[2].body["store"] is False


async def test_what_is_not_to_be_stored_is_not_there_afterwards(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """`store: false` is the caller's word, and the provider hears it, too."""
    provider.play(text("Hi."))
    response = await client.responses.create(model=MODEL, input="Hello", store=False)
    assert response.to_dict()["store"] is False
    assert provider.requests[0].body["store"] is False
    with pytest.raises(openai.NotFoundError) as refused:
        await client.responses.retrieve(response.id)
    assert refused.value.code == "not_found"


async def test_where_chats_keep_nothing_a_response_is_still_stored_as_its_caller_asks(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-23, S0-130: without `persist_tool_results` chats and markers end, not what is read by its id."""
    provider.play(LIST, text("There is tea."), text("Green."), text("Later."))
    asked: dict[str, str] = {"X-Tool-Bridge-Markers": "link"}
    off = MemorySettings(persist_tool_results=False)
    async with (
        shop_bridge(tmp_path, provider, memory=off) as bridge,
        client_of(bridge) as client,
        page_of(bridge, bridge.local_user.id, products),
    ):
        first = await client.responses.create(model=MODEL, input="What is there?", extra_headers=asked)
        assert first.output_text == "There is tea."  # no markers, although they were asked for
        assert (await client.responses.retrieve(first.id)).to_dict() == first.to_dict()
        await client.responses.create(model=MODEL, input="Which?", previous_response_id=first.id)
        started = await client.responses.create(model=MODEL, input="And later?", background=True)
        assert (await wait_for_end(client, started.id)).output_text == "Later."
        await client.responses.delete(first.id)
    given = [item.get("type") for item in provider.requests[2].body["input"]]
    assert given == ["message", "function_call", "function_call_output", "message", "message"]


async def test_a_user_who_wants_nothing_stored_has_no_responses_either(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-130: the user's own choice is about all answers; a background response says why it cannot be."""
    choices = wing_of(bridge.components).models.choices
    await choices.save_choice(bridge.local_user.id, MemoryChoice(keeps_answers=False))
    provider.play(text("Hi."))
    response = await client.responses.create(model=MODEL, input="Hello")
    assert response.to_dict()["store"] is False
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve(response.id)
    with pytest.raises(openai.BadRequestError, match="chosen that nothing"):
        await client.responses.create(model=MODEL, input="Hello", background=True)


async def test_a_failure_before_the_first_word_leaves_nothing_behind(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The caller has no id to read it by."""
    provider.play(fails(400, "No."))
    with pytest.raises(openai.BadRequestError):
        await client.responses.create(model=MODEL, input="Hello")
    assert list(await wing_of(bridge.components).models.memory.store.list_unfinished()) == []


@pytest.mark.parametrize("previous", ["resp_of_nobody", "another user's"])
async def test_continuing_from_what_is_not_there_is_refused(
    client: AsyncOpenAI, other: AsyncOpenAI, provider: ScriptedProvider, previous: str
) -> None:
    """OpenAI's code; what belongs to somebody else is not told apart from what is not there."""
    if previous == "another user's":
        provider.play(text("Secret."))
        previous = (await other.responses.create(model=MODEL, input="Hello")).id
    asked = len(provider.requests)
    ways: list[dict[str, Any]] = [{}, {"stream": True}, {"background": True}]
    for more in ways:
        with pytest.raises(openai.BadRequestError) as refused:
            await client.responses.create(model=MODEL, input="Go on", previous_response_id=previous, **more)
        assert refused.value.code == "previous_response_not_found"
        assert refused.value.param == "previous_response_id"
        assert f"Previous response with id '{previous}' not found." in refused.value.message
    assert len(provider.requests) == asked


async def test_another_users_response_is_not_there(
    client: AsyncOpenAI, other: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """404 on every route, the same as for an id that nobody has; and it stays as it was."""
    release = asyncio.Event()
    provider.play(script(text("Mine.")).held(release, after=4))
    mine = await client.responses.create(model=MODEL, input="Hello", background=True)
    at = other.responses
    routes: list[Callable[[str], Awaitable[object]]] = [
        at.retrieve,
        partial(at.retrieve, stream=True),
        at.cancel,
        at.delete,
        at.input_items.list,
    ]
    for response_id in (mine.id, "resp_of_nobody"):
        for route in routes:
            with pytest.raises(openai.NotFoundError) as refused:
                await route(response_id)
            assert f"Response with id '{response_id}' not found." in refused.value.message
    release.set()
    assert (await wait_for_end(client, mine.id)).output_text == "Mine."


async def test_only_responses_in_the_background_have_a_stream_to_come_back_to(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """OpenAI's words."""
    provider.play(text("Hi."))
    response = await client.responses.create(model=MODEL, input="Hello")
    with pytest.raises(openai.BadRequestError, match="not created with background=true") as refused:
        await client.responses.retrieve(response.id, stream=True)
    assert refused.value.param == "stream"


@pytest.mark.parametrize("starting_after", ["x", "1.5", "", "99999999999999999999"])
async def test_a_cursor_that_is_no_number_is_refused(
    bridge: Bridge, http: aiohttp.ClientSession, starting_after: str
) -> None:
    """A clear error, whatever stands there."""
    query = {"stream": "true", "starting_after": starting_after}
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.get(f"{bridge.base_url}/v1/responses/resp_1", params=query, headers=headers) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["param"] == "starting_after"


async def test_a_response_that_runs_cannot_be_continued_from(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """What it will say is not known yet."""
    release = asyncio.Event()
    provider.play(script(text("Hi.")).held(release, after=1))
    running = await client.responses.create(model=MODEL, input="Hello", background=True)
    with pytest.raises(openai.BadRequestError) as refused:
        await client.responses.create(model=MODEL, input="And?", previous_response_id=running.id)
    assert refused.value.code == "previous_response_not_ready"
    release.set()
    await wait_for_end(client, running.id)


@pytest.mark.parametrize("background", [True, False])
async def test_a_response_that_has_ended_cannot_be_cancelled(
    client: AsyncOpenAI, provider: ScriptedProvider, background: bool
) -> None:
    """OpenAI's words for each case."""
    provider.play(text("Hi."))
    response = await client.responses.create(model=MODEL, input="Hello", background=background)
    await wait_for_end(client, response.id)
    says = "Cannot cancel a completed response." if background else "Cannot cancel a synchronous response."
    with pytest.raises(openai.BadRequestError, match=says):
        await client.responses.cancel(response.id)


async def test_a_deleted_response_is_gone_with_all_that_is_stored_of_it(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """Deleted is deleted."""
    provider.play(text("Hi."))
    response = await client.responses.create(model=MODEL, input="Hello", background=True)
    await wait_for_end(client, response.id)
    await client.responses.delete(response.id)
    with pytest.raises(openai.NotFoundError):
        await client.responses.retrieve(response.id)
    with pytest.raises(openai.NotFoundError):
        await client.responses.delete(response.id)
    assert (
        list(
            await wing_of(bridge.components).models.memory.store.read_chain(bridge.local_user.id, response.id)
        )
        == []
    )


async def test_deleting_says_so_in_openais_words(
    bridge: Bridge, http: aiohttp.ClientSession, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """The SDK throws this body away; other clients read it."""
    provider.play(text("Hi."))
    response = await client.responses.create(model=MODEL, input="Hello")
    headers = {"Authorization": f"Bearer {bridge.key}"}
    url = f"{bridge.base_url}/v1/responses/{response.id}"
    async with http.delete(url, headers=headers) as answer:
        assert await answer.json() == {"id": response.id, "object": "response", "deleted": True}


async def test_what_went_in_is_listed_page_by_page(client: AsyncOpenAI, provider: ScriptedProvider) -> None:
    """Newest first unless asked otherwise; what came before belongs to it."""
    provider.play(text("One."), text("Two."))
    first = await client.responses.create(model=MODEL, input="First")
    second = await client.responses.create(
        model=MODEL,
        input=[{"role": "user", "content": "Second"}, {"role": "user", "content": "Third"}],
        previous_response_id=first.id,
    )
    listed = client.responses.input_items.list(second.id, limit=2)
    texts = [item.content[0].text async for item in listed]  # type: ignore[union-attr]
    assert texts == ["Third", "Second", "One.", "First"]
    page = await client.responses.input_items.list(second.id, limit=3, order="asc")
    assert [item.content[0].text for item in page.data] == ["First", "One.", "Second"]  # type: ignore[union-attr]
    assert page.has_more
    own = await client.responses.input_items.list(first.id)
    assert [item.content[0].text for item in own.data] == ["First"]  # type: ignore[union-attr]
    assert not own.has_more


@pytest.mark.parametrize(
    ("query", "param"),
    [({"limit": 0}, "limit"), ({"limit": 101}, "limit"), ({"after": "msg_none"}, "after")],
)
async def test_a_page_that_cannot_be_is_refused(
    client: AsyncOpenAI, provider: ScriptedProvider, query: dict[str, Any], param: str
) -> None:
    """With the name of what is wrong."""
    provider.play(text("One."))
    response = await client.responses.create(model=MODEL, input="First")
    with pytest.raises(openai.BadRequestError) as refused:
        await client.responses.input_items.list(response.id, **query)
    assert refused.value.param == param


async def test_a_caller_that_hangs_up_cancels_and_what_was_done_can_be_continued_from(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """A response in the foreground lives as long as its caller; its call and output are not lost."""
    release = asyncio.Event()
    provider.play(LIST, script(text("There ", "is tea.")).held(release, after=5), text("Tea."))
    async with page_of(bridge, bridge.local_user.id, products):
        stream = await client.responses.create(model=MODEL, input="What is there?", stream=True)
        events: list[Any] = []
        async for event in stream:
            events.append(event)
            if event.type == "response.output_text.delta":
                break
        await stream.close()
        async with asyncio.timeout(20):
            await provider.requests[1].hung_up.wait()
        read = await wait_for_end(client, events[0].response.id)
        assert (read.status, read.output_text) == ("cancelled", "There ")
        await client.responses.create(model=MODEL, input="Again?", previous_response_id=read.id)
    kinds = [item.get("type") for item in provider.requests[2].body["input"]]
    assert kinds == ["message", "function_call", "function_call_output", "message"]


async def test_background_without_store_is_refused(client: AsyncOpenAI) -> None:
    """It would be made for nobody."""
    with pytest.raises(openai.BadRequestError) as refused:
        await client.responses.create(model=MODEL, input="Hello", background=True, store=False)
    assert refused.value.param == "background"
