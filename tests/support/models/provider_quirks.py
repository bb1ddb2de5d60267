"""What imitators of Chat Completions and of Responses send, and what it means: one row for each quirk.

Seen by others in servers and gateways, in the reports named by the findings; written anew for these tests. An
answer is bytes, so that a test can cut it anywhere.
"""

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tests.support.models.model_rounds import function
from toolserver.json_types import JsonObject

Json: TypeAlias = dict[str, Any]

STREAM = ("Content-Type", "text/event-stream")
JSON = ("Content-Type", "application/json")


def _optional(name: str, **properties: JsonObject) -> JsonObject:
    tool = function(name, "", **properties)
    schema = tool["parameters"]
    assert isinstance(schema, dict)
    return {**tool, "parameters": {**schema, "required": []}}


TOOLS: tuple[JsonObject, ...] = (
    _optional("takeAll", s={"type": "string"}, n={"type": "integer"}),
    _optional("getProduct", s={"type": "string"}),
    function("ping"),
    function("pong"),
)


def _operation(name: str, **properties: JsonObject) -> JsonObject:
    schema: JsonObject = {"type": "object", "properties": {**properties}}
    body: JsonObject = {"requestBody": {"content": {"application/json": {"schema": schema}}}}
    return {"operationId": name, "responses": {"200": {"description": "ok"}}, **(body if properties else {})}


QUIRK_PATHS: JsonObject = {
    "/t": {"post": _operation("takeAll", s={"type": "string"}, n={"type": "integer"})},
    "/ping": {"post": _operation("ping")},
    "/pong": {"post": _operation("pong")},
    "/products": {
        "get": {
            **_operation("getProduct"),
            "parameters": [{"name": "s", "in": "query", "schema": {"type": "string"}}],
        }
    },
}
"""The same tools as operations of an API."""


@dataclass(frozen=True, slots=True)
class Quirk:
    """What a provider sends, and what must come out."""

    name: str
    answer: bytes
    text: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Names and arguments."""
    reasoning: str = ""
    refusal: str = ""
    finding: str = "S0-151"
    status: Literal["completed", "incomplete"] = "completed"
    is_in_doubt: bool = False
    """Whether it cannot be known which arguments belong to which call."""
    error: str = ""
    """Words of the error in place of an answer."""
    http_status: int = 200
    headers: tuple[tuple[str, str], ...] = (STREAM,)
    is_tried_again: bool = False
    """Whether the provider is asked once more, and answers "Hi" then."""

    def __str__(self) -> str:
        return self.name


def frame(value: Any) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def stream(*chunks: Json, done: bool = True) -> bytes:
    return ("".join(map(frame, chunks)) + ("data: [DONE]\n\n" if done else "")).encode()


def chunk(finish: str | None = None, /, **delta: Any) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def piece(arguments: Any = None, name: str | None = None, **more: Any) -> Json:
    """An entry of `tool_calls`; `index` and `id` as given."""
    written = {"name": name, "arguments": arguments}
    return {**more, "function": {key: value for key, value in written.items() if value is not None}}


def called(*pieces: Json, finish: str | None = "tool_calls", done: bool = True) -> bytes:
    """A stream of one entry in each chunk."""
    chunks = [chunk(tool_calls=[each]) for each in pieces]
    return stream(*chunks, *([chunk(finish)] if finish else []), done=done)


def said(*pieces: str, finish: str | None = "stop", done: bool = True) -> bytes:
    chunks = [chunk(content=each) for each in pieces]
    return stream(*chunks, *([chunk(finish)] if finish else []), done=done)


def completion(message: Json, finish: str | None = "stop") -> Json:
    return {
        "id": "c1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
    }


def as_json(value: Any, **more: Any) -> bytes:
    return json.dumps(value, **more).encode()


HI = '{"s":"hi"}'
ONE = (("takeAll", HI),)
TWO = (("takeAll", HI), ("takeAll", '{"s":"yo"}'))
BEGUN = piece("", "takeAll", index=0, id="a", type="function")
WHOLE = piece(HI, "takeAll", index=0, id="a")
OTHER = piece('{"s":"yo"}', "takeAll", index=1, id="b")
CONTINUED = (piece('{"s":', index=0), piece('"hi"}', index=0))

OF_OPEN_WEBUI: tuple[Quirk, ...] = (
    # Transparent
    Quirk("plain", said("Good ", "day"), text="Good day"),
    Quirk("index missing", called(piece("", "takeAll", id="a"), piece('{"s":'), piece('"hi"}')), calls=ONE),
    Quirk(
        "index is a text",
        called(
            piece("", "takeAll", index="0", id="a"),
            piece("", "ping", index="1", id="b"),
            piece('{"s":', index="0"),
            piece('"hi"}', index="0"),
        ),
        calls=(*ONE, ("ping", "")),
    ),
    Quirk("index is huge", called(piece(HI, "takeAll", index=10**12, id="a")), calls=ONE),
    Quirk("same index", called(WHOLE, {**OTHER, "index": 0}), calls=TWO),
    Quirk("arguments are an object", called(piece({"s": "hi"}, "takeAll", index=0, id="a")), calls=ONE),
    Quirk(
        "arguments are null",
        called({**BEGUN, "function": {"name": "ping", "arguments": None}}),
        calls=(("ping", ""),),
    ),
    Quirk("arguments are empty", called(piece("", "ping", index=0, id="a")), calls=(("ping", ""),)),
    Quirk("calls in one chunk", stream(chunk(tool_calls=[WHOLE, OTHER]), chunk("tool_calls")), calls=TWO),
    Quirk(
        "calls interleaved",
        called(
            BEGUN,
            piece("", "takeAll", index=1, id="b"),
            piece('{"s":', index=1),
            piece('{"s":', index=0),
            piece('"yo"}', index=1),
            piece('"hi"}', index=0),
        ),
        calls=TWO,
    ),
    Quirk(
        "calls without id",
        called(piece(HI, "takeAll", index=0), piece('{"s":"yo"}', "takeAll", index=1)),
        calls=TWO,
    ),
    Quirk("calls with null id", called(piece("", "takeAll", index=0, id=None), *CONTINUED), calls=ONE),
    Quirk(
        "name repeated",
        called(BEGUN, *({**each, "function": {**each["function"], "name": "takeAll"}} for each in CONTINUED)),
        calls=ONE,
    ),
    Quirk("empty choices", stream({"choices": []}, chunk("stop", content="Hi")), text="Hi"),
    Quirk("null choices", stream({"choices": None}, chunk("stop", content="Hi")), text="Hi"),
    Quirk(
        "second choices",
        stream(
            {"choices": [{"index": 1, "delta": {"content": "no"}, "finish_reason": "stop"}]},
            chunk("stop", content="Hi"),
        ),
        text="Hi",
    ),
    Quirk(
        "prompt_filter_results",
        stream({"choices": [], "prompt_filter_results": [{"prompt_index": 0}]}, chunk("stop", content="Hi")),
        text="Hi",
    ),
    Quirk("finish reason stop with calls", called(WHOLE, finish="stop"), calls=ONE),
    Quirk("finish reason that nobody knows", said("Hi", finish="eos_token"), text="Hi"),
    Quirk("finish reason function_call", called(WHOLE, finish="function_call"), calls=ONE),
    Quirk(
        "legacy function_call",
        stream(
            chunk(function_call={"name": "takeAll", "arguments": ""}),
            chunk(function_call={"arguments": HI}),
            chunk("function_call"),
        ),
        calls=ONE,
    ),
    Quirk(
        "reasoning in both fields",
        stream(chunk(reasoning="Hm", reasoning_content="Hm"), chunk("stop", content="Hi")),
        text="Hi",
        reasoning="Hm",
    ),
    Quirk(
        "usage in each chunk",
        stream({**chunk(content="Hi"), "usage": {"prompt_tokens": 1}}, {**chunk("stop"), "usage": {}}),
        text="Hi",
    ),
    Quirk(
        "usage first",
        stream({"choices": [], "usage": {"prompt_tokens": 1}}, chunk("stop", content="Hi")),
        text="Hi",
    ),
    Quirk("usage null", stream({**chunk("stop", content="Hi"), "usage": None}), text="Hi"),
    Quirk("no [DONE]", said("Hi", done=False), text="Hi"),
    Quirk("data after [DONE]", said("Hi") + stream(chunk(content=" again")), text="Hi"),
    Quirk("CRLF", said("Hi").replace(b"\n", b"\r\n"), text="Hi"),
    Quirk("CR alone", said("Hi").replace(b"\n", b"\r"), text="Hi"),
    Quirk("no space", said("Hi").replace(b"data: ", b"data:"), text="Hi"),
    Quirk(
        "several lines of data", said("Hi").replace(b'"choices":', b'\ndata: "choices":\ndata: '), text="Hi"
    ),
    Quirk("byte order mark", b"\xef\xbb\xbf" + said("Hi"), text="Hi"),
    Quirk("characters of several bytes", said("Grüße ", "👋🏽"), text="Grüße 👋🏽"),
    Quirk("comments", said("Hi").replace(b"data:", b": PROCESSING\n\ndata:"), text="Hi"),
    Quirk("event: ping", said("Hi").replace(b"data: {", b"event: ping\ndata: {}\n\ndata: {"), text="Hi"),
    Quirk("content is a list", stream(chunk("stop", content=[{"type": "text", "text": "Hi"}])), text="Hi"),
    Quirk(
        "delta absent",
        stream(chunk(content="Hi"), {"choices": [{"index": 0, "finish_reason": "stop"}]}),
        text="Hi",
    ),
    Quirk(
        "role repeated",
        stream(chunk(role="assistant", content="H"), chunk("stop", role="assistant", content="i")),
        text="Hi",
    ),
    Quirk(
        "429 with Retry-After: 1",
        b"",
        text="Hi",
        http_status=429,
        headers=(("Retry-After", "1"),),
        is_tried_again=True,
    ),
    Quirk(
        "503 with Retry-After: 1",
        b"",
        text="Hi",
        http_status=503,
        headers=(("Retry-After", "1"),),
        is_tried_again=True,
    ),
    # Right errors
    Quirk(
        "long 429",
        as_json({"error": {"message": "Slow down."}}),
        error="Slow down.",
        http_status=429,
        headers=(JSON, ("Retry-After", "37")),
    ),
    Quirk(
        "error object in the stream",
        stream(chunk(content="Hi"), {"error": {"message": "It broke."}}),
        error="It broke.",
    ),
    Quirk("error text in the stream", stream(chunk(content="Hi"), {"error": "It broke."}), error="It broke."),
    Quirk("cut in a text", said("Hi", finish=None, done=False), error="broke off"),
    Quirk("cut in a call", called(BEGUN, CONTINUED[0], finish=None, done=False), error="broke off"),
    Quirk(
        "length in a call",
        called(BEGUN, CONTINUED[0], finish="length"),
        status="incomplete",
        calls=(("takeAll", '{"s":'),),
    ),
    Quirk("content filter", said("Hi", finish="content_filter"), text="Hi", status="incomplete"),
    Quirk(
        "502 with HTML",
        b"<html>Bad gateway</html>",
        text="Hi",
        http_status=502,
        headers=(("Content-Type", "text/html"),),
        is_tried_again=True,
    ),
    Quirk(
        "400 with detail",
        as_json({"detail": "No such model."}),
        error="No such model.",
        http_status=400,
        headers=(JSON,),
    ),
    Quirk("empty body", b"", error="an event stream without events", finding="I-L5"),
    # Avoidable
    Quirk(
        "error array",
        as_json([{"error": {"message": "No quota."}}]),
        error="No quota.",
        finding="I-L4",
        http_status=400,
        headers=(JSON,),
    ),
    Quirk(
        "200 with an error",
        as_json({"error": {"message": "No quota."}}),
        error="No quota.",
        finding="I-L4",
        headers=(JSON,),
    ),
    Quirk(
        "validation list",
        as_json({"detail": [{"loc": ["body", "tools", 0], "msg": "Field required"}]}),
        error="body.tools.0: Field required",
        finding="I-L4",
        http_status=422,
        headers=(JSON,),
    ),
    Quirk(
        "event: error",
        stream(chunk(content="Hi"), done=False) + b'event: error\ndata: {"message": "Full."}\n\n',
        error="Full.",
        finding="I-L4",
    ),
    Quirk(
        "JSON for a stream",
        as_json(completion({"content": "Hi"})),
        text="Hi",
        finding="I-L6",
        headers=(JSON,),
    ),
    Quirk("no finish reason", called(WHOLE, finish=None), calls=ONE, finding="I-L7"),
    Quirk(
        "name in two parts",
        called(piece("", "get", index=0, id="a"), piece(HI, "Product", index=0)),
        calls=(("getProduct", HI),),
        finding="I-L8",
    ),
)
"""The 57 quirks that clients of Open WebUI's kind were tried with, in that report's order."""
