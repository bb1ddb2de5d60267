"""Old chats that go on: a client kept role and content; what the provider is sent of what was done."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bridge.app.server import Bridge
from bridge.models.stored_items.items import StoredItem
from bridge.settings.chat.memory import MemorySettings
from bridge.storage.chat.items import ItemTables
from tests.support.models.model_bridge import MODEL, client_of, shop_bridge
from tests.support.models.scripted_provider import Script, ScriptedProvider, events
from tests.support.models.turn_harness import call, round_of, user
from tests.support.models.turn_harness import text as said
from tests.support.models.wing import wing_of
from tests.support.running_bridge import json_answer, page_of
from tests.support.stores.databases import execute
from tests.support.waiting import eventually
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

MARKER = re.compile(r"\[tb:(\w{28})\]: #")
UNSEEN = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff]+")
OTHER_MODEL = "scripted-large"

Item = dict[str, Any]


def thought(name: str) -> JsonObject:
    return {"type": "reasoning", "id": name, "encrypted_content": f"sealed {name}", "summary": []}


def a_round(*items: Any) -> Script:
    """A round of the provider with exactly these items."""
    steps: list[Any] = list(round_of(*items))
    return events(*steps)


LOOKING: list[Any] = [
    thought("rs_1"),
    said("Looking.", item_id="m1"),
    call("listProducts", '{"limit": 1}', "c1"),
    call("addProduct", '{"name": "tea"}', "c2"),
]
FOUND: Any = said("Found.", item_id="m2")
YES: Any = said("Yes.", item_id="m9")


class MarkerChat:
    """A chat whose client keeps texts and nothing else."""

    def __init__(self, bridge: Bridge, provider: ScriptedProvider, form: str) -> None:
        self.bridge = bridge
        self.provider = provider
        self.headers = {"X-Tool-Bridge-Markers": form}
        self.messages: list[Any] = []

    async def say(self, words: str, *scripts: Script, model: str = MODEL, chat: str = "one") -> str:
        """One streamed turn; gives the text of the answer as it came."""
        self.messages.append({"role": "user", "content": words})
        self.provider.play(*scripts)
        headers = {**self.headers, "X-Session-Id": chat}
        async with client_of(self.bridge) as client:
            stream = await client.chat.completions.create(
                model=model, messages=self.messages, stream=True, extra_headers=headers
            )
            parts = [part.choices[0].delta.content or "" async for part in stream if part.choices]
        self.messages.append({"role": "assistant", "content": "".join(parts)})
        return "".join(parts)

    async def look(self) -> list[Item]:
        """A turn with a thought, words, two calls and an answer; gives what a next input begins with."""
        await self.say("First?", a_round(*LOOKING), a_round(FOUND))
        return [*self.sent(), FOUND]

    async def go_on(self, **options: Any) -> list[Item]:
        """Another turn; gives what the provider was sent in it."""
        place = len(self.provider.requests)
        await self.say("And?", a_round(YES), **options)
        return self.sent(place)

    def sent(self, place: int = -1) -> list[Item]:
        return self.provider.requests[place].body["input"]

    @property
    def last(self) -> str:
        return self.messages[-1]["content"]

    @last.setter
    def last(self, content: str) -> None:
        self.messages[-1]["content"] = content


async def shop(called: dict[str, Any]) -> dict[str, Any]:
    return json_answer({"called": called["name"]})


@asynccontextmanager
async def talking(
    folder: Path, provider: ScriptedProvider, form: str = "link", answer: Any = shop, **settings: Any
) -> AsyncGenerator[MarkerChat]:
    async with (
        shop_bridge(folder, provider, memory=MemorySettings(**settings)) as bridge,
        page_of(bridge, bridge.local_user.id, answer),
    ):
        yield MarkerChat(bridge, provider, form)


async def rows(talk: MarkerChat, statement: str) -> Sequence[Any]:
    """What a program beside the bridge finds in its database."""
    return await asyncio.to_thread(execute, talk.bridge.data_dir / "bridge.sqlite3", statement)


@pytest.mark.parametrize("form", ["link", "zero_width"])
async def test_all_that_was_done_comes_back_in_its_order(
    tmp_path: Path, provider: ScriptedProvider, form: str
) -> None:
    """S0-136, S4-16, W-21, W-29, W-33: thought, words, calls, outputs, answer; no marker among them."""
    async with talking(tmp_path, provider, form) as talk:
        before = await talk.look()
        assert [item["type"] for item in before] == [
            *["message", "reasoning", "message", "function_call", "function_call"],
            *["function_call_output", "function_call_output", "message"],
        ]
        assert await talk.go_on() == [*before, user("And?")]
        assert not UNSEEN.search(json.dumps(talk.sent(), ensure_ascii=False))


async def test_markers_are_lines_where_their_items_ended(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-133, S0-135, S4-19, W-29: unique, sorted by time, and never behind words that came later."""
    async with talking(tmp_path, provider) as talk:
        await talk.look()
        assert MARKER.sub("#", talk.last) == "#\n\nLooking.\n\n#\n#\n#\n#\n#\n\nFound.\n\n#\n"
        first = MARKER.findall(talk.last)
        await talk.go_on()
        ids = [each[:26] for each in (*first, *MARKER.findall(talk.last))]
        assert len(set(ids)) == len(ids) == 8
        assert sorted(ids) == ids
        kept = {name for (name,) in await rows(talk, "SELECT id FROM kept_items")}
        assert set(ids) <= kept


async def test_unseen_markers_are_short(tmp_path: Path, provider: ScriptedProvider) -> None:
    """W-33: 72 characters for an item, none of them to be seen."""
    async with talking(tmp_path, provider, "zero_width") as talk:
        await talk.say("Go", a_round(FOUND))
        assert UNSEEN.sub("", talk.last) == "Found."
        assert len(talk.last) == len("Found.") + 72


async def test_a_marker_is_streamed_the_moment_its_item_is_done(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-19: the client has it while the provider still speaks, so that it stands before later words."""
    release = asyncio.Event()
    frames: list[Any] = list(round_of(FOUND, said("More.", item_id="m3")))
    held = [frame["type"] for frame in frames].index("response.output_item.done") + 1
    provider.play(events(*frames).held(release, after=held))
    async with talking(tmp_path, provider) as talk, client_of(talk.bridge) as client:
        hello: Any = [{"role": "user", "content": "Go"}]
        stream = await client.chat.completions.create(
            model=MODEL, messages=hello, stream=True, extra_headers=talk.headers
        )
        told = ""
        async for part in stream:
            told += part.choices[0].delta.content or "" if part.choices else ""
            if MARKER.search(told):
                release.set()
    assert "More." in told


async def test_a_round_is_in_the_database_before_the_next_one_is_asked_for(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-145, W-34: any other program finds it there; nothing waits in a list that can be lost."""
    release = asyncio.Event()
    async with talking(tmp_path, provider) as talk:
        talking_on = asyncio.create_task(
            talk.say("First?", a_round(*LOOKING), a_round(FOUND).held(release, after=0))
        )
        await eventually(lambda: len(provider.requests) == 2)
        kept = await rows(talk, "SELECT type FROM kept_items WHERE side = 'output' ORDER BY row_id")
        kinds = ["reasoning", "message", *["function_call"] * 2, *["function_call_output"] * 2]
        assert [kind for (kind,) in kept] == kinds
        release.set()
        await talking_on


def tidied(content: str) -> str:
    return content.strip().replace("\n", "\r\n")


def edited(content: str) -> str:
    return content.replace("Looking.", "I looked it up.")


@pytest.mark.parametrize(("treat", "words"), [(tidied, "Looking."), (edited, "I looked it up.")])
async def test_order_survives_a_client_that_tidies_or_edits_words(
    tmp_path: Path, provider: ScriptedProvider, treat: Callable[[str], str], words: str
) -> None:
    """S4-17, W-29, W-33: what is said comes as it is now, once and in its place; the rest as it was."""
    async with talking(tmp_path, provider) as talk:
        before = await talk.look()
        talk.last = treat(talk.last)
        found = await talk.go_on()
        place = before.index(LOOKING[1])
        assert [*found[:place], *found[place + 1 :]] == [*before[:place], *before[place + 1 :], user("And?")]
        assert found[place]["content"][0]["text"] == words


async def test_a_copy_and_a_regenerated_answer_are_sent_the_same(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """W-29: what a marker names is its owner's, in whatever chat it stands; branches know only themselves."""
    async with talking(tmp_path, provider) as talk:
        before = await talk.look()
        first = await talk.go_on(chat="a copy")
        assert first == [*before, user("And?")]
        del talk.messages[-2:]
        assert await talk.go_on() == first


LIKE_MARKERS = [
    "See [0001HTHEHGE10BKXZSRC]: # there.",
    "[0001hthehge10bkxzsrc]: #",
    "[001HTHEHGE10BKXZSRC]: #",
    "[0001HTHEHGE10BKXZSRCA]: #",
    "[0001HTHEHGE10BKXZSRO]: #",
]


async def test_what_only_looks_like_a_marker_is_said_to_the_model(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-134: inline, in small letters, too short, too long, and with a letter that no id has."""
    async with talking(tmp_path, provider) as talk:
        for words in LIKE_MARKERS:
            talk.messages += [{"role": "user", "content": "Q"}, {"role": "assistant", "content": words}]
        found = await talk.go_on()
        assert [item["content"][0]["text"] for item in found[1:-1:2]] == LIKE_MARKERS


async def test_odd_items_come_back_to_the_digit(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-137, W-18, W-21: members that nobody knows, with numbers of any size; a call without a name.

    A provider would refuse the latter, so that it is sent a name and arguments; what came is stored.
    """
    odd = {**call(None, None, "c1"), "id": "fc_odd", "x_unknown": [10**20, 0.1, None, {"z": 1, "a": [""]}]}
    async with talking(tmp_path, provider) as talk:
        await talk.say("Go", a_round(odd), a_round(FOUND))
        before = [*talk.sent(), FOUND]
        assert {**odd, "name": "unnamed_tool", "arguments": "{}"} in before
        assert await talk.go_on() == [*before, user("And?")]
        items, user_id = wing_of(talk.bridge.components).models.memory.store, talk.bridge.local_user.id
        (stored,) = (await items.by_provider_ids(user_id, ["fc_odd"])).values()
        assert stored.payload == odd


@pytest.mark.parametrize("half", ["function_call", "function_call_output"])
async def test_half_a_pair_is_not_sent(tmp_path: Path, provider: ScriptedProvider, half: str) -> None:
    """S0-138, S0-146: a row was deleted; its other half goes with it, the rest of the turn stays."""
    async with talking(tmp_path, provider) as talk:
        before = await talk.look()
        first = f"SELECT min(row_id) FROM kept_items WHERE type = '{half}'"
        await rows(talk, f"DELETE FROM kept_items WHERE row_id = ({first})")
        left = [item for item in before if item.get("call_id") != "c1"]
        assert await talk.go_on() == [*left, user("And?")]


async def test_what_services_of_a_provider_left_is_not_sent(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-139: what was searched and drawn stands in the answer."""
    left: list[JsonObject] = [
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "aGk="},
        {"type": "file_search_call", "id": "fs_1", "status": "completed"},
        {"type": "local_shell_call", "id": "ls_1", "call_id": "s1", "status": "completed"},
    ]
    async with talking(tmp_path, provider) as talk:
        await talk.say("Draw!", a_round(*left, FOUND))
        found = await talk.go_on()
        assert [item["type"] for item in found] == ["message"] * 3
        assert found[1] == FOUND


async def outputs_after(talk: MarkerChat, turns: int) -> list[str]:
    """What a provider is sent of the outputs of so many turns, each with a call."""
    for number in range(turns):
        await talk.say(f"{number}?", a_round(call("listProducts", "{}", f"c{number}")), a_round(FOUND))
    return [item["output"] for item in await talk.go_on() if item["type"] == "function_call_output"]


async def test_old_outputs_are_cut_in_the_middle(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-140: 256 characters, a note with what is gone, 128 characters; ten turns stay whole."""
    words = "".join(f"{number:04}" for number in range(500))

    async def long(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"w": words})

    async with talking(tmp_path, provider, answer=long) as talk:
        first, *others = await outputs_after(talk, 11)
    whole = json.dumps({"w": words})
    note = f"[tool output pruned: removed {len(whole) - 256 - 128} chars, older than 10 turns]"
    assert first == f"{whole[:256]}\n...\n{note}\n...\n{whole[-128:]}"
    assert others == [first, *[whole] * 9]


async def test_outputs_stay_whole_where_that_is_set(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-140: `TOOL_BRIDGE_TOOL_OUTPUT_RETENTION_TURNS` 0."""

    async def long(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"w": "x" * 2000})

    async with talking(tmp_path, provider, answer=long, tool_output_turns=0) as talk:
        assert await outputs_after(talk, 12) == [json.dumps({"w": "x" * 2000})] * 12


@pytest.mark.parametrize(
    ("reasoning", "second", "third"),
    [
        ("conversation", ["rs_0"], ["rs_0", "rs_1"]),
        ("next_reply", ["rs_0"], ["rs_1"]),
        ("disabled", [], []),
    ],
)
async def test_reasoning_comes_back_for_as_long_as_is_set(
    tmp_path: Path, provider: ScriptedProvider, reasoning: str, second: list[str], third: list[str]
) -> None:
    """S0-141: in the whole chat, in the next answer only, or never."""
    async with talking(tmp_path, provider, reasoning=reasoning) as talk:
        for number in range(3):
            await talk.say(f"{number}?", a_round(thought(f"rs_{number}"), said("So.", item_id=f"m{number}")))
        thoughts = [
            [item["id"] for item in asked.body["input"] if item["type"] == "reasoning"]
            for asked in provider.requests
        ]
    assert thoughts == [[], second, third]


async def test_another_model_gets_calls_and_words_but_no_reasoning(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-21: sealed thoughts are not portable; back with the first model they are there again."""
    async with talking(tmp_path, provider) as talk:
        before = await talk.look()
        found = await talk.go_on(model=OTHER_MODEL)
        assert [item["type"] for item in found] == [
            *(item["type"] for item in before if item["type"] != "reasoning"),
            "message",
        ]
        assert [item.get("call_id") for item in found[2:6]] == ["c1", "c2", "c1", "c2"]
        assert (await talk.go_on())[: len(before)] == before


async def test_where_nothing_is_to_be_stored_there_are_no_markers(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S4-23: and the next turn has the words."""
    async with talking(tmp_path, provider, persist_tool_results=False) as talk:
        await talk.look()
        assert talk.last == "Looking.\n\nFound."
        found = await talk.go_on()
        assert [item["type"] for item in found] == ["message"] * 3
        assert await rows(talk, "SELECT count(*) FROM kept_items") == [(0,)]


async def test_a_database_that_fails_costs_a_chat_its_memory_only(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """S0-143, S0-96: the answer comes, by the words of the chat, and nobody waits."""
    async with talking(tmp_path, provider) as talk:
        await talk.look()
        await rows(talk, "ALTER TABLE kept_items RENAME TO gone")
        found = await talk.go_on()
        assert [item["content"][0]["text"] for item in found] == ["First?", "Looking.\n\nFound.", "And?"]
        assert talk.last == "Yes."


@pytest.mark.parametrize("failures", [0, 5], ids=["broken", "breaker open"])
async def test_an_answer_names_nothing_that_a_broken_database_does_not_keep(
    tmp_path: Path, provider: ScriptedProvider, failures: int
) -> None:
    """S0-143: also the first answer of a chat, which looks nothing up, and while the breaker is open."""
    async with talking(tmp_path, provider) as talk:
        await rows(talk, "ALTER TABLE kept_items RENAME TO gone")
        for _ in range(failures):
            await talk.say("Hello?", a_round(FOUND))
        talk.messages.clear()
        await talk.say("Hello?", a_round(YES))
        assert talk.last == "Yes."


ULID = "01JZ8YV9T1S5W7N3K4M2P6Q8R0"
OTHER_ULID = "01JZ8YV9T1S5W7N3K4M2P6Q8R1"


def bits(item_id: str) -> str:
    """Eight signs for each character of an id."""
    digits = "".join(f"{ord(character):08b}" for character in item_id)
    return digits.translate(str.maketrans("01", "\u200b\u200c"))


@pytest.mark.parametrize(
    ("ids", "markers"),
    [
        (
            (ULID, OTHER_ULID),
            f"\n\n[](openai_responses:v1:function_call:{ULID}?model=gpt-4o)\n\n"
            f"\n\n[](openai_responses:v1:function_call_output:{OTHER_ULID}?model=gpt-4o)\n\n",
        ),
        (
            ("ABCDEFGHJKMNPQRS", "ABCDEFGHJKMNPQRT"),
            "\n[openai_responses:v2:function_call:ABCDEFGHJKMNPQRS]: #\n"
            "\n[openai_responses:v2:function_call_output:ABCDEFGHJKMNPQRT]: #\n",
        ),
        (
            ("0001HTHEHGE10BKXZSRC", "0001HTHEHGE10BKXZSRD"),
            "\n\n[0001HTHEHGE10BKXZSRC]: #\n[0001HTHEHGE10BKXZSRD]: #\n",
        ),
        ((ULID, OTHER_ULID), f"\u2060{bits(ULID)}\u2060\u2060{bits(OTHER_ULID)}\u2060"),
        ((ULID, OTHER_ULID), bits(ULID + OTHER_ULID)),
    ],
    ids=["v1", "v2", "20 characters", "guarded signs", "bare signs"],
)
async def test_chats_of_older_programs_go_on(
    tmp_path: Path, provider: ScriptedProvider, ids: tuple[str, str], markers: str
) -> None:
    """S4-18, S4-22, W-29: each form of theirs names the call and its output; none is shown to the model."""
    pair: list[Any] = [
        call("listProducts", "{}", "c1"),
        {"type": "function_call_output", "call_id": "c1", "output": "1"},
    ]
    async with talking(tmp_path, provider) as talk:
        owner = talk.bridge.local_user.id
        await ItemTables(talk.bridge.components.store).add_items(
            [
                StoredItem(name, owner, "old", place, "output", MODEL, item, 1.0)
                for place, (name, item) in enumerate(zip(ids, pair, strict=True))
            ]
        )
        talk.messages = [
            {"role": "user", "content": "Q"},
            {"role": "assistant", "content": f"I look.{markers}Found\u200b."},
        ]
        found = await talk.go_on()
        assert found[2:4] == pair
        assert [item["content"][0]["text"] for item in (found[1], found[4])] == ["I look.", "Found\u200b."]


async def test_shown_calls_stand_on_lines_of_their_own(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S2-12: in the form that Open WebUI reads, and without a trace in what the model is sent next."""
    async with talking(tmp_path, provider) as talk:
        talk.headers["X-Tool-Bridge-Calls"] = "details"
        before = await talk.look()
        lines = MARKER.sub("", talk.last).split("\n")
        begun = [place for place, line in enumerate(lines) if line.startswith("<details ")]
        assert len(begun) == 2
        for place in begun:
            assert lines[place - 1] == ""
            assert lines[place + 1] == "<summary>Tool Executed</summary>"
            assert lines[place + 3] == "</details>"
        assert await talk.go_on() == [*before, user("And?")]
