"""The tools of one turn: what the model is offered, and who runs each.

Order: shared servers (the registry), the user's own servers (direct), then the caller's. The caller's names
are never changed; a tool of the bridge whose name is taken gets its server's id as a prefix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bridge.models.agent.items import Item, ModelCall, output_item, search_output
from bridge.models.agent.turn import CallFile, Notice
from toolserver.json_types import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class BridgeTool:
    """A tool that the bridge runs."""

    offered_name: str
    """Name by which the model calls the tool."""
    name: str
    """Name by which the engine knows the tool."""
    title: str
    """Title for people."""
    definition: JsonObject
    """Definition in the Responses form: `type`, `name`, `description`, `parameters`, `strict`."""
    schema: JsonObject
    """Schema of the arguments as the document has it; a strict definition says less."""
    server_id: str | None = None
    """Id of the tool's server; None: a tool of the bridge itself."""
    is_safe: bool = False
    """Whether a call changes nothing, as the operation's method says; False where nobody knows."""
    examples: tuple[JsonObject, ...] = ()
    """Arguments of calls that fit the schema, for providers that take examples."""


@dataclass(frozen=True, slots=True)
class CallOutput:
    """The output of one call, as the model reads it."""

    text: str
    has_succeeded: bool
    parts: tuple[JsonObject, ...] = ()
    """Content parts besides the text, such as `input_image`."""
    files: tuple[CallFile, ...] = ()
    is_breaker_open: bool = False
    """Whether the call was skipped because its circuit breaker is open."""
    loaded: tuple[JsonObject, ...] = ()
    """Of a tool search: namespaces with functions, which the model reads, and not `text`."""
    usage: JsonObject = field(default_factory=dict[str, JsonValue])
    """Usage of models that the call itself queried."""


def item_of_output(call: ModelCall, output: CallOutput) -> Item:
    """Build the item by which a model reads the output of a call."""
    if call.is_search:
        return search_output(call.call_id, output.loaded)
    parts: list[JsonObject] = [{"type": "input_text", "text": output.text}, *output.parts]
    return output_item(call.call_id, parts if output.parts else output.text)


class LocalTool(Protocol):
    """A tool of the bridge that needs no engine, such as a sub-query."""

    @property
    def tool(self) -> BridgeTool:
        """The tool's definition."""
        ...

    async def run_call(self, call: ModelCall, input: Sequence[Item]) -> CallOutput:
        """Run one call to its end; wrong arguments yield an output, too. `input`: see `Toolbox.run_calls`."""
        ...


class Toolbox(Protocol):
    """The tools of one turn, ready to run."""

    @property
    def notices(self) -> tuple[Notice, ...]:
        """Notices to the user about tools that are missing."""
        ...

    @property
    def definitions(self) -> tuple[JsonObject, ...]:
        """Definitions sent to the model, in order, in the Responses form; no two functions share a name."""
        ...

    def find_own_tool(self, name: str) -> BridgeTool | None:
        """Return the bridge's tool with an offered name; None when there is none."""
        ...

    def find_tool_of(self, call: ModelCall) -> BridgeTool | None:
        """Return the bridge's tool that a call is meant for; None: there is none, or it is the caller's."""
        ...

    def is_offered(self, name: str) -> bool:
        """Return whether a function of that name, in no namespace, is the bridge's or the caller's."""
        ...

    def is_callers(self, call: ModelCall) -> bool:
        """Return whether the caller runs a function call or a tool search."""
        ...

    async def run_calls(self, calls: Sequence[ModelCall], input: Sequence[Item]) -> list[CallOutput]:
        """Run one round's calls together; one output each, in their order. Raises only when cancelled.

        `input`: what the model had read when it made them. Unknown names and broken arguments have outputs,
        and so have calls in doubt (`ModelCall.is_in_doubt`) that may change something: they are not run.
        """
        ...
