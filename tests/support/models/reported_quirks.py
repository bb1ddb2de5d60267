"""Quirks of providers that others have reported, and what is like them: rows as in `provider_quirks`."""

from collections.abc import Sequence

from tests.support.models.provider_quirks import (
    BEGUN,
    CONTINUED,
    JSON,
    OF_OPEN_WEBUI,
    ONE,
    OTHER,
    TWO,
    WHOLE,
    Json,
    Quirk,
    as_json,
    called,
    chunk,
    completion,
    piece,
    said,
    stream,
)
from tests.support.models.reported_call_quirks import OF_CALLS


def _message(call: Json) -> Json:
    return {**call, "type": "function"}


OF_STREAMS: tuple[Quirk, ...] = (
    # W-12
    Quirk(
        "a second call after a finish reason",
        stream(chunk("tool_calls", tool_calls=[WHOLE]), chunk("tool_calls", tool_calls=[OTHER])),
        calls=TWO,
        finding="W-12",
    ),
    Quirk(
        "a second call after a finish reason, in pieces, and no other reason",
        stream(
            chunk("tool_calls", tool_calls=[WHOLE]),
            chunk(tool_calls=[piece('{"s":', "takeAll", index=1, id="b")]),
            chunk(tool_calls=[piece('"yo"}', index=1)]),
        ),
        calls=TWO,
        finding="W-12",
    ),
    Quirk(
        "text after a finish reason",
        stream(chunk("stop", content="Good "), chunk("stop", content="day")),
        text="Good day",
        finding="W-12",
    ),
    Quirk(
        "a refusal after a finish reason",
        stream(chunk("stop", content="No. "), chunk(refusal="I will not.")),
        text="No. ",
        refusal="I will not.",
        finding="W-12",
    ),
    Quirk(
        "a finish reason in each chunk",
        stream(chunk("stop", content="Good "), chunk("stop", content="day"), chunk("stop")),
        text="Good day",
        finding="W-12",
    ),
    Quirk(
        "a limit of tokens, then another reason",
        stream(chunk("length", tool_calls=[WHOLE]), chunk("stop")),
        calls=ONE,
        status="incomplete",
        finding="W-12",
    ),
    Quirk(
        "cut in a call after a finish reason",
        stream(
            chunk("tool_calls", tool_calls=[WHOLE]),
            chunk(tool_calls=[piece("", "takeAll", index=1, id="b")]),
            done=False,
        ),
        error="broke off",
        finding="W-12",
    ),
    # W-13
    Quirk(
        "one JSON answer with a call",
        as_json(completion({"content": None, "tool_calls": [_message(WHOLE)]}, "tool_calls")),
        calls=ONE,
        headers=(JSON,),
        finding="W-13",
    ),
    Quirk(
        "one JSON answer, pretty, with blank lines",
        b"\n\n" + as_json(completion({"content": "Hi"}), indent=2).replace(b"\n", b"\n\n") + b"\n\n",
        text="Hi",
        headers=(JSON,),
        finding="W-13",
    ),
    Quirk(
        "one JSON answer that says it is a stream",
        as_json(completion({"content": "Hi"})),
        text="Hi",
        finding="W-13",
    ),
    Quirk(
        "one JSON answer without a type, after a byte order mark",
        b"\xef\xbb\xbf" + as_json(completion({"content": "Hi"})),
        text="Hi",
        headers=(),
        finding="W-13",
    ),
    Quirk(
        "one JSON answer without a finish reason",
        as_json(completion({"content": "Hi"}, None)),
        text="Hi",
        headers=(JSON,),
        finding="W-13",
    ),
    Quirk(
        "one JSON answer that was cut off by its limit",
        as_json(completion({"content": "Hi"}, "length")),
        text="Hi",
        status="incomplete",
        headers=(JSON,),
        finding="W-13",
    ),
    Quirk(
        "one JSON answer with the arguments as an object",
        as_json(completion({"tool_calls": [piece({"s": "hi"}, "takeAll", id="a")]}, "tool_calls")),
        calls=ONE,
        headers=(JSON,),
        finding="W-13",
    ),
    Quirk("a stream that says it is JSON", said("Hi"), text="Hi", headers=(JSON,), finding="W-13"),
    Quirk(
        "200 with words alone",
        as_json({"message": "No quota.", "code": 7}),
        error="No quota.",
        headers=(JSON,),
        finding="I-L4",
    ),
    Quirk(
        "200 with an error array",
        as_json([{"error": {"message": "No quota."}}]),
        error="No quota.",
        headers=(JSON,),
        finding="I-L4",
    ),
    Quirk(
        "a stream of one error without the member",
        stream({"message": "No quota.", "code": 7}, done=False),
        error="No quota.",
        finding="I-L4",
    ),
    Quirk(
        "event: error with a text", b"event: error\ndata: No quota.\n\n", error="No quota.", finding="I-L4"
    ),
    Quirk(
        "errors as a list",
        as_json({"success": False, "errors": [{"code": 1, "message": "No quota."}]}),
        error="No quota.",
        http_status=400,
        headers=(JSON,),
        finding="I-L4",
    ),
    # W-14
    Quirk(
        "the whole message again in the last chunk",
        stream(
            {"choices": [{"index": 0, "delta": {"content": "hell"}, "message": {"content": "hell"}}]},
            {"choices": [{"index": 0, "delta": {"content": "o"}, "message": {"content": "hello"}}]},
            {
                "choices": [
                    {"index": 0, "delta": {}, "message": {"content": "hello"}, "finish_reason": "stop"}
                ]
            },
        ),
        text="hello",
        finding="W-14",
    ),
    Quirk(
        "the whole message again, with the call that the deltas had",
        stream(
            chunk(tool_calls=[WHOLE]),
            {
                "choices": [
                    {
                        "index": 0,
                        "message": {"content": None, "tool_calls": [_message(WHOLE)]},
                        "finish_reason": "tool_calls",
                    }
                ]
            },
        ),
        calls=ONE,
        finding="W-14",
    ),
    Quirk(
        "a call in the whole message alone, after deltas of text",
        stream(
            chunk(content="Well."),
            {
                "choices": [
                    {
                        "index": 0,
                        "message": {"content": "Well.", "tool_calls": [_message(WHOLE)]},
                        "finish_reason": "tool_calls",
                    }
                ]
            },
        ),
        text="Well.",
        calls=ONE,
        finding="W-14",
    ),
    Quirk(
        "growing messages and no delta",
        stream(
            *(
                {"choices": [{"index": 0, "message": {"content": each}, "finish_reason": None}]}
                for each in ("hell", "hello")
            ),
            chunk("stop"),
        ),
        text="hello",
        finding="W-14",
    ),
    Quirk(
        "a whole message beside a delta that says nothing",
        stream(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"role": "assistant", "content": ""},
                        "message": {"role": "assistant", "content": "Hi"},
                        "finish_reason": "stop",
                    }
                ]
            }
        ),
        text="Hi",
        finding="W-14",
    ),
    Quirk(
        "a whole message with a call beside a delta of its role",
        stream(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"role": "assistant"},
                        "message": {"tool_calls": [_message(WHOLE)]},
                        "finish_reason": "tool_calls",
                    }
                ]
            }
        ),
        calls=ONE,
        finding="W-14",
    ),
    # W-43
    Quirk("a text and no finish reason", said("Hi", finish=None), text="Hi", finding="W-43"),
    Quirk(
        "a call without arguments and no finish reason",
        called(piece("", "ping", index=0, id="a"), finish=None),
        calls=(("ping", ""),),
        finding="W-43",
    ),
    Quirk(
        "half a call and no finish reason",
        called(BEGUN, CONTINUED[0], finish=None),
        error="broke off",
        finding="W-43",
    ),
    Quirk(
        "a call that lacks arguments and no finish reason",
        called(BEGUN, finish=None),
        error="broke off",
        finding="W-43",
    ),
    Quirk("no blank line after [DONE]", said("Hi", finish=None).rstrip(b"\n"), text="Hi", finding="W-43"),
    Quirk(
        "the finish reason in a last event without a blank line",
        said("Hi", done=False).rstrip(b"\n"),
        text="Hi",
        finding="W-43",
    ),
    Quirk(
        "nothing before [DONE]",
        stream(chunk(role="assistant", content="")),
        error="broke off",
        finding="W-43",
    ),
    # W-44
    Quirk(
        "index of the choice as text and null",
        stream(
            {"choices": [{"index": "0", "delta": {"content": "hi"}}]},
            {"choices": [{"index": None, "delta": {"content": " there"}, "finish_reason": "stop"}]},
        ),
        text="hi there",
        finding="W-44",
    ),
    Quirk(
        "index of the choice missing",
        stream({"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]}),
        text="hi",
        finding="W-44",
    ),
    # W-45
    Quirk(
        "deltas that repeat everything", said("hell", "hello", "hello you"), text="hello you", finding="W-45"
    ),
    Quirk(
        "deltas that repeat everything, in two",
        said("The weather in Rome", "The weather in Rome is fine."),
        text="The weather in Rome is fine.",
        finding="W-45",
    ),
    Quirk(
        "deltas that repeat everything, before a call",
        stream(
            *(chunk(content=each) for each in ("I see", "I see the", "I see the shop")),
            chunk("tool_calls", tool_calls=[WHOLE]),
        ),
        text="I see the shop",
        calls=ONE,
        finding="W-45",
    ),
    Quirk(
        "reasoning that repeats everything",
        stream(
            *(chunk(reasoning_content=each) for each in ("Let", "Let me", "Let me see.")),
            chunk("stop", content="Hi"),
        ),
        reasoning="Let me see.",
        text="Hi",
        finding="W-45",
    ),
    Quirk(
        "deltas that repeat everything, the last one twice",
        said("The weather in Rome", "The weather in Rome is fine.", "The weather in Rome is fine."),
        text="The weather in Rome is fine.",
        finding="W-45",
    ),
    Quirk(
        "lines that begin alike for a while",
        said("\nI", "\nI love", "\nI love you", " and more"),
        text="\nI\nI love\nI love you and more",
        finding="W-45",
    ),
    Quirk(
        "a table that grows by columns",
        said("| ", "| a |", "| a | b |", "| a | b | c |", "\n"),
        text="| | a || a | b || a | b | c |\n",
        finding="W-45",
    ),
    Quirk(
        "log probabilities from the third token on",
        stream(
            chunk(content="ha"),
            chunk(content="haha"),
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"content": " x"},
                        "logprobs": {"content": [{"token": " x", "logprob": -0.1}]},
                    }
                ]
            },
            chunk("stop"),
        ),
        text="hahaha x",
        finding="W-45",
    ),
    Quirk("real increments that look alike", said("ha", "haha"), text="hahaha", finding="W-45"),
    Quirk(
        "real increments that look alike for long",
        said("ha", "haha", "hahahaha", " ok"),
        text="hahahahahahaha ok",
        finding="W-45",
    ),
    Quirk("lines of a rule", said("-", "--", "----", "\n"), text="-------\n", finding="W-45"),
    Quirk("numbers that grow", said("1", "10", "100"), text="110100", finding="W-45"),
    Quirk(
        "white space that grows", said("\n", "\n\n", "\n\n\n\n", "Hi"), text="\n" * 7 + "Hi", finding="W-45"
    ),
)
"""What ends a stream, what is in it, and in what form it comes."""

CHAT_QUIRKS: Sequence[Quirk] = (*OF_OPEN_WEBUI, *OF_CALLS, *OF_STREAMS)
