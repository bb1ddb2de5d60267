"""What a bridge of commit afe49cb kept of answers, plain and encrypted: it opens, and it is gone on from."""

import itertools
import json
import re
from typing import Any

import aiohttp
import pytest

from bridge.settings.storage import StorageSettings
from tests.support.models.scripted_provider import Script, ScriptedProvider, events
from tests.support.models.turn_harness import round_of, user
from tests.support.models.turn_harness import text as said
from tests.upgrade.observed import conversation_seen, events_seen, kept, timeless
from tests.upgrade.opened import Left, Visitor, opened

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases, pytest.mark.slow]

Json = dict[str, Any]

PHASES = ("plain", "sealed", "thoughts sealed")
"""Before there was an encryption key; with one; with a newer one, which encrypted only thoughts."""

MODEL = "scripted-small"

MAY_TELL: Json = {"parameters": {}, "pinned": None}
"""What a conversation tells more than it did then."""


def answering(words: str) -> Script:
    """A round with ids that the snapshot does not have."""
    steps: list[Any] = list(round_of(said(words, item_id="msg_of_today")))
    return events(*steps)


def answers_of(visitor: Visitor, kind: str) -> list[Json]:
    """Those of every phase."""
    return [visitor.left.manifest["answers"][phase][kind] for phase in PHASES]


async def posted(visitor: Visitor, key: str, path: str, body: Json, **headers: str) -> Any:
    status, answer = await visitor.program(key).ask("POST", path, body, **headers)
    assert status == 200, answer
    return answer


async def test_all_that_was_stored_is_there_and_opens(visitor: Visitor) -> None:
    """Items, responses and conversations, of every time: word for word."""
    for name, seen in visitor.left.manifest["seen"].items():
        assert await kept(await visitor.page(name)) == seen["kept"]


async def test_what_was_encrypted_opens_with_its_keys_only(left: Left) -> None:
    """Else the test above would also pass where nothing had been encrypted."""
    everything = left.manifest["seen"]["ann"]["kept"]
    async with opened(left, storage=StorageSettings()) as bridge, aiohttp.ClientSession() as http:
        found = await kept(await Visitor(left, bridge, http).page("ann"))
    texts = json.dumps(found)
    assert all(line in everything for line in found)
    assert "A thought of the plain phase." in texts
    assert "Tea and coffee, plain." in texts
    assert "Tea and coffee, sealed." not in texts
    assert "Tea and coffee, thoughts sealed." in texts
    assert "A thought of the thoughts sealed phase." not in texts


async def test_markers_in_an_old_chat_bring_back_what_they_stand_for(
    visitor: Visitor, provider: ScriptedProvider
) -> None:
    """The provider reads byte for byte what it read then: nothing runs twice, and its cache still fits."""
    kinds = ("chat", "chat unseen", "chat of open webui")
    for chat in itertools.chain(*(answers_of(visitor, kind) for kind in kinds)):
        provider.play(answering("A lamp."))
        body = {"model": MODEL, "messages": chat["messages"]}
        await posted(visitor, chat["key"], "/v1/chat/completions", body, **chat["headers"])
        assert provider.requests[-1].body["input"] == chat["replayed"]


async def test_answers_are_written_as_their_keys_were_made(
    visitor: Visitor, provider: ScriptedProvider
) -> None:
    """One key was made for markers that nobody sees; the others, of a person, have none."""
    body = {"model": MODEL, "messages": [{"role": "user", "content": "Hi"}]}
    written: dict[str, str] = {}
    for key in ("ann shows", "ann"):
        provider.play(answering("Hello."))
        answer = await posted(visitor, key, "/v1/chat/completions", body)
        written[key] = answer["choices"][0]["message"]["content"]
    assert written["ann"] == "Hello."
    assert written["ann shows"] != "Hello."
    assert re.sub("[\u2060-\u2064\u200b-\u200d]", "", written["ann shows"]) == "Hello."


async def test_a_stored_response_is_retrieved_as_it_was(visitor: Visitor) -> None:
    """With what went into it and into the one before."""
    for response in answers_of(visitor, "response"):
        program, path = visitor.program(response["key"]), f"/v1/responses/{response['id']}"
        assert timeless(await program.get(path)) == response["object"]
        items = await program.get(f"{path}/input_items?order=asc&limit=100")
        assert items["data"] == response["input_items"]


async def test_a_stored_response_goes_on(visitor: Visitor, provider: ScriptedProvider) -> None:
    """`previous_response_id` is all that its caller has of it."""
    for response in answers_of(visitor, "response"):
        provider.play(answering("A cup."))
        body = {"model": MODEL, "input": "And now?", "previous_response_id": response["id"]}
        made = await posted(visitor, response["key"], "/v1/responses", body)
        assert made["output"][0]["content"][0]["text"] == "A cup."
        went_in = [*response["given"], *response["output"], user("And now?")]
        assert provider.requests[-1].body["input"] == went_in


async def test_the_events_of_a_response_can_still_be_heard(visitor: Visitor) -> None:
    """Whoever lost a stream comes back to it within a day, also over an update of the bridge."""
    for response in answers_of(visitor, "background"):
        program = visitor.program(response["key"])
        assert await events_seen(program, f"/v1/responses/{response['id']}") == response["events"]


async def test_a_conversation_is_read_as_it_was(visitor: Visitor) -> None:
    """Its settings, its branches, its calls with what they came to."""
    for conversation in answers_of(visitor, "conversation"):
        seen = await conversation_seen(visitor.program(conversation["key"]), conversation["path"])
        told = {name: conversation[name] for name in seen}
        told["facts"] = {name: fact for name, fact in told["facts"].items() if name not in MAY_TELL}
        assert {name: seen["facts"].pop(name) for name in MAY_TELL} == MAY_TELL
        assert seen == told


async def test_a_conversation_goes_on(visitor: Visitor, provider: ScriptedProvider) -> None:
    """The model is given what it was given then, what it said, and the new words."""
    for conversation in answers_of(visitor, "conversation"):
        provider.play(answering("A cup."))
        key, path, given = (conversation[name] for name in ("key", "path", "given"))
        made = await posted(visitor, key, f"{path}/chat", {"content": "And now?"})
        assert (made["state"], made["assistant_message"]["content"]) == ("completed", "A cup.")
        sent = provider.requests[-1].body["input"]
        assert sent[: len(given)] == given
        assert [item["role"] for item in sent[len(given) :]] == ["assistant", "user"]
        after = await conversation_seen(visitor.program(key), path)
        assert after["branch"][: len(conversation["branch"])] == conversation["branch"]
