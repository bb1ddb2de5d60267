"""Which tools a provider is sent for the documents of a bridge, and where a call by such a name ends up."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from openai import AsyncOpenAI

from bridge.app.server import Bridge
from tests.support.documents.compiled import document_text, operation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, client_of, model_bridge, products
from tests.support.models.scripted_provider import ScriptedProvider, scripted_provider
from tests.support.running_bridge import FakePage, json_answer, page_of
from tests.support.stores.databases import execute
from toolserver.json_types import JsonObject

HELLO: Any = [{"role": "user", "content": "Hi"}]
OBJECT: JsonObject = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
OPEN: JsonObject = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
CLOSED: JsonObject = {**OPEN, "properties": {"a": {"type": ["integer", "null"]}}, "required": ["a"]}
BOTH: list[Any] = [
    {"type": "object", "properties": {each: {"type": "string"}}, "required": [each]} for each in "xy"
]


def maybe(schema: JsonObject) -> JsonObject:
    return {"anyOf": [schema, {"type": "null"}]}


STRICT: dict[str, tuple[Any, Any]] = {
    "S0-22 inside": (
        {"type": "object", "properties": {"o": OPEN}, "additionalProperties": False},
        maybe(
            {
                "type": "object",
                "properties": {"o": maybe(CLOSED)},
                "required": ["o"],
                "additionalProperties": False,
            }
        ),
    ),
    "S0-23 ghost": ({**OBJECT, "required": ["a", "ghost"]}, maybe(OBJECT)),
    "S0-24 one type": ({"type": "string"}, {"type": ["string", "null"]}),
    "S0-24 two types": ({"type": ["string", "integer"]}, {"type": ["string", "integer", "null"]}),
    "S0-25 anyOf": (
        {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
    ),
    "S0-25 reference": ({"$ref": "#/components/schemas/R"}, maybe(OBJECT)),
    "S0-26 enum": ({"enum": ["a", "b"]}, {"type": ["string", "null"], "enum": ["a", "b", None]}),
    "S0-26 const": ({"const": "a"}, {"type": ["string", "null"], "enum": ["a", None]}),
    "S0-26 properties": ({key: OPEN[key] for key in ("properties", "additionalProperties")}, maybe(CLOSED)),
    "S0-26 items": ({"items": {"type": "string"}}, maybe({"type": "array", "items": {"type": "string"}})),
    "S0-27": ({"type": "array", "items": OPEN}, maybe({"type": "array", "items": CLOSED})),
    "S0-28": (
        {"oneOf": [{"type": "string"}, OPEN]},
        {"anyOf": [{"type": "string"}, CLOSED, {"type": "null"}]},
    ),
    "S0-31": ({"type": "integer", "minimum": 1, "default": 3}, {"type": ["integer", "null"]}),
    "S0-31 named like a keyword": (
        {
            "type": "object",
            "properties": {"format": {"type": "integer", "minimum": 1, "default": 3}},
            "required": ["format"],
        },
        maybe({**OBJECT, "properties": {"format": {"type": "integer"}}, "required": ["format"]}),
    ),
    "S0-32": ({"$ref": "#/components/schemas/R", "description": "Beside."}, maybe(OBJECT)),
    "S0-33": (
        {"allOf": BOTH},
        maybe({**OBJECT, "properties": {each: {"type": "string"} for each in "xy"}, "required": ["x", "y"]}),
    ),
}
"""What a document says of an optional argument, and what a provider is sent of it, but for the words."""

LOOSE: dict[str, Any] = {
    "S0-20 text": "x",
    "S0-20 boolean": True,
    "S0-22 map": {"type": "object", "additionalProperties": {"type": "string"}},
    "S0-24 null already": {"type": ["string", "null"]},
    "S0-26 anything": {},
    "S0-28 a branch without a type": {"anyOf": [{"type": "string"}, {}]},
    "S0-29 list of properties": {"type": "object", "properties": []},
    "S0-29 property of no schema": {"type": "object", "properties": {"a": True}},
    "S0-30 prefixItems": {"type": "array", "prefixItems": [{}]},
    "S0-30 patternProperties": {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
    "S0-30 nullable": {"type": "string", "nullable": True},
    "S0-30 not": {"not": {"type": "string"}},
    "S0-36 object and map": {**OBJECT, "additionalProperties": {"type": "integer"}},
}
"""Schemas that strict mode has no words for."""

BODIES: dict[str, Any] = {
    "text": {"type": "string"},
    "list": {"type": "array", "items": {"type": "string"}},
    "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
}
"""Whole bodies that are no objects."""


def taking(name: str, body: Any) -> JsonObject:
    content: JsonObject = {"application/json": {"schema": body}}
    return {
        "post": {
            "operationId": name,
            "requestBody": {"required": True, "content": content},
            "responses": {"200": {"description": "ok"}},
        }
    }


def all_cases() -> str:
    """A document with an operation for each of the schemas."""
    optional = {**{name: each for name, (each, _) in STRICT.items()}, **LOOSE}
    bodies = {name: {"type": "object", "properties": {"v": each}} for name, each in optional.items()}
    paths: JsonObject = {
        f"/{place}": taking(tool_name(name), body)
        for place, (name, body) in enumerate({**bodies, **BODIES}.items())
    }
    document = json.loads(document_text("Cases", paths=paths))
    return json.dumps({**document, "components": {"schemas": {"R": OBJECT}}})


def tool_name(case: str) -> str:
    return re.sub(r"\W", "_", case)


def without_words(schema: Any) -> Any:
    """Titles and descriptions are for the model to read; here is what a provider checks."""
    if isinstance(schema, list):
        return [without_words(each) for each in schema]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(schema, dict):
        return schema
    return {key: without_words(each) for key, each in schema.items() if key != "description"}  # pyright: ignore


def tools_sent(provider: ScriptedProvider, request: int = -1) -> dict[str, Any]:
    return {tool["name"]: tool for tool in provider.requests[request].body.get("tools", [])}


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The tools that one request had, by their names."""

    async def ask() -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("cases")
        async with scripted_provider() as provider, model_bridge(folder, provider) as bridge:
            await bridge.components.registry.share_document("cases.json", all_cases(), source_url=None)
            provider.play(text("Hi."))
            async with client_of(bridge) as client, page_of(bridge, bridge.local_user.id, products):
                await client.responses.create(model=MODEL, input="Hi")
            return tools_sent(provider)

    return asyncio.run(ask())


@pytest.mark.parametrize("case", STRICT)
def test_a_strict_schema_is_sent_as_providers_take_it(cases: dict[str, Any], case: str) -> None:
    """S0-22, S0-23, S0-24, S0-25, S0-26, S0-27, S0-28, S0-31, S0-32, S0-33, S4-14, W-03: the whole list."""
    tool = cases[tool_name(case)]
    parameters = tool["parameters"]
    assert (tool["strict"], parameters["required"], parameters["additionalProperties"]) == (
        True,
        ["v"],
        False,
    )
    assert without_words(parameters["properties"]["v"]) == STRICT[case][1]


@pytest.mark.parametrize("case", LOOSE)
def test_what_cannot_be_said_strictly_is_sent_as_it_is(cases: dict[str, Any], case: str) -> None:
    """S0-20, S0-22, S0-26, S0-28, S0-29, S0-30, S0-36, W-03: usable, not strict, and nothing closed."""
    tool = cases[tool_name(case)]
    assert tool["strict"] is False
    assert "v" in tool["parameters"]["properties"]
    assert tool["parameters"].get("required", []) == []
    assert "additionalProperties" not in tool["parameters"]


def test_words_take_the_place_of_what_strict_mode_drops(cases: dict[str, Any]) -> None:
    """S0-31, S0-32, W-03: limits, defaults, and what stands beside a reference."""
    words = [
        cases[tool_name(case)]["parameters"]["properties"]["v"]["description"] for case in ("S0-31", "S0-32")
    ]
    assert words == ["Default: 3. Value >= 1.", "Beside."]


def test_maps_keep_their_values(cases: dict[str, Any]) -> None:
    """S0-22, W-03: a map that lost them could carry nothing."""
    sent = cases[tool_name("S0-22 map")]["parameters"]["properties"]["v"]
    assert sent["additionalProperties"] == {"type": "string"}


@pytest.mark.parametrize("case", BODIES)
def test_a_body_that_is_no_object_is_wrapped_into_one(cases: dict[str, Any], case: str) -> None:
    """S0-21, W-03: providers take objects only."""
    parameters = cases[case]["parameters"]
    assert (parameters["type"], parameters["required"]) == ("object", ["body"])
    assert without_words(parameters["properties"]["body"]) == BODIES[case]


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[Bridge]:
    async with model_bridge(tmp_path, provider) as running:
        yield running


@pytest_asyncio.fixture
async def page(bridge: Bridge) -> AsyncGenerator[FakePage]:
    async with page_of(bridge, bridge.local_user.id, products) as page:
        yield page


async def add(page: FakePage, *documents: str) -> list[str]:
    """Own servers of the page's user, accepted; gives their ids."""
    added = [(await page.post("/api/servers", {"text": each}))["id"] for each in documents]
    await page.accept_everything()
    return added


async def offered(
    client: AsyncOpenAI, provider: ScriptedProvider, tools: Iterable[Any] = ()
) -> dict[str, Any]:
    provider.play(text("Hi."))
    await client.responses.create(model=MODEL, input="Hi", extra_body={"tools": list(tools)})
    return tools_sent(provider)


@pytest.mark.asyncio
async def test_order_of_properties_and_bytes_stay_the_same_in_every_request(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """S0-34, S0-35: providers cache what begins alike; what one request changes is not there in the next."""
    zeta: JsonObject = {"type": "object", "required": ["zeta", "alpha"]}
    zeta["properties"] = {"zeta": {"type": "string"}, "alpha": {"type": "string"}}
    await add(page, document_text(paths={"/z": taking("ordered", zeta)}))
    first = await offered(client, provider)
    clashing = await offered(client, provider, [{"type": "function", "name": "ordered", "parameters": {}}])
    assert list(clashing) == ["shop__ordered", "read_result", "ordered"]
    parameters = first["ordered"]["parameters"]
    assert (list(parameters["properties"]), parameters["required"]) == (["zeta", "alpha"], ["zeta", "alpha"])
    assert json.dumps(await offered(client, provider)) == json.dumps(first)


@pytest.mark.asyncio
async def test_strict_schemas_can_be_switched_off(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-38: the schema is the document's; without the word, providers of Responses make it strict."""
    async with (
        model_bridge(tmp_path, provider, enable_strict_tool_calling=False) as bridge,
        client_of(bridge) as client,
        page_of(bridge, bridge.local_user.id, products) as page,
    ):
        await add(page, document_text())
        tool = (await offered(client, provider))["listProducts"]
    assert tool["strict"] is False
    assert tool["parameters"]["properties"]["limit"]["minimum"] == 1
    assert "required" not in tool["parameters"]


@pytest.mark.asyncio
async def test_a_document_is_all_that_a_server_needs(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """S0-03, S0-08, S0-09: no words, no parameters; what is broken, or empty, takes nothing along."""
    paths: JsonObject = {"/bad": {"get": 5}, "/worse": 7, "/good": operation("good")}
    await add(page, document_text(paths=paths), document_text("Empty", paths={}))
    tools = await offered(client, provider)
    assert list(tools) == ["good", "read_result"]
    empty: JsonObject = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert tools["good"] == {
        "type": "function",
        "name": "good",
        "description": "good",
        "parameters": empty,
        "strict": True,
    }


@pytest.mark.asyncio
async def test_tools_of_the_caller_are_taken_as_they_are_and_the_last_of_two_counts(
    client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-04, S0-10, S0-11: what is no tool goes, the second `a` stands where the first one stood."""
    first, second = ({"type": "function", "name": "a", "description": each} for each in ("first", "second"))
    search, low = {"type": "web_search"}, {"type": "web_search", "search_context_size": "low"}
    other = {"type": "function", "name": "b", "parameters": {"type": "string"}, "unknown": 1}
    no_tools: list[Any] = [5, None, "x", [], {"name": "typeless"}, {"type": 5}]
    nameless: JsonObject = {"type": "function"}
    extra: list[Any] = [*no_tools, first, search, other, nameless, second, low, nameless]
    provider.play(text("Hi."))
    await client.responses.create(model=MODEL, input="Hi", extra_body={"extra_tools": extra})
    assert provider.requests[0].body["tools"] == [second, low, other, nameless]


@pytest.mark.asyncio
async def test_what_nobody_has_accepted_is_not_offered(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """S0-44: a model must not be tempted by what cannot run."""
    await page.post("/api/servers", {"text": document_text()})
    provider.play(text("Hi."))
    await client.responses.create(model=MODEL, input="Hi")
    assert "tools" not in provider.requests[0].body


@pytest.mark.asyncio
async def test_a_catalog_that_cannot_be_read_costs_its_tools_only(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """S0-05: the answer comes, with one word about what is missing where Open WebUI shows such words."""
    await add(page, document_text())
    taken = "ALTER TABLE acceptances RENAME TO gone"
    await asyncio.to_thread(execute, bridge.data_dir / "bridge.sqlite3", taken)
    await bridge.components.registry.share_document("more.json", document_text("More"), source_url=None)
    provider.play(text("Without tools."))
    stream = await client.chat.completions.create(
        model=MODEL, messages=HELLO, stream=True, extra_headers={"X-OpenWebUI-Chat-Id": "c1"}
    )
    chunks: list[Any] = [chunk.model_dump() async for chunk in stream]
    assert "tools" not in provider.requests[0].body
    said = [chunk["choices"][0]["delta"]["content"] or "" for chunk in chunks if chunk.get("choices")]
    assert "".join(said).startswith("Without tools.")
    told = [chunk["event"] for chunk in chunks if chunk.get("event")]
    words = "Tool registry unavailable; continuing without tools."
    assert [each["data"]["content"] for each in told if each["type"] == "notification"] == [words]


@pytest.mark.asyncio
@pytest.mark.parametrize(("operations", "lost"), [(100, 100), (90, 0), (140, 0)])
async def test_whoever_loses_tools_to_those_of_a_chat_is_told(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage, operations: int, lost: int
) -> None:
    """Finding I-L13: Open WebUI brings 36, and at 93 accepted operations all of them were gone in silence.

    Whoever has too many alone has read so in the review.
    """
    paths: JsonObject = {f"/{number}": operation(f"read{number}") for number in range(operations)}
    await add(page, document_text(paths=paths))
    parameters: JsonObject = {"type": "object", "properties": {}}
    own: list[Any] = [
        {"type": "function", "function": {"name": f"webui_{number}", "parameters": parameters}}
        for number in range(36)
    ]
    provider.play(text("Hi."))
    stream = await client.chat.completions.create(
        model=MODEL, messages=HELLO, tools=own, stream=True, extra_headers={"X-OpenWebUI-Chat-Id": "c1"}
    )
    chunks: list[Any] = [chunk.model_dump() async for chunk in stream]
    told = [chunk["event"]["data"] for chunk in chunks if chunk.get("event")]
    words = (
        "This chat brings 36 tools of its own. Together they are too many for a model, so 100 of the "
        "bridge's (shop) can only be searched for. Switch off tools in the chat, or pin the important ones "
        "on the bridge page under Tools."
    )
    assert told == ([{"description": words, "done": True}] if lost else [])
    assert len(provider.requests[0].body["tools"]) <= 128


@pytest.mark.asyncio
async def test_names_that_clash_are_told_apart_for_good_and_lead_to_their_own_server(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """S0-06, S0-40, S0-41, S0-42, S0-43, W-01: and stay as they are when the other server goes."""
    first, second = await add(
        page, *(document_text(each, paths={"/s": operation("search")}) for each in ("First", "Second"))
    )
    assert list(await offered(client, provider)) == ["search", "second__search", "read_result"]
    provider.play(calls(("second__search", {}), ("search", {})), text("Both."))
    await client.responses.create(model=MODEL, input="Hi")
    assert sorted((each["server"]["id"], each["name"]) for each in page.calls) == [
        (first, "GET /s"),
        (second, "GET /s"),
    ]
    await page.request("DELETE", f"/api/servers/{first}")
    assert list(await offered(client, provider)) == ["second__search", "read_result"]


@pytest.mark.asyncio
async def test_a_name_of_the_caller_is_the_callers_and_ours_is_still_reached(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """S0-41, S0-43, W-01: the page runs its operation under the name that the model was offered."""
    await add(page, document_text())
    own = {"type": "function", "name": "listProducts", "parameters": {"type": "object"}}
    provider.play(calls(("shop__listProducts", {"limit": 1})), calls(("listProducts", {})))
    response = await client.responses.create(model=MODEL, input="Hi", extra_body={"tools": [own]})
    assert list(tools_sent(provider, 0)) == [
        "shop__listProducts",
        "addProduct",
        "read_result",
        "listProducts",
    ]
    assert [(each["name"], each["params"]) for each in page.calls] == [("GET /products", '{"limit": 1}')]
    assert [item.type for item in response.output] == ["function_call"]


@pytest.mark.asyncio
async def test_names_that_providers_refuse_are_mapped_and_led_back(
    client: AsyncOpenAI, provider: ScriptedProvider, page: FakePage
) -> None:
    """W-02: spaces, dots, other scripts, great length, twice the same, and none at all."""
    ids = ["list all.pets", "größe", "商品", "x" * 100, "x" * 101, "a b", "a.b"]
    paths: JsonObject = {f"/{place}": operation(each) for place, each in enumerate(ids)}
    paths["/nameless/{id}"] = {"get": {"responses": {"200": {"description": "ok"}}}}
    await add(page, document_text(paths=paths))
    names = [each for each in await offered(client, provider) if each != "read_result"]
    assert len(names) == len(ids) + 1
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", each) for each in names)
    provider.play(
        calls(*((each, {"id": "1"} if place == len(ids) else {}) for place, each in enumerate(names))),
        text("."),
    )
    await client.responses.create(model=MODEL, input="Hi")
    assert sorted(each["name"] for each in page.calls) == sorted(f"GET {path}" for path in paths)


@pytest.mark.asyncio
async def test_a_wrapped_body_reaches_the_page_whole(
    bridge: Bridge, client: AsyncOpenAI, provider: ScriptedProvider
) -> None:
    """S0-21, W-03: under the one name that the page makes the request's body of."""

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        return json_answer(json.loads(call["params"]))

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        await add(page, document_text(paths={"/l": taking("list", BODIES["list"])}))
        provider.play(calls(("list", {"body": ["a", "b"]})), text("Done."))
        await client.responses.create(model=MODEL, input="Hi")
        assert [json.loads(each["params"]) for each in page.calls] == [{"body": ["a", "b"]}]
