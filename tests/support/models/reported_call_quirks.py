"""Quirks in the calls of providers that others have reported, and what is like them, as `provider_quirks`."""

from tests.support.models.provider_quirks import (
    BEGUN,
    CONTINUED,
    HI,
    ONE,
    TWO,
    WHOLE,
    Quirk,
    called,
    chunk,
    piece,
    stream,
)

OF_CALLS: tuple[Quirk, ...] = (
    # W-1 and its siblings: whose fragment is it
    Quirk(
        "continued under other indexes",
        called(BEGUN, piece('{"s":', index=1), piece('"hi"}', index=2)),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "two calls continued under other indexes",
        called(
            BEGUN,
            piece('{"s":', index=1),
            piece('"hi"}', index=2),
            piece("", "takeAll", index=3, id="b"),
            piece('{"s":', index=4),
            piece('"yo"}', index=5),
        ),
        calls=TWO,
        finding="W-1",
    ),
    Quirk(
        "other indexes, of which the second call takes one",
        called(
            BEGUN,
            piece('{"s":', index=1),
            piece('"hi"}', index=2),
            piece("", "takeAll", index=1, id="b"),
            piece('{"s":', index=2),
            piece('"yo"}', index=3),
        ),
        calls=TWO,
        finding="W-1",
    ),
    Quirk(
        "a new id and the name with each piece, after an empty one",
        called(
            BEGUN,
            piece('{"s":', "takeAll", index=0, id="b"),
            piece('"hi"}', "takeAll", index=0, id="c"),
        ),
        calls=(("takeAll", ""), ("takeAll", HI)),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "a new id and the name with each piece, one of them an object by itself",
        called(
            piece('{"s":', "takeAll", index=0, id="a"),
            piece('{"n":1}', "takeAll", index=0, id="b"),
            piece("}", "takeAll", index=0, id="c"),
        ),
        calls=(("takeAll", '{"s":'), ("takeAll", '{"n":1}'), ("takeAll", "}")),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "a new id and the name with each piece, no index",
        called(piece("", "takeAll", id="a"), piece(HI, "takeAll", id="b")),
        calls=(("takeAll", ""), ("takeAll", HI)),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "index null on a continuation",
        called(BEGUN, piece('{"s":', index=None), piece('"hi"}', index=None)),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "index is a word on a continuation",
        called(BEGUN, piece('{"s":', index="x"), piece('"hi"}', index="")),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "index 0 for the second call's continuation",
        called(WHOLE, piece("", "takeAll", index=1, id="b"), piece('{"s":"yo"}', index=0)),
        calls=TWO,
        finding="W-1",
    ),
    Quirk(
        "id empty on a continuation",
        called(BEGUN, *({**each, "id": ""} for each in CONTINUED)),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "id is white space on a continuation, under other indexes",
        called(BEGUN, piece('{"s":', index=1, id=" "), piece('"hi"}', index=2, id="\n")),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "id repeated under other indexes",
        called(BEGUN, piece('{"s":', index=1, id="a"), piece('"hi"}', index=2, id="a")),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "id and name repeated under other indexes",
        called(BEGUN, piece('{"s":', "takeAll", index=1, id="a"), piece('"hi"}', "takeAll", index=2, id="a")),
        calls=ONE,
        finding="W-1",
    ),
    Quirk(
        "ids decide, one index for all",
        called(
            BEGUN,
            piece("", "takeAll", index=0, id="b"),
            piece('{"s":', index=0, id="b"),
            piece('{"s":', index=0, id="a"),
            piece('"yo"}', index=0, id="b"),
            piece('"hi"}', index=0, id="a"),
        ),
        calls=TWO,
        finding="W-1",
    ),
    Quirk(
        "a call without arguments before one that goes on without index",
        called(piece("", "ping", id="a"), piece("", "takeAll", id="b"), piece('{"s":'), piece('"hi"}')),
        calls=(("ping", ""), *ONE),
        finding="W-1",
    ),
    Quirk(
        "two calls that lack arguments, one fragment of an unknown index",
        called(BEGUN, piece("", "takeAll", index=1, id="b"), piece(HI, index=7)),
        calls=(("takeAll", ""), ("takeAll", HI)),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "a fragment after all calls are whole",
        called(WHOLE, piece('{"s":"yo"}', index=4)),
        calls=ONE,
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "a fragment before any name",
        called(piece('{"s":', index=0), piece(HI, "takeAll", index=1, id="a")),
        calls=(("", '{"s":'), *ONE),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "the same name under a new index, without ids, while the first call lacks arguments",
        called(piece("", "takeAll", index=0), piece(HI, "takeAll", index=1)),
        calls=(("takeAll", ""), ("takeAll", HI)),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "the same call twice, without ids",
        called(piece(HI, "takeAll", index=0), piece(HI, "takeAll", index=0)),
        calls=(*ONE, *ONE),
        is_in_doubt=True,
        finding="W-1",
    ),
    Quirk(
        "a new id in each fragment",
        called(BEGUN, piece('{"s":', index=0, id="x"), piece('"hi"}', index=0, id="y")),
        calls=ONE,
        finding="W-1",
    ),
    # W-2
    Quirk(
        "two calls without arguments, one index, no ids",
        called(piece("", "ping", index=0), piece("", "pong", index=0)),
        calls=(("ping", ""), ("pong", "")),
        finding="W-2",
    ),
    Quirk(
        "two calls without arguments, neither index nor ids",
        called(piece(None, "ping"), piece(None, "pong")),
        calls=(("ping", ""), ("pong", "")),
        finding="W-2",
    ),
    Quirk(
        "three calls in one chunk, one index, no ids, the last one with arguments",
        stream(
            chunk(
                "tool_calls",
                tool_calls=[
                    piece("", "ping", index=0),
                    piece("", "pong", index=0),
                    piece(HI, "takeAll", index=0),
                ],
            )
        ),
        calls=(("ping", ""), ("pong", ""), *ONE),
        finding="W-2",
    ),
    Quirk(
        "a call without arguments after a whole one, one index, no ids",
        called(piece(HI, "takeAll", index=0), piece("", "ping", index=0)),
        calls=(*ONE, ("ping", "")),
        finding="W-2",
    ),
    # W-15
    Quirk(
        "an empty object first",
        called(piece("{}", "takeAll", index=0, id="a"), piece(HI, index=0)),
        calls=ONE,
        finding="W-15",
    ),
    Quirk(
        "an empty object first, then pieces",
        called(piece("{}", "takeAll", index=0, id="a"), *CONTINUED),
        calls=ONE,
        finding="W-15",
    ),
    Quirk(
        "an empty object first, as an object",
        called(piece({}, "takeAll", index=0, id="a"), piece({"s": "hi"}, index=0)),
        calls=ONE,
        finding="W-15",
    ),
    Quirk(
        "an empty object first, under another index",
        called(piece("{ }", "takeAll", index=0, id="a"), piece(HI, index=1)),
        calls=ONE,
        finding="W-15",
    ),
    Quirk(
        "null first, as a text",
        called(piece("null", "takeAll", index=0, id="a"), piece(HI, index=0)),
        calls=ONE,
        finding="W-15",
    ),
    Quirk(
        "an empty object and the arguments in one piece",
        called(piece("{}" + HI, "takeAll", index=0, id="a")),
        calls=ONE,
        finding="W-15",
    ),
    Quirk(
        "the whole arguments once more at the end",
        called(BEGUN, *CONTINUED, piece(HI, "takeAll", index=0, id="a")),
        calls=ONE,
        finding="W-15",
    ),
    Quirk(
        "each piece repeats what came",
        called(BEGUN, piece('{"s":', index=0), piece('{"s":"h', index=0), piece(HI, index=0)),
        calls=ONE,
        finding="W-45",
    ),
    Quirk(
        "an object in an object that begins as it does",
        called(BEGUN, piece('{"s":', index=0), piece('{"s":1}}', index=0)),
        calls=(("takeAll", '{"s":{"s":1}}'),),
        finding="W-15",
    ),
    Quirk(
        "two different objects",
        called(WHOLE, piece('{"s":"yo"}', index=0, id="a")),
        calls=(("takeAll", HI + '{"s":"yo"}'),),
        finding="W-15",
    ),
    # Names
    Quirk(
        "name in three parts",
        called(piece("", "g", index=0, id="a"), piece("", "et", index=0), piece(HI, "Product", index=0)),
        calls=(("getProduct", HI),),
        finding="I-L8",
    ),
    Quirk(
        "name in two parts, the second one whole",
        called(piece("", "get", index=0, id="a"), piece(HI, "getProduct", index=0)),
        calls=(("getProduct", HI),),
        finding="I-L8",
    ),
    Quirk(
        "name in two parts, without index",
        called(piece(None, "get", id="a"), piece(None, "Product"), piece(HI)),
        calls=(("getProduct", HI),),
        finding="I-L8",
    ),
)
"""Whose fragment is it, and what are its arguments."""
