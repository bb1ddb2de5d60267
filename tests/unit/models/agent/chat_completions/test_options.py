"""Options that only Chat Completions has, towards providers of both protocols."""

import pytest

from bridge.models.agent.chat_completions.options import (
    PROBABILITIES,
    unsayable_in_responses,
    with_responses_options,
)
from bridge.models.agent.chat_completions.upstream_request import chat_request, find_unsupported_paths
from bridge.models.agent.model import ModelRequest
from toolserver.json_types import JsonObject

CHAT: JsonObject = {"stop": ["END"], "seed": 7, "logit_bias": {"50256": -100}, "presence_penalty": 0.5}


def test_a_provider_of_chat_is_told_them_as_they_came() -> None:
    """S4-15: it can do them; a caller's word wins over the default of the file of models."""
    body = chat_request(ModelRequest("m", (), options={"seed": 1, "top_p": 0.5}, chat_options=CHAT))
    assert {name: body[name] for name in CHAT} == CHAT
    assert body["top_p"] == 0.5


def test_what_no_responses_request_has_is_named() -> None:
    """S4-15: whoever sends one must be able to learn that it did nothing."""
    asked: JsonObject = {**CHAT, "logprobs": True, "top_logprobs": 2}
    assert list(unsayable_in_responses(asked)) == ["stop", "seed", "logit_bias", "presence_penalty"]


def test_what_is_empty_is_named_and_what_happens_anyway_is_not() -> None:
    """Finding I-L1: libraries send defaults; a notice about each would hide the one that matters."""
    empty: JsonObject = {"web_search_options": {}, "audio": {}, "prediction": {}, "stop": [], "seed": 0}
    defaults: JsonObject = {"frequency_penalty": 0, "presence_penalty": 0.0, "modalities": ["text"]}
    off: JsonObject = {"logprobs": False, "top_logprobs": 0}
    assert list(unsayable_in_responses({**empty, **defaults, **off})) == list(empty)
    assert with_responses_options({}, off) == {}


def test_a_zero_of_the_caller_comes_before_the_file_of_models() -> None:
    """Finding I-L1: it asks for no penalty where the model would have one."""
    request = ModelRequest("m", (), options={"frequency_penalty": 0.5}, chat_options={"frequency_penalty": 0})
    assert chat_request(request)["frequency_penalty"] == 0


@pytest.mark.parametrize(
    ("options", "chat", "said"),
    [
        ({"top_logprobs": 3}, {}, {"logprobs": True, "top_logprobs": 3}),
        ({"include": [PROBABILITIES]}, {}, {"logprobs": True}),
        ({"include": [PROBABILITIES], "top_logprobs": 0}, {}, {"logprobs": True, "top_logprobs": 0}),
        ({"top_logprobs": 0}, {}, {}),
        ({"top_logprobs": 2}, {"logprobs": False}, {"logprobs": False, "top_logprobs": 2}),
        ({}, {"logprobs": True, "top_logprobs": 0}, {"logprobs": True, "top_logprobs": 0}),
        ({}, {"logprobs": False}, {"logprobs": False}),
    ],
)
def test_a_provider_of_chat_is_asked_for_probabilities_as_it_wants(
    options: JsonObject, chat: JsonObject, said: JsonObject
) -> None:
    """Finding I-L2: OpenAI refuses `top_logprobs` without `logprobs`, which no Responses request has."""
    request = ModelRequest("m", (), options=options, chat_options=chat)
    body = chat_request(request)
    assert {name: body[name] for name in ("logprobs", "top_logprobs") if name in body} == said
    assert list(find_unsupported_paths(request)) == []


@pytest.mark.parametrize(
    ("options", "chat", "said"),
    [
        ({"top_p": 1}, CHAT, {"top_p": 1}),
        ({}, {"logprobs": True}, {"include": [PROBABILITIES]}),
        ({}, {"logprobs": True, "top_logprobs": 3}, {"include": [PROBABILITIES], "top_logprobs": 3}),
        ({"include": ["x"]}, {"logprobs": True}, {"include": ["x", PROBABILITIES]}),
        ({"include": [PROBABILITIES]}, {"logprobs": True}, {"include": [PROBABILITIES]}),
    ],
)
def test_a_provider_of_responses_is_asked_what_it_can_do(
    options: JsonObject, chat: JsonObject, said: JsonObject
) -> None:
    """Probabilities of tokens have another name there; what it has no name for it does not get."""
    assert with_responses_options(options, chat) == said
