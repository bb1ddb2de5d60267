"""The tools of one turn: what the model is offered, and who runs each.

Order: shared servers (the registry), the user's own servers (direct), then the caller's. The caller's names
are the caller's word and stay; a tool of the bridge whose name is taken gets its server's id before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bridge.agent.items import Item, ModelCall
from bridge.agent.turn import Notice
from toolserver.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class BridgeTool:
    """A tool that the bridge runs."""

    offered_name: str
    """What the model calls it."""
    name: str
    """What the engine calls it."""
    title: str
    """For people."""
    definition: JsonObject
    """In the Responses form: `type`, `name`, `description`, `parameters`, `strict`."""
    schema: JsonObject
    """Of the arguments, as the document has them; a strict definition says less."""
    server_id: str | None = None
    """None: a tool of the bridge itself."""


@dataclass(frozen=True, slots=True)
class CallOutput:
    """What the model reads of one call."""

    text: str
    has_succeeded: bool
    parts: tuple[JsonObject, ...] = ()
    """Content parts besides the text, such as `input_image`."""
    files: tuple[JsonObject, ...] = ()
    """Images and files for the user: `{"type", "url", "mime"}`."""
    is_left_alone: bool = False
    """Not tried: its breaker is open."""
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    """Of models that the call itself asked."""


class LocalTool(Protocol):
    """A tool of the bridge that needs no engine, such as a sub-query."""

    @property
    def tool(self) -> BridgeTool:
        """What it is."""
        ...

    async def run_call(self, call: ModelCall, input: Sequence[Item]) -> CallOutput:
        """Run one call to its end; wrong arguments have an output, too. `input`: see `Toolbox.run_calls`."""
        ...


class Toolbox(Protocol):
    """The tools of one turn, ready to run."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user should know about tools that are missing."""
        ...

    @property
    def definitions(self) -> tuple[JsonObject, ...]:
        """What the model is sent, in order, in the Responses form; no two functions have the same name."""
        ...

    def find_own_tool(self, name: str) -> BridgeTool | None:
        """The bridge's tool of an offered name."""
        ...

    def is_callers(self, name: str) -> bool:
        """Whether the caller runs the tool of that name."""
        ...

    async def run_calls(self, calls: Sequence[ModelCall], input: Sequence[Item]) -> list[CallOutput]:
        """Run one round's calls together; one output each, in their order. Raises only when cancelled.

        `input`: what the model had read when it made them. Unknown names and broken arguments have outputs.
        """
        ...
