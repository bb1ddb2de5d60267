"""Native tool search as values: whose a call is, which histories pass, and what the double refuses."""

from typing import Any

import pytest

from bridge.models.agent.call_pairs import pair_calls
from bridge.models.agent.fitted_request import fit_request
from bridge.models.agent.items import Item, model_call, search_output
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.tool_search import brings_search, mend_namespaces
from bridge.models.agent.tools.callers_tools import callers_functions
from bridge.settings.chat.provider_rules import ProviderRules, rules_of
from tests.support.models.history_check import find_refusal
from tests.support.models.turn_harness import user
from toolserver.json_types import JsonObject

SCHEMA: JsonObject = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
FUNCTION: JsonObject = {
    "type": "function",
    "name": "list",
    "description": "Lists. " * 40,
    "parameters": SCHEMA,
    "strict": True,
    "defer_loading": True,
}
GROUP: JsonObject = {"type": "namespace", "name": "shop", "description": "Shop", "tools": [FUNCTION]}
SEARCH: Item = {
    "type": "tool_search_call",
    "id": "tsc_1",
    "call_id": "s1",
    "execution": "client",
    "arguments": {"query": "list"},
    "status": "completed",
}
LOADED = search_output("s1", [GROUP])


def call(namespace: str | None, call_id: str = "c1", name: str = "list") -> Item:
    made: Item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}
    return made if namespace is None else {**made, "namespace": namespace}


def output(call_id: str = "c1") -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": "[]"}


def refusal(*items: Item, tools: Any = ()) -> str | None:
    return find_refusal("/v1/responses", {"input": [*items], "tools": [*tools]})


def test_the_double_refuses_what_openai_refuses() -> None:
    """Issue 41, 6: a wrong history would pass the tests, and fail at the provider."""
    asked = user("Hi")
    assert refusal(asked, SEARCH, LOADED, call("shop"), output()) is None
    lacks_name: JsonObject = {key: value for key, value in GROUP.items() if key != "description"}
    loose: JsonObject = {**FUNCTION, "parameters": {"type": "object"}}
    silent: JsonObject = {key: value for key, value in FUNCTION.items() if key != "strict"}
    long: JsonObject = {**SEARCH, "id": "x" * 65}
    wrong: dict[str, tuple[Item, ...]] = {
        "No tool call found": (LOADED,),
        "No tool output found": (SEARCH,),
        "No tool call found for function call output with call_id s1": (LOADED, SEARCH),
        "Missing namespace for function_call 'list'": (SEARCH, LOADED, call(None), output()),
        "has been loaded before its call": (call("shop"), output(), SEARCH, LOADED),
        "No function 'list' in the namespace 'zoo'": (SEARCH, LOADED, call("zoo"), output()),
        "description": (SEARCH, search_output("s1", [lacks_name])),
        "Invalid schema for function 'list'": (SEARCH, search_output("s1", [{**GROUP, "tools": [loose]}])),
        "does not say whether it is strict": (SEARCH, search_output("s1", [{**GROUP, "tools": [silent]}])),
        "Invalid id of tool_search_call": (long, LOADED),
        "string too long": ({**SEARCH, "call_id": "x" * 65}, search_output("x" * 65)),
    }
    for words, items in wrong.items():
        assert words in (refusal(asked, *items) or "")
    assert "Only one tool_search" in (refusal(asked, tools=[{"type": "tool_search"}] * 2) or "")


@pytest.mark.parametrize(
    "items",
    [
        (call("shop"), output(), SEARCH, LOADED, call("shop", "c2"), output("c2")),
        (call(None), output(), SEARCH, LOADED),
        (call("shop"), output()),
        (call("zoo"), output(), SEARCH, LOADED),
        (SEARCH, search_output("s1"), call("shop"), output()),
    ],
)
def test_a_history_that_was_cut_or_begun_otherwise_is_mended(items: tuple[Item, ...]) -> None:
    """Issue 41, 6: each call finds its function, in its namespace or listed; all else stays as it is."""
    mended = mend_namespaces(ModelRequest("m", (user("Hi"), *items)))
    assert refusal(*mended.input, tools=mended.tools) is None
    assert [item for item in mended.input if item.get("type") != "function_call"] == [
        item for item in (user("Hi"), *items) if item.get("type") != "function_call"
    ]
    assert mend_namespaces(mended) == mended


def test_a_history_without_searches_stays_the_same_object() -> None:
    """Most have none, and are not copied."""
    request = ModelRequest("m", (user("Hi"), call(None), output()))
    assert mend_namespaces(request) is request


def test_a_search_without_an_output_gets_one_that_loads_nothing() -> None:
    """Issue 41, 6: a call is never sent without its output; a search of the provider needs none."""
    by_provider: Item = {**SEARCH, "call_id": None, "execution": "server"}
    found = pair_calls([by_provider, SEARCH, user("Go on.")])
    assert found[:2] == (by_provider, SEARCH)
    assert (found[2]["type"], found[2]["call_id"], found[2]["tools"]) == ("tool_search_output", "s1", [])
    assert refusal(*found) is None
    assert pair_calls([LOADED, user("Hi")]) == (user("Hi"),)


def test_what_is_loaded_keeps_the_rules_of_its_provider() -> None:
    """Issue 41, 6: a description that is too long fails the whole request, wherever it stands."""
    rules = rules_of("http://x.example/v1", "responses", strict_tools=False, max_description_chars=100)
    fitted = fit_request(ModelRequest("m", (SEARCH, LOADED), tools=(GROUP,)), rules)
    group: Any = fitted.input[1]["tools"]
    assert group[0]["tools"] == fitted.tools[0]["tools"]
    assert (group[0]["tools"][0]["strict"], len(group[0]["tools"][0]["description"]) <= 100) == (False, True)
    request = ModelRequest("m", (SEARCH, LOADED), tools=(GROUP,))
    assert fit_request(request, ProviderRules()) is request


def test_calls_belong_to_whoever_brought_their_function() -> None:
    """Issue 41, 6: the same name may be a caller's, a caller's in a namespace, and the bridge's."""
    plain: JsonObject = {"type": "function", "name": "list"}
    deferred: JsonObject = {"type": "tool_search", "execution": "client"}

    def runs(item: Item, *tools: JsonObject, history: tuple[Item, ...] = ()) -> bool:
        made = model_call(item)
        assert made is not None
        return callers_functions(tools, history).runs_call(made)

    eager: JsonObject = {**GROUP, "tools": [plain]}
    theirs: Item = {**LOADED, "id": "tso_68af4030d1c0819490c0a3c5"}
    assert runs(call(None), plain)
    assert not runs(call("shop"), plain)
    assert runs(call("shop"), eager)
    assert not runs(call(None), eager)
    assert not runs(SEARCH, plain, eager)
    assert runs(SEARCH, deferred)
    assert runs(call("shop"), deferred, history=(theirs,))
    assert not runs(call("shop"), plain, history=(theirs,))
    assert runs(call("list"), deferred, history=({**theirs, "tools": [plain]},)), "its own name is none"
    assert not runs(call("shop"), deferred, history=(LOADED,)), "the bridge loaded it"
    assert brings_search([deferred])
    assert brings_search([GROUP])
    assert not brings_search([eager, plain])
