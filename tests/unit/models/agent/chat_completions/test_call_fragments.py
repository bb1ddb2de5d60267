"""However calls are cut, named and numbered: none that may run has other arguments than its own."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.chat_completions.stream_decoder import ChatReading
from bridge.models.agent.model import ModelRequest
from tests.support.examples import examples
from tests.support.models.provider_quirks import TOOLS, Json, chunk, piece

ARGUMENTS = ("", "{}", '{"s":"hi"}', '{"s":"yo","n":1}', '{"n":2}', '{"s":"{\\"n\\":3}"}', '{"s":{"s":"}"}}')
NAMES = ("takeAll", "getProduct", "ping", "pong")


class Imitator:
    """Writes calls down, oddly."""

    def __init__(self, source: random.Random) -> None:
        self._source = source
        self._index = source.choice(["right", "text", "missing", "null", "one for all", "one for each"])
        self._has_ids = source.random() < 0.6
        self._repeats_ids = source.random() < 0.5
        self._fragments = 0

    def write(self, calls: list[tuple[str, str]]) -> list[Json]:
        written = [self._call(place, *call) for place, call in enumerate(calls)]
        is_told_apart = self._index in ("right", "text") or (self._has_ids and self._repeats_ids)
        entries: list[Json] = []
        if is_told_apart and self._source.random() < 0.5:
            while any(written):
                entries.append(self._source.choice([left for left in written if left]).pop(0))
        else:
            entries = [entry for entries in written for entry in entries]
        for entry in entries:
            self._number(entry)
        return self._chunks(entries)

    def _call(self, place: int, name: str, arguments: str) -> list[Json]:
        pieces = self._pieces(arguments)
        first, *rest = [piece(each, index=place) for each in pieces]
        first["function"]["name"] = name
        if self._has_ids:
            first["id"] = f"call_{place}"
        entries = [first, *rest]
        if rest and self._source.random() < 0.2 and name == "getProduct" and not pieces[0]:
            first["function"]["name"], rest[0]["function"]["name"] = "get", "Product"
        elif self._index != "one for each" and self._source.random() < 0.3:
            for entry in rest:
                entry["function"]["name"] = name
        for entry in rest:
            if self._has_ids and self._repeats_ids:
                entry["id"] = f"call_{place}"
            elif self._source.random() < 0.2:
                entry["id"] = self._source.choice(["", " ", None])
        return entries

    def _pieces(self, arguments: str) -> list[Any]:
        count = min(len(arguments), self._source.choice([0, 0, 1, 3]))
        places = sorted(self._source.sample(range(len(arguments)), k=count))
        pieces: list[Any] = [
            arguments[start:end] for start, end in zip([0, *places], [*places, None], strict=True)
        ]
        match self._source.choice(["plain", "plain", "blank", "empty", "growing", "again", "object"]):
            case "blank":
                pieces.insert(0, "")
            case "empty" if arguments:
                pieces.insert(0, self._source.choice(["{}", "null"]))
            case "growing":
                pieces = ["".join(pieces[: end + 1]) for end in range(len(pieces))]
            case "again" if arguments:
                pieces.append(arguments)
            case "object" if arguments:
                pieces = [json.loads(arguments)]
            case _:
                pass
        return pieces

    def _number(self, entry: Json) -> None:
        match self._index:
            case "text":
                entry["index"] = str(entry["index"])
            case "missing":
                del entry["index"]
            case "null":
                entry["index"] = None
            case "one for all":
                entry["index"] = 0
            case "one for each":
                entry["index"] = self._fragments
            case _:
                pass
        self._fragments += 1

    def _chunks(self, entries: list[Json]) -> list[Json]:
        chunks: list[Json] = []
        while entries:
            size = self._source.choice([1, 1, 1, 2, 5])
            reason = self._source.choice([None, None, None, "tool_calls"])
            chunks.append(chunk(reason, tool_calls=entries[:size]))
            entries = entries[size:]
        return [*chunks, chunk("tool_calls")]


def calls_of(chunks: list[Json]) -> list[Json]:
    reading = ChatReading(ModelRequest("m", (), tools=TOOLS))
    events = [event for each in chunks for event in reading.decode_chunk(each)]
    *_, ending = [*events, *reading.finish_stream()]
    response: Any = ending["response"]
    return [item for item in response["output"] if item["type"] == "function_call"]


def reading_of(arguments: str) -> str | None:
    """The canonical form of arguments that the engine would take."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        return None
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else None


def written_calls(source: random.Random) -> list[tuple[str, str]]:
    names = [source.choice(NAMES) for _ in range(source.choice([1, 1, 2, 2, 3, 4]))]
    return [(name, source.choice(ARGUMENTS if name in NAMES[:2] else ARGUMENTS[:2])) for name in names]


@pytest.mark.wide
@examples(1500)
@given(seed=st.integers(0, 2**48))
def test_no_call_that_may_run_has_arguments_of_which_it_lacks_a_piece(seed: int) -> None:
    """Finding W-1, W-2, W-12, W-15: an unsafe call with half of its arguments changes what nobody meant."""
    source = random.Random(seed)
    calls = written_calls(source)
    chunks = Imitator(source).write(calls)
    meant = Counter((name, reading_of(arguments)) for name, arguments in calls)
    ran = Counter(
        (item["name"], read)
        for item in calls_of(chunks)
        if item["status"] == "completed" and (read := reading_of(item["arguments"])) is not None
    )
    assert ran <= meant, "\n".join(map(json.dumps, chunks))


@pytest.mark.wide
@examples(1000)
@given(seed=st.integers(0, 2**48))
def test_calls_that_are_numbered_and_named_by_the_protocol_all_run(seed: int) -> None:
    """Finding W-1: whoever keeps to the protocol loses nothing by the rules for those who do not."""
    source = random.Random(seed)
    calls = written_calls(source)
    entries: list[list[Json]] = []
    for place, (name, arguments) in enumerate(calls):
        cuts = sorted(source.sample(range(len(arguments)), k=min(len(arguments), 3)))
        pieces = [arguments[start:end] for start, end in zip([0, *cuts], [*cuts, None], strict=True)]
        begun = piece("", name, index=place, id=f"c{place}", type="function")
        entries.append([begun, *(piece(each, index=place) for each in pieces)])
    chunks: list[Json] = []
    while any(entries):
        chunks.append(chunk(tool_calls=[source.choice([left for left in entries if left]).pop(0)]))
    items = calls_of([*chunks, chunk("tool_calls")])
    assert Counter((item["name"], item["arguments"], item["status"]) for item in items) == Counter(
        (*call, "completed") for call in calls
    )
