"""Calls as nearly every client sends them are read in a shorter way, which nobody notices."""

import json
from typing import Any

import pytest

from bridge.endpoints.mcp.protocol import RpcError, RpcMessage, read_message
from tests.support.documents.interpreters import INTERPRETERS, python_that_reads
from tests.support.mcp_messages import legacy_request, modern_request
from toolserver.arguments.arguments import parse_arguments

LONG = 12345678901234567890123
ARGUMENTS: dict[str, Any] = {"q": ["\u00e9", 1.5, {"deep": None}], "limit": LONG}
PARAMS = {"name": "listProducts", "arguments": ARGUMENTS}


def text_of(message: tuple[dict[str, Any], Any], *, ascii_only: bool = True) -> str:
    return json.dumps(message[0], ensure_ascii=ascii_only)


MODERN = text_of(modern_request("tools/call", PARAMS))
LEGACY = text_of(legacy_request("tools/call", PARAMS, request_id="a"))


def nested(levels: int) -> str:
    """An object so many levels deep; a message has two more."""
    return '{"q":' * levels + "1" + "}" * levels


SHORT = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}'


def with_further_member(text: str) -> bytes:
    """The same message with a member that nobody knows, which is read in the longer way."""
    return text.encode()[:-1] + b',"further":1}'


def facts_of(message: RpcMessage) -> tuple[object, ...]:
    arguments = parse_arguments(message.read_arguments(), max_bytes=10_000)
    told = (message.method, message.params["name"], message.meta, message.request_id, message.is_modern)
    return (*told, arguments, message.progress_token)


@pytest.mark.parametrize(
    "text",
    [
        MODERN,
        LEGACY,
        text_of(modern_request("tools/call", PARAMS), ascii_only=False),
        text_of(modern_request("tools/call", PARAMS, progressToken=LONG)),
        text_of(modern_request("tools/call", PARAMS, progressToken="p")),
        SHORT % '{"name":"a"}',
        SHORT % f'{{"name":"a","arguments":{nested(252)}}}',
        SHORT % '{"name":"a","arguments":null}',
        SHORT % '{"name":"a","arguments":{},"_meta":[]}',
        SHORT % '{"name":"a","name":"b","arguments":{"q":1},"arguments":{"q":2}}',
        SHORT % '{"\\u006eame":"\\ud83d\\ude00"}',
        MODERN.replace("tools/call", "tools\\/call"),
        f" {MODERN} ",
    ],
)
def test_a_plain_call_says_what_it_says_with_a_further_member(text: str) -> None:
    """Its name, its arguments to the last digit, its id, and what it tells of itself."""
    plain, other = read_message(text.encode()), read_message(with_further_member(text.strip()))
    assert facts_of(plain) == facts_of(other)


@pytest.mark.parametrize(
    "text",
    [
        MODERN.replace('"id": 1', '"id": 18446744073709551616'),
        MODERN.replace('"id": 1', '"id": true'),
        MODERN.replace('"id": 1', '"id": 1.0'),
        MODERN.replace('"2.0"', '"1.0"'),
        MODERN.replace("1.5", "01.5"),
        MODERN.replace("1.5", "NaN"),
        MODERN.replace("\\u00e9", "\\ud800"),
        SHORT % '{"name":"a","arguments":[]}',
        SHORT % '{"name":"a","_meta":{"x":1e400}}',
        SHORT % "[]",
        SHORT % f'{{"name":"a","arguments":{nested(253)}}}',
        SHORT % f'{{"name":"a","arguments":{nested(2000)}}}',
        f"\ufeff{MODERN}",
    ],
)
@pytest.mark.parametrize("interpreter", INTERPRETERS)
def test_what_is_wrong_with_a_call_is_told_as_of_one_with_a_further_member(
    interpreter: int, text: str
) -> None:
    """By the same code and words; only places in the text may differ.

    Finding house-H7: what is nested too deeply was read by one Python and refused by another.
    """
    told: list[tuple[object, ...]] = []
    for body in (text.encode(), with_further_member(text)):
        with python_that_reads(interpreter), pytest.raises(RpcError) as refused:
            read_message(body).read_arguments()
        told.append((refused.value.code, refused.value.message, refused.value.request_id))
    assert told[0] == told[1]


def test_a_call_that_is_not_utf_8_is_refused_wherever_that_is() -> None:
    """Also in a value that does not count, because its key comes again."""
    body = (SHORT % '{"name":"a","arguments":{"q":"?"},"arguments":{}}').encode().replace(b"?", b"\xff")
    with pytest.raises(RpcError, match="The body is not JSON"):
        read_message(body)


def test_the_arguments_of_a_plain_call_are_handed_on_as_they_were_sent() -> None:
    """No number is written anew, and no white space is taken away: the API may be asked for either."""
    sent = '{"limit":  1.00,\n"q": "\\u00e9"}'
    message = read_message((SHORT % f'{{"name":"a","arguments":{sent}}}').encode())
    assert message.read_arguments() == sent
