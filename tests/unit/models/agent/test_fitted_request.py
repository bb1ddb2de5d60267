"""A round's request as its provider takes it: tools and ids of calls, whichever protocol it speaks."""

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.called_names import offered_name
from bridge.models.agent.chat_completions.upstream_request import chat_request
from bridge.models.agent.fitted_request import fit_call_ids, fit_request
from bridge.models.agent.model import ModelRequest
from bridge.models.providers.models import responses_body
from bridge.settings.chat.provider_rules import CallIdForm, ProviderRules, rules_of
from tests.support.examples import examples
from toolserver.json_types import JsonObject

GOOGLE = rules_of("https://generativelanguage.googleapis.com/v1beta/openai", "chat")
OPENAI = rules_of("https://api.openai.com/v1", "chat")
MISTRAL = rules_of("https://api.mistral.ai/v1", "chat")
ANTHROPIC = rules_of("https://api.anthropic.com/v1", "messages")
NINE = MISTRAL.call_ids_of("x")

LIMIT: JsonObject = {
    "type": "integer",
    "description": "How many. Example: 3. Deprecated.",
    "examples": [3],
    "deprecated": True,
    "minimum": 1,
}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "limit": LIMIT,
        "examples": {"type": "array", "uniqueItems": True, "items": {"type": "string", "writeOnly": True}},
        "either": {"anyOf": [{"type": "string", "examples": ["x"]}, {"type": "integer"}]},
        "map": {"type": "object", "additionalProperties": {"type": "string", "examples": ["x"]}},
        "word": {"type": "string", "enum": ["examples", "deprecated"], "default": {"examples": 1}},
    },
    "required": ["examples"],
}
TOOL: JsonObject = {
    "type": "function", "name": "list", "description": "Lists.", "parameters": SCHEMA, "strict": False,
}  # fmt: skip
SEARCH: JsonObject = {"type": "web_search", "description": "x" * 2000, "examples": 1}


def call(call_id: str) -> JsonObject:
    return {"type": "function_call", "call_id": call_id, "name": "list", "arguments": "{}"}


def output(call_id: str) -> JsonObject:
    return {"type": "function_call_output", "call_id": call_id, "output": "1"}


def test_what_fits_is_the_same_request() -> None:
    """Finding O-5: a provider that refuses nothing costs nothing, and its cache holds."""
    request = ModelRequest("m", (call("c" * 100), output("c" * 100)), tools=(TOOL, SEARCH))
    assert fit_request(request, ProviderRules()) is request
    fitting = ModelRequest("gpt", (call("call_1"), output("call_1")))
    assert fit_request(fitting, OPENAI) is fitting


def test_keywords_that_a_host_refuses_are_not_sent_whoevers_tool_it_is() -> None:
    """Finding O-4, W-4: the words say what they said; a property of such a name and a value stay."""
    fitted = fit_request(ModelRequest("m", (), tools=(TOOL, SEARCH)), GOOGLE)
    parameters: Any = fitted.tools[0]["parameters"]
    assert list(parameters["properties"]) == ["limit", "examples", "either", "map", "word"]
    assert parameters["properties"]["limit"] == {
        "type": "integer", "description": "How many. Example: 3. Deprecated.", "minimum": 1,
    }  # fmt: skip
    assert parameters["properties"]["examples"] == {
        "type": "array", "items": {"type": "string"}, "description": "No item twice.",
    }  # fmt: skip
    assert parameters["properties"]["either"]["anyOf"][0] == {"type": "string", "description": "Example: x."}
    assert parameters["properties"]["map"]["description"].startswith("Further keys are allowed")
    assert parameters["properties"]["word"]["default"] == {"examples": 1}
    assert parameters["required"] == ["examples"]
    assert fitted.tools[1] is SEARCH
    assert LIMIT["examples"] == [3], "what is cached for others is not changed"


def test_names_begin_with_a_letter_where_they_must_and_are_known_again() -> None:
    """Finding W-4: Gemini refuses a name that begins with a digit, and with it the whole request."""
    tools: list[JsonObject] = [{**TOOL, "name": name} for name in ("2fa", "_2fa", "-x", "list")]
    earlier: JsonObject = {**call("call_1"), "name": "2fa"}
    choice: JsonObject = {"type": "function", "name": "-x"}
    said: JsonObject = {"type": "message", "role": "user", "name": "2fa", "content": "Hi"}
    asked = ModelRequest("m", (earlier, said), tools=tuple(tools), options={"tool_choice": choice})
    sent = fit_request(asked, GOOGLE)
    names = [tool["name"] for tool in sent.tools]
    assert names == ["__2fa", "_2fa", "_-x", "list"]
    assert sent.input[0]["name"] == "__2fa"
    assert sent.input[1] is said, "a person's name is none of a tool"
    assert sent.options["tool_choice"] == {"type": "function", "name": "_-x"}
    offered = {"2fa", "_2fa", "-x", "list"}
    assert [offered_name(str(name), offered.__contains__) for name in names] == ["2fa", "_2fa", "-x", "list"]
    assert [tool["name"] for tool in fit_request(asked, OPENAI).tools] == ["2fa", "_2fa", "-x", "list"]


def test_a_name_as_long_as_one_may_be_keeps_its_length_and_is_known_again() -> None:
    """Finding W-17: 64 characters that begin with a digit became 65, which every provider refuses."""
    names = [begin + "x" * 63 for begin in ("2", "-", "c")]
    tools: list[JsonObject] = [{**TOOL, "name": name} for name in names]
    sent = [
        str(tool["name"]) for tool in fit_request(ModelRequest("m", (), tools=tuple(tools)), GOOGLE).tools
    ]
    assert [len(name) for name in sent] == [64, 64, 64]
    assert len({*sent}) == 3, "the third tool has the name that the first would have got"
    assert all(name[0].isalpha() for name in sent)
    assert [offered_name(name, names.__contains__) for name in sent] == names


def test_forms_at_the_root_become_one_object_and_words() -> None:
    """Finding W-4: "input_schema does not support oneOf, allOf, or anyOf at the top level"."""
    by_id: JsonObject = {
        "properties": {"id": {"type": "integer"}, "full": {"type": "boolean"}},
        "required": ["id"],
    }
    by_name: JsonObject = {
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "description": "By name.",
    }
    root: JsonObject = {"description": "Whom.", "type": "object", "oneOf": [by_id, by_name]}
    [sent] = fit_request(ModelRequest("m", (), tools=({**TOOL, "parameters": root},)), ANTHROPIC).tools
    parameters: Any = sent["parameters"]
    assert list(parameters) == ["type", "description", "properties"]
    assert list(parameters["properties"]) == ["id", "full", "name"]
    assert parameters["description"] == (
        "Whom. One of these forms: object, with `id`, `full`, which needs `id`; "
        "object, with `name`, By name, which needs `name`."
    )
    joined: JsonObject = {"allOf": [by_id, {**by_name, "required": []}], "required": ["id"]}
    [sent] = fit_request(ModelRequest("m", (), tools=({**TOOL, "parameters": joined},)), OPENAI).tools
    parameters = sent["parameters"]
    assert (list(parameters["properties"]), parameters["required"]) == (["id", "full", "name"], ["id"])
    assert "allOf" not in parameters


def test_examples_of_calls_go_where_they_are_taken() -> None:
    """Issue 42: `input_examples` where they are set; any other provider would refuse the word."""
    exemplified: JsonObject = {**TOOL, "examples": [{"limit": 3}]}
    request = ModelRequest("m", (), tools=(exemplified,))
    [sent] = fit_request(request, ANTHROPIC).tools
    assert ("examples" in sent, sent["input_examples"]) == (False, [{"limit": 3}])
    [sent] = fit_request(request, OPENAI).tools
    assert sent == TOOL
    assert fit_request(request, ProviderRules()).tools == (TOOL,)


def test_a_provider_without_strict_mode_is_not_told_of_it() -> None:
    """Finding W-4: `strict` is an unknown name to some, true or false; Responses have to be told false."""
    strict: JsonObject = {**TOOL, "strict": True}
    body: Any = chat_request(fit_request(ModelRequest("m", (), tools=(strict, TOOL)), GOOGLE))
    assert ["strict" in tool["function"] for tool in body["tools"]] == [False, False]
    off = rules_of("https://llm.corp.example/v1", "responses", strict_tools=False)
    body = responses_body(fit_request(ModelRequest("m", (), tools=(strict, TOOL)), off))
    assert [tool["strict"] for tool in body["tools"]] == [False, False]


def test_a_long_description_is_cut_for_hosts_that_refuse_it() -> None:
    """Finding W-40, O-5: 1,024 characters at OpenAI's Chat Completions, for both ways to its host."""
    long: JsonObject = {**TOOL, "description": "Lists pets.\n\n" + "It does so well. " * 400}
    body: Any = chat_request(fit_request(ModelRequest("m", (), tools=(long, TOOL)), OPENAI))
    first, second = (tool["function"]["description"] for tool in body["tools"])
    assert first.startswith("Lists pets.\n\nIt does so well.")
    assert len(first) <= 1024
    assert second == "Lists."
    limited = rules_of("https://llm.corp.example/v1", "responses", max_description_chars=200)
    told: Any = responses_body(fit_request(ModelRequest("m", (), tools=(long,)), limited))
    assert len(told["tools"][0]["description"]) <= 200


def test_the_same_tools_are_the_same_bytes_in_every_round() -> None:
    """Finding O-5: a provider's cache of prompts begins with them."""
    one = ModelRequest("m", (), tools=(TOOL,))
    later = ModelRequest("m", (call("x"), output("x")), tools=(TOOL,))
    assert json.dumps(fit_request(one, GOOGLE).tools) == json.dumps(fit_request(later, GOOGLE).tools)


def test_a_schema_of_any_depth_is_taken() -> None:
    """Finding O-4: a caller's tool must not break the round."""
    deep: JsonObject = {"type": "string", "examples": ["x"]}
    for _ in range(400):
        deep = {"type": "array", "items": deep}
    tool: JsonObject = {**TOOL, "parameters": {"type": "object", "properties": {"a": deep}}}
    assert fit_request(ModelRequest("m", (), tools=(tool,)), GOOGLE).tools[0]["name"] == "list"


def test_a_call_and_its_output_get_the_same_id_that_fits() -> None:
    """Finding W-4: one "must be a-z, A-Z, 0-9, with a length of 9" and the whole request is refused."""
    image: JsonObject = {"type": "input_image", "image_url": "data:,"}
    pictured: JsonObject = {**output("call_1"), "output": [image]}
    items = (call("call_1"), pictured, call("aB3xK9mP2"), output("aB3xK9mP2"))
    body: Any = chat_request(fit_request(ModelRequest("x", items), MISTRAL))
    ids = [made["id"] for message in body["messages"] for made in message.get("tool_calls", [])]
    answered = [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    assert ids == answered
    assert all(re.fullmatch("[a-zA-Z0-9]{9}", each) for each in ids)
    assert ids[1] == "aB3xK9mP2"
    [shown] = [message for message in body["messages"] if message["role"] == "user"]
    assert shown["content"][0]["text"] == f"Shown by the tool call {ids[0]}:"


def test_an_id_stays_the_same_as_the_history_grows() -> None:
    """Finding W-4: a replayed history has the bytes that it had before."""
    assert NINE is not None
    first = fit_call_ids((call("call_1"), output("call_1")), NINE)
    later = fit_call_ids((call("call_1"), output("call_1"), call("call_2")), NINE)
    assert later[:2] == first


def test_a_model_of_mistral_behind_a_gateway_gets_its_ids() -> None:
    """Finding W-4: OpenRouter passes the ids on as they are."""
    router = rules_of("https://openrouter.ai/api/v1", "chat")
    items = (call("call_1"),)
    assert fit_request(ModelRequest("gpt-4o", items), router).input is items
    [fitted] = fit_request(ModelRequest("mistralai/devstral-small", items), router).input
    assert len(str(fitted["call_id"])) == 9


ONE_CHARACTER = CallIdForm(re.compile("[a-zA-Z0-9]"), 1)


@examples(600)
@given(ids=st.lists(st.text("ab|", min_size=1, max_size=3), max_size=30))
def test_ids_that_differ_still_differ(ids: list[str]) -> None:
    """Finding W-4: two calls of one id would get each other's output, however few ids a form allows."""
    items = tuple(call(each) for each in ids)
    fitted = [str(item["call_id"]) for item in fit_call_ids(items, ONE_CHARACTER)]
    assert all(ONE_CHARACTER.pattern.fullmatch(each) for each in fitted)
    pairs = set(zip(ids, fitted, strict=True))
    assert len(pairs) == len(set(ids)) == len(set(fitted))
