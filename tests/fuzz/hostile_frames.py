"""WebSocket frames that are almost right, or not at all; the same source gives the same bytes."""

import json
import struct
from random import Random
from typing import Any

from bridge.browsers.socket_frames import PAGE_EVENTS
from tests.fuzz.hostile_http import scrambled
from tests.fuzz.vocabulary import EVENTS, FRAME_MEMBERS, FRAME_TEXTS, PREFIXES, SCALARS

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def masked(opcode: int, payload: bytes, source: Random, *, is_final: bool = True) -> bytes:
    """A frame as a client sends it (RFC 6455, 5.2)."""
    head = bytes([opcode | (0x80 if is_final else 0)])
    length = len(payload)
    if length < 126:
        head += bytes([0x80 | length])
    elif length < 1 << 16:
        head += b"\xfe" + struct.pack(">H", length)
    else:
        head += b"\xff" + struct.pack(">Q", length)
    mask = source.randbytes(4)
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


def hostile_frame(source: Random) -> bytes:
    """Anything; mostly what no page sends."""
    if source.random() < 0.5:
        return fitting_frame(source)
    payload = scrambled(_text(source).encode("utf-8", "surrogatepass"), source)
    opcode = source.choice([TEXT, TEXT, TEXT, BINARY, CLOSE, PING, PONG, 0, 3, 11])
    frame = masked(opcode, payload, source, is_final=source.random() < 0.9)
    return scrambled(frame, source) if source.random() < 0.2 else frame


def fitting_frame(source: Random) -> bytes:
    """A readable frame of an event that pages send, with whatever in it: it reaches the handlers."""
    ack = source.choice(["", "", "0", "17"])
    said = [source.choice(sorted(PAGE_EVENTS)), _value(source, 3)]
    return masked(TEXT, f"42{ack}{json.dumps(said)}".encode(), source)


def odd_hello(source: Random) -> dict[str, Any]:
    """What the connection of a page that is somebody's says beside its token: some have a handshake in it."""
    return {"hello": _value(source, 3)} if source.random() < 0.5 else {}


def _text(source: Random) -> str:
    said = json.dumps([source.choice(EVENTS), *(_value(source, 2) for _ in range(source.randrange(3)))])
    return source.choice(PREFIXES) + source.choice([said, said, said, "", "{}", "[", "{", "/admin," + said])


def _value(source: Random, depth: int) -> Any:
    if depth == 0 or source.random() < 0.3:
        return source.choice([*SCALARS, *FRAME_TEXTS, "x" * 5_000])
    if source.random() < 0.15:
        return [_value(source, depth - 1) for _ in range(source.randrange(4))]
    return {source.choice(FRAME_MEMBERS): _value(source, depth - 1) for _ in range(source.randrange(7))}
