"""Runs of conversations whose replica stops: they go on at their user's next home, between two rounds."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from sqlalchemy import URL

from bridge.app.server import Bridge
from tests.support.cluster.replicas import running_replicas
from tests.support.cluster.returning_page import returning
from tests.support.conversation_client import ConversationClient, listen_to_events, open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import models_file
from tests.support.models.scripted_provider import KEY, ScriptedProvider, script
from tests.support.models.wing import wing_of
from tests.support.running_bridge import json_answer, pair_browser
from tests.support.stores.databases import execute
from tests.support.stores.postgresql import PostgresServer
from tests.support.stores.redis import RedisServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio

ADD = calls(("addProduct", {"name": "cup", "price": 2}))


@dataclass
class Scene:
    """A conversation at the replica `here`, whose page performs a call when the test lets it."""

    here: Bridge
    there: Bridge
    client: ConversationClient
    added: list[str] = field(default_factory=list[str])
    """Calls that the page has begun."""
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    async def perform(self, call: dict[str, Any]) -> dict[str, Any]:
        self.added.append(call["id"])
        await self.may_answer.wait()
        return json_answer({"id": 7})

    async def stop_here(self, within_s: float) -> None:
        assert self.here.replica is not None
        await self.here.replica.leaving.drain(self.here.components, within_s)

    async def stop_after_round(self) -> None:
        """Stop `here` while the page performs a call, which then ends."""
        stopping = asyncio.create_task(self.stop_here(40.0))
        await eventually(lambda: wing_of(self.here.components).conversations.runs.locks.runs[0].is_to_move)
        self.may_answer.set()
        await stopping
        self.client.base_url = self.there.base_url

    async def run_state(self) -> str:
        return (await self.client.facts())["run"]["state"]


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[URL]:
    with postgres_server.database() as url:
        yield url


@pytest_asyncio.fixture
async def scene(
    tmp_path: Path,
    database: URL,
    redis_server: RedisServer,
    provider: ScriptedProvider,
    http: aiohttp.ClientSession,
) -> AsyncIterator[Scene]:
    models, secrets = models_file(provider), {"SCRIPTED_KEY": KEY}
    running = running_replicas(tmp_path, database, redis_server.url, models=models, environ=secrets)
    async with running as (here, there):
        ticket = await here.components.users.add_ticket(here.local_user.id)
        browser = await pair_browser(here.base_url, http, ticket)
        await browser.open_session()
        await browser.accept_everything()
        scene = Scene(here, there, ConversationClient("", http, ""))
        async with returning(browser, scene.perform) as page:
            await eventually(lambda: page.is_connected)
            async with open_conversation(here) as scene.client:
                yield scene
                scene.may_answer.set()


async def test_a_run_goes_on_at_the_next_home_after_its_round(
    scene: Scene, provider: ScriptedProvider, database: URL
) -> None:
    """Its end is the whole answer; no call is made twice, and who listens hears it there."""
    provider.play(ADD, text("There is a cup now."))
    begun = await scene.client.begin("Add a cup")
    await eventually(lambda: scene.added)
    await scene.stop_after_round()
    async with listen_to_events(scene.client, after=1) as listener:
        await eventually(lambda: listener.has("run_ended") or listener.is_over)
    assert await eventually(lambda: ended(scene)) == "completed"
    [asked, calling, output, answer] = await scene.client.messages()
    assert answer["content"] == "There is a cup now."
    assert (calling["role"], output["role"]) == ("assistant", "tool")
    assert (await scene.client.facts())["run"] == {"run_id": begun["run_id"], "state": "completed"}
    assert asked["content"] == "Add a cup"
    assert len(scene.added) == 1
    assert execute(database, "SELECT state FROM calls") == [("succeeded",)]
    assert len(provider.requests) == 2


async def test_rounds_at_earlier_homes_count(scene: Scene, provider: ScriptedProvider) -> None:
    """A model that calls for ever is not given a new beginning by each restart."""
    await scene.here.components.controls.limits.change_limits({"MAX_FUNCTION_CALL_LOOPS": 2})
    limits = scene.there.components.controls.limits
    await eventually(lambda: limits.now.max_function_call_loops == 2)
    provider.play(ADD, ADD, text("Enough."))
    await scene.client.begin("Add cups")
    await eventually(lambda: scene.added)
    await scene.stop_after_round()
    assert await eventually(lambda: ended(scene)) == "max_iterations"
    assert len(scene.added) == 1
    assert "2 rounds" in (await scene.client.messages())[-1]["content"]


async def ended(scene: Scene) -> str | None:
    state = await scene.run_state()
    return None if state == "running" else state


async def test_a_run_amid_a_round_when_the_time_is_up_ends_as_at_a_stop(
    scene: Scene, provider: ScriptedProvider
) -> None:
    """What the model has said is kept, and the conversation can be continued at the next home."""
    provider.play(script(text("There is", " tea.")).held(asyncio.Event(), after=4), text("Tea."))
    await scene.client.begin("What is there?")
    await eventually(lambda: len(provider.requests) == 1)
    await scene.stop_here(0.5)
    scene.client.base_url = scene.there.base_url
    assert await scene.run_state() == "failed"
    assert (await scene.client.say("Again"))["assistant_message"]["content"] == "Tea."


async def test_a_run_whose_caller_waits_ends_with_its_replica(
    scene: Scene, provider: ScriptedProvider
) -> None:
    """The caller is told so and asks again; an answer that nobody waits for would only be in the way."""
    provider.play(ADD, text("There is a cup now."))
    waiting = asyncio.create_task(scene.client.of("POST", "/chat", {"content": "Add a cup"}, status=503))
    await eventually(lambda: scene.added)
    await scene.stop_here(0.5)
    assert (await waiting)["error"]["code"] == "server_busy"
    scene.client.base_url = scene.there.base_url
    assert await scene.run_state() == "failed"
    assert len(provider.requests) == 1
