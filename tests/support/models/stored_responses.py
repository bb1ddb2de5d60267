"""What a test does with responses that are kept: wait for their ends, listen to them, read what was said."""

from typing import Any

from openai import AsyncOpenAI

from tests.support.waiting import eventually

ENDED = ("completed", "failed", "incomplete", "cancelled")


async def wait_for_end(client: AsyncOpenAI, response_id: str) -> Any:
    """The response, once polling says that it has ended."""

    async def look() -> Any:
        response = await client.responses.retrieve(response_id)
        return response if response.status in ENDED else None

    return await eventually(look, within_s=20)


async def read_stream(client: AsyncOpenAI, response_id: str, **query: Any) -> list[Any]:
    """The events of a response, to their end."""
    stream = await client.responses.retrieve(response_id, stream=True, **query)
    return [event async for event in stream]


def sequence_numbers(events: list[Any]) -> list[int]:
    return [event.sequence_number for event in events]


def joined_text(events: list[Any]) -> str:
    """The text of all deltas."""
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")
