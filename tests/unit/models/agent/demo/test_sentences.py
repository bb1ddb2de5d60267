"""Plain sentences to the demo model: which call each asks for, over the tools of all samples."""

import itertools
import json
import re
from pathlib import Path
from typing import Literal, NamedTuple

import orjson
import pytest
import pytest_asyncio
from aiohttp.test_utils import TestClient, TestServer
from hypothesis import given
from hypothesis import strategies as st

from bridge.cli.serve.samples import INTRANET_APIS, SAMPLES
from bridge.models.agent.demo.model import DemoModel
from bridge.models.agent.demo.offered import read_tool
from bridge.models.agent.demo.plain_schema import plain_schema
from bridge.models.agent.demo.sentence import MAX_CHARS, language_of
from bridge.models.agent.demo.understanding import understand_request
from bridge.models.agent.items import message_item, output_item
from bridge.models.agent.tools.catalog_tools import define_function
from examples.document_files import read_document_text
from examples.intranet import create_intranet
from examples.notes import note_tools
from tests.support.documents.compiled import tools_of
from tests.support.models.model_rounds import function, joined_text, model_request, output_of, read_round
from toolserver.json_types import JsonObject, text_at

STATIC = Path(__file__).parents[5] / "static"
_SENTENCES = Path(__file__).parent / "sentences"
_WANTED = 32
"""Of the forty that were written first."""


class Sentence(NamedTuple):
    """One, with the call that is right; None: nothing may be called."""

    says: str
    calls: JsonObject | None


class Tools(NamedTuple):
    """Definitions as models read them, and the names of those that the documents allow to run unasked."""

    definitions: list[JsonObject]
    safe: set[str]


def sentences(name: str) -> list[Sentence]:
    rows = json.loads((_SENTENCES / f"{name}.json").read_text(encoding="utf-8"))
    return [Sentence(row["says"], row["calls"]) for row in rows]


@pytest_asyncio.fixture(params=["possible", "unsaid"])
async def tools(request: pytest.FixtureRequest) -> Tools:
    """Everything that `tool-bridge demo` offers, with strict schemas and without."""
    texts = [read_document_text(name) for name in SAMPLES]
    async with TestClient(TestServer(create_intranet())) as intranet:
        texts += [await (await intranet.get(f"/{api}/openapi.json")).text() for api in INTRANET_APIS]
    found = Tools([], set())
    for text in texts:
        _add_document(found, text, request.param)
    for note in note_tools():
        schema = orjson.dumps(note.definition["inputSchema"])
        name = text_at(note.definition, "name")
        found.definitions.append(
            define_function(name, text_at(note.definition, "description"), schema, "possible")
        )
        found.safe.update({name} & {"list_notes", "draw_square"})
    return found


def _add_document(found: Tools, text: str, strictness: Literal["possible", "unsaid"]) -> None:
    document = tools_of(text, source_url="http://api.example/openapi.json")
    for operation in document.compiled.operations:
        name = operation.suggested_name
        schema = document.schema_of(operation.key).schema_json
        found.definitions.append(define_function(name, operation.description, schema, strictness))
        found.safe.update({name} if operation.safe else ())


def called(text: str, tools: Tools) -> JsonObject | None:
    understood = understand_request(text, tools.definitions)
    if not understood.arguments:
        return None
    return {"name": understood.name, "arguments": json.loads(understood.arguments)}


def changes_wrongly(sentence: Sentence, tools: Tools) -> bool:
    call = called(sentence.says, tools)
    return call is not None and call != sentence.calls and call["name"] not in tools.safe


@pytest.mark.parametrize(("name", "wanted"), [("known", _WANTED), ("held_out", 16)])
def test_sentences_written_before_the_rules_are_understood(name: str, wanted: int, tools: Tools) -> None:
    """Issue 44, point 4: 32 of 40 sentences are right, and no changing call is wrong."""
    said = sentences(name)
    right = [sentence.says for sentence in said if called(sentence.says, tools) == sentence.calls]
    assert len(right) >= wanted, sorted({each.says for each in said} - set(right))
    assert not [each.says for each in said if changes_wrongly(each, tools)]


NO_CALLS = """
Cancel order 1001 and order 1002
Cancel order 1001 if it is late
Cancel order 1001, not 1002
Cancel all orders
Never cancel order 1001
Delete product 3 and 4
Remove product 3 tomorrow
What would happen if I removed product 3?
How do I cancel order 1001?
Order 500 of product 1 for Ada
Order 2 of product 1
Set the kitchen and the bedroom to 20 degrees
Set the kitchen to 99 degrees
Set product 3 to 5
Change product 5
Heat the kitchen
Install the firmware
Borrow a book for Tom
Turn the heating off
Stop
Lösche alle Bücher
Lösche Produkt 3 und 4
Bestell 2 Stück von Produkt 1
Bestell für Ada Produkt 1
Storniere Bestellung 1001, wenn sie nicht abgeholt wird
Soll ich Bestellung 1001 stornieren?
Wie storniere ich Bestellung 1001?
Ändere Produkt 5
Erhöhe die Temperatur im Bad
""".strip().split("\n")


def test_a_change_that_is_doubtful_is_asked_and_not_made(tools: Tools) -> None:
    """Issue 44, point 4: no changing call is wrong; twice, half, on a condition or beyond bounds is wrong."""
    assert not [text for text in NO_CALLS if changes_wrongly(Sentence(text, None), tools)]


def test_what_reads_by_its_words_reads(tools: Tools) -> None:
    """A tool is called on loose words only if it changes nothing; of the samples, one reads by POST."""
    reading = {text_at(tool, "name") for tool in tools.definitions if read_tool(tool).reads}
    assert reading - tools.safe == {"lookUpBooks"}


async def answer(text: str, *tools: JsonObject, outputs: str = "") -> str:
    """What the model says after one round, or after the answer to its call."""
    ids = itertools.count()
    model = DemoModel(new_id=lambda: str(next(ids)), now=lambda: 0)
    asked = message_item("user", text)
    events = await read_round(model, model_request(asked, tools=tools))
    if not outputs:
        return joined_text(events)
    (call,) = output_of(events)
    since = (call, output_item(text_at(call, "call_id"), outputs))
    return joined_text(await read_round(model, model_request(asked, *since, tools=tools)))


GET = function(
    "get_product", "Show one product", product_id={"type": "integer", "description": "Its number."}
)
REMOVE = function("remove_product", "Remove it", product_id={"type": "integer", "description": "Its number."})
SELL = function("sell_product", "Sell a product", product_id={"type": "integer"})


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("asked", "said", "answered"),
    [
        ("Show product 3", "I am the demo model and go by rules. For your words I called ", " answered:"),
        ("Zeig mir Produkt 3", "Ich bin das Demo-Modell und arbeite nach Regeln. Auf ", " hat geantwortet:"),
    ],
)
async def test_it_says_what_it_called_and_that_it_is_a_demo(asked: str, said: str, answered: str) -> None:
    """Issue 44, point 4: a newcomer must not take rules for intelligence, in either language."""
    text = await answer(asked, GET, outputs='{"name": "Tea"}')
    assert text.startswith(said)
    assert '`get_product {"product_id":3}`' in text
    assert f'`get_product`{answered}\n\n```json\n{{\n  "name": "Tea"\n}}\n```' in text


@pytest.mark.asyncio
async def test_a_change_that_lacks_something_is_answered_with_what_it_lacks() -> None:
    """A changing call needs all that it requires; a guess would remove the wrong one."""
    assert await answer("Remove the product", REMOVE) == (
        "I am the demo model and go by rules.\nFor `remove_product` I still need `product_id`.\n\n"
        "- `product_id`: Its number.\n\n"
        "I called nothing. `CALL remove_product {json}` names everything exactly."
    )
    assert "Für `remove_product` fehlt mir noch `product_id`." in await answer("Lösch das Produkt", REMOVE)


@pytest.mark.asyncio
async def test_a_spelled_call_wins_over_the_words_around_it() -> None:
    """`CALL name {json}` stays what it was: exact, and answered without a preface."""
    said = await answer('Show product 4: CALL get_product {"product_id": 3}', GET, outputs="[]")
    assert said.startswith("`get_product` answered:")


def test_a_verb_that_is_not_known_to_read_is_taken_for_a_change() -> None:
    """The name of a foreign tool says nothing certain, so that loose words do not run it."""
    assert understand_request("Product 3, please", [SELL]).arguments == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Show status", "en"),
        ("Find poetry books", "en"),
        ("Was kostet Produkt 3?", "de"),
        ("Hallo", "de"),
        ("Hello", "en"),
        ("", "en"),
        ("What is a Käsespätzle?", "en"),
    ],
)
def test_the_language_of_a_request_is_told_by_its_words(text: str, language: str) -> None:
    """It answers in the language in which it was asked, also where one word tells."""
    assert language_of(text) == language


@given(st.text(alphabet='Showdelt prüuct13.,?!"„“-', max_size=MAX_CHARS + 10))
def test_any_text_is_read_as_a_sentence(text: str) -> None:
    """The text is whatever a user writes, and the model must never raise."""
    assert understand_request(text, [GET, REMOVE, SELL]).name in {
        "",
        "get_product",
        "remove_product",
        "sell_product",
    }


@pytest.mark.parametrize("pattern", ["^(a+)+$", "a*a*a*a*a*a*b", "[a-z]+" * 9, "(?=x)", "x" * 500])
def test_a_pattern_that_could_take_long_is_not_tried(pattern: str) -> None:
    """Patterns are foreign: one of `(a+)+` holds the process for years."""
    assert plain_schema({"type": "string", "pattern": pattern})["pattern"] == ""


def test_what_the_chat_suggests_is_understood_in_both_languages(tools: Tools) -> None:
    """Issue 44, point 4: the page suggests sentences, all of which are understood."""
    code = (STATIC / "chat" / "demo_examples.js").read_text(encoding="utf-8")
    german = (STATIC / "languages" / "de_chat.js").read_text(encoding="utf-8")
    suggested = dict(re.findall(r'\["(\w+)", t`(.+)`\]', code))
    assert len(suggested) == 4
    for name, sentence in suggested.items():
        (translated,) = re.findall(rf'"{re.escape(sentence)}": "(.+)"', german)
        calls = [called(text, tools) for text in (sentence, translated)]
        assert [call and call["name"] for call in calls] == [name, name]
