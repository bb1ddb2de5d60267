"""`python -m bench.model_peer`: a provider that answers at once, in a process of its own; prints its port."""

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

from bench.event_loop import run

Event: TypeAlias = dict[str, Any]

PIECES = 20
"""Deltas of its one answer."""


def main() -> None:
    """Serve until standard input ends."""
    run(_serve())


async def _serve() -> None:
    answers = {
        b"/v1/responses": b"".join(build_stream(response_events(PIECES))),
        b"/v1/chat/completions": b"".join(build_stream(chat_chunks(PIECES))),
    }

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
                await reader.readexactly(length)
                writer.write(answers[head.split(b" ")[1]])
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await asyncio.to_thread(sys.stdin.read)


def build_stream(events: Sequence[Event]) -> list[bytes]:
    """The HTTP response that streams these events: its head, a chunk for each event, its end."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    frames = [f"data: {json.dumps(event)}\n\n".encode() for event in events]
    return [head, *(b"%x\r\n%b\r\n" % (len(frame), frame) for frame in frames), b"0\r\n\r\n"]


def response_events(pieces: int) -> list[Event]:
    """A text in so many pieces, as the Responses API streams it."""
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    delta: Event = {"type": "response.output_text.delta", **place, "delta": "word ", "logprobs": []}
    response: Event = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "output": []}
    return [
        {"type": "response.created", "response": response},
        *[delta] * pieces,
        {"type": "response.completed", "response": {**response, "status": "completed"}},
    ]


def chat_chunks(pieces: int) -> list[Event]:
    """A text in so many pieces, as Chat Completions streams it."""
    head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    delta: Event = {**head, "choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}]}
    end: Event = {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    usage = {"prompt_tokens": 1, "completion_tokens": pieces, "total_tokens": pieces + 1}
    counted: Event = {**head, "choices": [], "usage": usage}
    return [*[delta] * pieces, end, counted]


if __name__ == "__main__":
    main()
