"""Tools of a turn over an engine in memory."""

import json
from dataclasses import dataclass, field
from typing import Any

from bridge.models.agent.items import Item, ModelCall
from bridge.models.agent.toolbox import CallOutput
from bridge.models.agent.tools.catalog_tools import CatalogTools
from bridge.models.agent.tools.engine_toolbox import CallServices, EngineToolbox, Toolboxes
from bridge.models.agent.turn import TurnRequest, TurnSettings
from tests.support.calls.engine_harness import EngineHarness
from tests.support.models.turn_harness import SETTINGS
from toolserver.json_types import JsonObject, text_at


@dataclass
class FakeFiles:
    """Addresses and bytes of files that exist, by id."""

    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def sign_url(self, file_id: str, content_type: str, filename: str) -> str:
        return f"http://bridge/files/{file_id}"

    async def read_content(self, file_id: str) -> bytes | None:
        return self.contents.get(file_id)


@dataclass
class ToolboxHarness:
    """Makes toolboxes for ann, whose page is there unless a test says otherwise."""

    engine_harness: EngineHarness = field(default_factory=EngineHarness)
    files: FakeFiles = field(default_factory=FakeFiles)
    is_connected: bool = True

    def __post_init__(self) -> None:
        services = CallServices(
            self.engine_harness.engine, lambda: self.engine_harness.controls.limits.now, self.files
        )
        self.toolboxes = Toolboxes(
            CatalogTools(self.engine_harness.registry),
            services,
            self._wait_for_page,
            page_url="http://bridge/",
        )

    async def _wait_for_page(self, _user_id: str) -> bool:
        return self.is_connected

    async def toolbox(
        self, *callers: Any, settings: TurnSettings = SETTINGS, **request: Any
    ) -> EngineToolbox:
        asked = TurnRequest("ann", "turn 1", "gpt", (), caller_tools=callers, **request)
        return await self.toolboxes.toolbox_of_turn(asked, settings)

    async def definitions(self, *callers: Any, settings: TurnSettings = SETTINGS) -> dict[str, JsonObject]:
        """What a model is sent, by name (or type, where there is no name)."""
        toolbox = await self.toolbox(*callers, settings=settings)
        return {text_at(tool, "name") or text_at(tool, "type"): tool for tool in toolbox.definitions}


def call_named(name: str, arguments: object = None, call_id: str = "c1") -> ModelCall:
    """A call as a model writes it; arguments that are a text are sent to the letter."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
    item: Item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": text}
    return ModelCall(call_id, name, text, item)


def output_json(output: CallOutput) -> Any:
    """What the model reads, which is JSON."""
    return json.loads(output.text)
