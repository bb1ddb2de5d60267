"""A client of the bridge: its models, and the events of a response."""

import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass

import aiohttp

from plugins.open_webui.source.json_values import Json, as_objects

OK = 200
CONNECT_S = 30
LIST_S = 10
"""Seconds for the list of models, for which Open WebUI's own list waits."""
SILENCE_S = 120
"""Seconds of silence after which the bridge counts as gone; it sends something every 15 s."""

ENDINGS = ("response.completed", "response.incomplete", "response.failed")


class BridgeFailure(Exception):
    """Why there is no answer; the message is for the user."""


@dataclass(frozen=True)
class Bridge:
    """A running bridge, and the headers that identify the user."""

    url: str
    headers: Mapping[str, str]

    async def models(self) -> list[Json]:
        """The models of the bridge."""
        async with self._asking(LIST_S) as session, session.get(f"{self.url}/v1/models") as answer:
            if answer.status != OK:
                raise BridgeFailure(_refusal(answer.status, await answer.text()))
            return [model for model in as_objects((await answer.json())["data"]) if model.get("id")]

    async def events(self, body: Json, headers: Mapping[str, str]) -> AsyncGenerator[Json]:
        """The events of a response. Closing it closes the connection, which cancels the response."""
        address = f"{self.url}/v1/responses"
        try:
            async with (
                self._asking(None) as session,
                session.post(address, json={**body, "stream": True}, headers=headers) as answer,
            ):
                if answer.status != OK:
                    raise BridgeFailure(_refusal(answer.status, await answer.text()))
                async for event in _events_of(answer.content):
                    yield event
        except TimeoutError:
            raise BridgeFailure(f"The bridge at {self.url} stopped answering.") from None
        except aiohttp.ClientError as error:
            message = (
                f"The bridge at {self.url} does not answer. Is it running, and can Open WebUI reach it there?"
            )
            raise BridgeFailure(message) from error

    def _asking(self, seconds: float | None) -> aiohttp.ClientSession:
        timeout = aiohttp.ClientTimeout(total=seconds, sock_connect=CONNECT_S, sock_read=SILENCE_S)
        return aiohttp.ClientSession(timeout=timeout, headers=self.headers)


async def _events_of(content: aiohttp.StreamReader) -> AsyncGenerator[Json]:
    buffer = b""
    async for chunk in content.iter_any():
        buffer += chunk
        if b"\n\n" in buffer[-len(chunk) - 1 :]:
            *frames, buffer = buffer.split(b"\n\n")
            for event in filter(None, map(_event_of, frames)):
                yield event


def _event_of(frame: bytes) -> Json | None:
    lines = [line[5:].strip() for line in frame.splitlines() if line.startswith(b"data:")]
    return json.loads(b"\n".join(lines)) if lines and lines != [b"[DONE]"] else None


def _refusal(status: int, text: str) -> str:
    try:
        message = json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        message = text[:300] or "no reason was given"
    return f"The bridge answered with {status}: {message}"
