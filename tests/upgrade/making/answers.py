"""Answers of models that are kept: chats with markers, responses, conversations with branches and calls."""

from dataclasses import dataclass
from typing import Any

from tests.support.models.model_answers import Answer, calls, reasoning, text
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.waiting import eventually
from tests.upgrade.making.people import Cast
from tests.upgrade.observed import conversation_seen, events_seen, timeless
from tests.upgrade.program import Program

Json = dict[str, Any]

MODEL = "scripted-small"
AGAIN = "And what else?"
SETTINGS: Json = {
    "description": "About tea.",
    "system_prompt": "Be kind.",
    "model": MODEL,
    "max_tokens": 9000,
    "max_messages": 50,
    "context": ["It is spring."],
    "tools": "accepted",
}


@dataclass
class Answers:
    """Everything of one phase: what is kept in it says so."""

    cast: Cast
    provider: ScriptedProvider
    phase: str
    """Such as "plain"; it stands in every text."""

    @property
    def sent(self) -> list[Json]:
        """What the provider was given last."""
        return self.provider.requests[-1].body["input"]

    def look(self, tool: str) -> tuple[Answer, Answer]:
        """A round that thinks and calls, and one that answers."""
        thought = reasoning(f"A thought of the {self.phase} phase.")
        return thought + calls((tool, {"limit": 2})), text(f"Tea and coffee, {self.phase}.")

    async def chat(self, key: str, tool: str, **headers: str) -> Json:
        """A chat of two turns, whose client keeps texts; gives it, and what the model was given last."""
        program, question = (
            self.cast.program(key),
            {"role": "user", "content": f"What is there? ({self.phase})"},
        )
        given = {"X-Tool-Bridge-Markers": "link", "X-Session-Id": f"chat {self.phase}", **headers}
        self.provider.play(*self.look(tool), text("A lamp."))
        answer = await self._completed(program, [question], given)
        messages = [question, {"role": "assistant", "content": answer}, {"role": "user", "content": AGAIN}]
        await self._completed(program, messages, given)
        return {"key": key, "headers": given, "messages": messages, "replayed": self.sent}

    async def response(self, key: str, tool: str) -> Json:
        """A response, and one that goes on from it."""
        program = self.cast.program(key)
        self.provider.play(*self.look(tool), text(f"A lamp, {self.phase}."))
        asked = {"model": MODEL, "input": f"What is there? ({self.phase})", "instructions": "Be brief."}
        first = await _posted(program, "/v1/responses", asked)
        asked = {"model": MODEL, "input": AGAIN, "previous_response_id": first["id"]}
        second = await _posted(program, "/v1/responses", asked)
        path = f"/v1/responses/{second['id']}"
        inputs = (await program.get(f"{path}/input_items?order=asc&limit=100"))["data"]
        return {"key": key, "id": second["id"], "object": timeless(await program.get(path)),
                "input_items": inputs, "output": second["output"], "given": self.sent}  # fmt: skip

    async def background(self, key: str) -> Json:
        """A response that was made without its caller, with the events that whoever comes later is told."""
        program = self.cast.program(key)
        self.provider.play(text("Made ", "alone ", f"({self.phase})."))
        asked = {"model": MODEL, "input": "Count the lamps.", "background": True}
        begun = await _posted(program, "/v1/responses", asked)
        path = f"/v1/responses/{begun['id']}"

        async def has_ended() -> bool:
            return (await program.get(path))["status"] == "completed"

        await eventually(has_ended, within_s=20)
        return {"key": key, "id": begun["id"], "events": await events_seen(program, path)}

    async def conversation(self, key: str) -> Json:
        """A conversation with a call, one that failed, and branches; one was answered after it was added."""
        program, settings = self.cast.program(key), SETTINGS | {"title": f"Tea ({self.phase})"}
        path = f"/conversations/{(await _posted(program, '/conversations', settings))['conversation']['id']}"
        looking, answering = self.look("corner-shop_listProducts")
        failing = calls(("addProduct", {"name": "broken"}))
        self.provider.play(looking, failing, answering, text("Hello, again."), text("You have tea."))
        said = await _posted(program, f"{path}/chat", {"content": f"What is there? ({self.phase})"})
        edited = f"{path}/messages/{said['user_message']['id']}"
        status, _ = await program.ask("PATCH", edited, {"content": "What was there?"})
        assert status == 201
        await _posted(program, f"{path}/chat", {"content": None})
        await program.ask("PATCH", path, {"head_id": said["assistant_message"]["id"]})
        await _posted(program, f"{path}/messages", {"role": "user", "content": "What do I have?"})
        await _posted(program, f"{path}/chat", {"content": None})
        return {"key": key, "path": path, "given": self.sent, **await conversation_seen(program, path)}

    async def _completed(self, program: Program, messages: list[Json], headers: dict[str, str]) -> str:
        body = {"model": MODEL, "messages": messages}
        status, answer = await program.ask("POST", "/v1/chat/completions", body, **headers)
        assert status == 200, answer
        return answer["choices"][0]["message"]["content"]


async def _posted(program: Program, path: str, body: Json) -> Any:
    status, answer = await program.ask("POST", path, body)
    assert status in (200, 201), answer
    return answer
