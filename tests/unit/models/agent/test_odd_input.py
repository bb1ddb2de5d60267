"""Whatever a provider streams or a caller asks: an answer with one ending, or an error with a name."""

import asyncio
import json
import random
from collections.abc import AsyncGenerator, Iterable
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models.agent.chat_completions.request_parser import parse_chat_request
from bridge.models.agent.chat_completions.stream_decoder import ChatReading
from bridge.models.agent.chat_completions.upstream_request import chat_request, find_unsupported_paths
from bridge.models.agent.chat_completions.writer import ChatShell, ChatWriter
from bridge.models.agent.demo.model import DemoModel
from bridge.models.agent.loop.loop import run_rounds
from bridge.models.agent.model import ENDINGS, Model, ModelError, ModelEvent, ModelRequest
from bridge.models.agent.request_fields import InvalidRequest, ParsedRequest
from bridge.models.agent.responses.request_parser import parse_responses_request
from bridge.models.agent.responses.response_object import response_shell
from bridge.models.agent.responses.surrogate_pairs import SurrogateJoiner
from bridge.models.agent.responses.writer import AnswerStyle, ResponsesWriter
from bridge.models.agent.text_calls.model import TextCallModel
from bridge.models.agent.text_calls.prompt import told_in_words
from bridge.models.agent.turn import AnswerWriter, Turn, TurnEvent, TurnRequest, TurnSettings
from tests.support.documents.mutation import mutated
from tests.support.examples import examples
from tests.support.models.model_answers import (
    Answer,
    calls,
    chat_chunks,
    reasoning,
    refusal,
    responses_events,
    text,
)
from tests.support.models.turn_harness import FakeToolbox
from toolserver.json_types import JsonObject, dump_json

ROUNDS: tuple[Answer, ...] = (
    reasoning("Hm", "m.") + text("Let me <function=own><parameter=a>1</para", "meter></function> see."),
    calls(("own", {"a": 1}), ("own", "{"), ("nobody", {})),
    refusal("No", "pe.") + calls(("own", {}), ("theirs", {})),
    text("Hi ", "there."),
)
TOOLS = FakeToolbox(own_names=["own"], callers=["theirs"])

CHAT: JsonObject = {
    "model": "demo",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [
            {"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://a.example/"}},
            {"type": "file", "file": {"file_id": "f"}},
        ]},
        {"role": "assistant", "content": '<details type="tool_calls"></details>', "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "own", "arguments": "{}"}},
            {"id": "c2", "type": "custom", "custom": {"name": "sql", "input": ""}},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
    ],
    "tools": [{"type": "function", "function": {"name": "theirs", "parameters": {}}}],
    "tool_choice": {"type": "function", "function": {"name": "theirs"}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}},
    "stream_options": {"include_usage": True},
    "reasoning_effort": "low", "extra_tools": [{}], "metadata": {"task": None}, "logit_bias": {"1": 2},
    "parallel_tool_calls": False, "max_function_call_loops": 3, "max_tokens": 5,
}  # fmt: skip
RESPONSES: JsonObject = {
    "model": "demo",
    "input": [
        {"role": "user", "content": "CALL own {}"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "t"}]},
        {"type": "function_call", "call_id": "c", "name": "own", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "r"}]},
        {"type": "custom_tool_call", "call_id": "d", "name": "n", "input": "i"},
        {"type": "mcp_approval_response", "approval_request_id": "m"},
    ],
    "tools": [{"type": "function", "name": "theirs", "parameters": {}}, {"type": "web_search"}],
    "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "own"}]},
    "text": {"format": {"type": "text"}}, "reasoning": {"effort": "low"}, "include": ["x"],
    "instructions": "Be brief.", "max_tool_calls": 3, "metadata": {}, "truncation": "auto",
}  # fmt: skip


class DecodedModel:
    """A model of either protocol, as the clients of providers hear it."""

    def __init__(self, rounds: Iterable[list[JsonObject]], *, is_chat: bool) -> None:
        self._rounds = iter(rounds)
        self._is_chat = is_chat

    async def stream_round(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        events = next(self._rounds)
        pairs, reading = SurrogateJoiner(), ChatReading(request)
        for event in events:
            for body in pairs.join_pairs(reading.decode_chunk(event) if self._is_chat else [event]):
                yield ModelEvent(body)
                if body.get("type") in list(ENDINGS):
                    return
            if reading.finish != "none":
                break
        if not self._is_chat:
            raise ModelError("The stream just ended.", code="upstream_disconnected")
        for body in pairs.join_pairs(reading.finish_stream()):
            yield ModelEvent(body)


def odd_stream(answer: Answer, number: int, source: random.Random, *, is_chat: bool) -> list[JsonObject]:
    written = (
        chat_chunks(answer, number, "m", with_usage=True)
        if is_chat
        else responses_events(answer, number, "m")
    )
    changed = json.loads(mutated(json.dumps([*written]), source, count=source.choice([0, 1, 1, 2, 4])))
    return [cast(JsonObject, event) for event in changed if isinstance(event, dict)]


async def answers_of(request: TurnRequest, model: Model) -> list[tuple[AnswerWriter, list[JsonObject]]]:
    """The answer as both doors would give it; raises what is no `ModelError` amid it."""
    shell = ChatShell("chatcmpl_1", 0, "m", "details", with_usage=True, for_open_webui=True)
    answers: list[tuple[AnswerWriter, list[JsonObject]]] = [
        (ChatWriter(shell), []),
        (ResponsesWriter(response_shell("resp_1", 0, "m", {}), AnswerStyle("items")), []),
    ]

    async def emit(event: TurnEvent) -> None:
        for writer, bodies in answers:
            bodies.extend(writer.write_event(event))

    try:
        result = await run_rounds(Turn(request, model, TurnSettings("m")), TOOLS, emit)
    except ModelError:
        return []
    for writer, bodies in answers:
        bodies.extend(writer.write_end(result))
        dump_json(writer.completion if isinstance(writer, ChatWriter) else bodies[-1])
    return answers


@pytest.mark.parametrize("is_chat", [True, False])
@pytest.mark.wide
@examples(400)
@given(seed=st.integers(0, 2**32), reads_text=st.booleans())
def test_whatever_a_provider_streams_an_answer_has_one_ending(
    is_chat: bool, seed: int, reads_text: bool
) -> None:
    """S4-15: there are a hundred imitators of each protocol; none may break the answer of its caller."""
    source = random.Random(seed)
    picked = [source.choice(ROUNDS) for _ in range(3)]
    rounds = [odd_stream(answer, number, source, is_chat=is_chat) for number, answer in enumerate(picked)]
    heard: Model = DecodedModel(rounds, is_chat=is_chat)
    model = TextCallModel(heard, tells_tools=True) if reads_text else heard
    asked = TurnRequest("ann", "turn 1", "m", ({"role": "user", "content": "Hi"},), max_rounds=2)
    for writer, written in asyncio.run(answers_of(asked, model)):
        bodies: list[Any] = json.loads(dump_json([*written]))
        if isinstance(writer, ChatWriter):
            reasons = [choice["finish_reason"] for body in bodies for choice in body.get("choices", ())]
            assert [bool(reason) for reason in reasons] == [False] * (len(reasons) - 1) + [True]
        else:
            endings = [place for place, body in enumerate(bodies) if body["type"] in list(ENDINGS)]
            assert endings == [len(bodies) - 1]


@pytest.mark.wide
@examples(600)
@given(seed=st.integers(0, 2**32), is_chat=st.booleans())
def test_whatever_a_caller_asks_is_understood_or_refused_by_name(seed: int, is_chat: bool) -> None:
    """S0-156: a wrong type is the caller's mistake, said in words; a bug of ours is no answer."""
    source = random.Random(seed)
    written = mutated(json.dumps(CHAT if is_chat else RESPONSES), source, count=source.choice([1, 1, 2, 4]))
    try:
        body = orjson.loads(written)
        assert isinstance(body, dict)
        parsed = (parse_chat_request if is_chat else parse_responses_request)(cast(JsonObject, body))
    except (orjson.JSONDecodeError, AssertionError, InvalidRequest):
        return
    asyncio.run(answers_of(turn_of(parsed), DemoModel()))
    asked = ModelRequest("m", parsed.input, parsed.instructions, parsed.caller_tools, parsed.options)
    dump_json([chat_request(asked), [*find_unsupported_paths(asked)], [*told_in_words(asked).input]])


def turn_of(parsed: ParsedRequest) -> TurnRequest:
    return TurnRequest(
        "ann", "turn 1", parsed.model, parsed.input, parsed.instructions, parsed.caller_tools, parsed.options
    )
