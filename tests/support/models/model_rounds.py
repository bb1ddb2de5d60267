"""Rounds of a model, heard to their end."""

from collections.abc import Iterable

from bridge.models.agent.items import Item
from bridge.models.agent.model import ENDINGS, Model, ModelEvent, ModelRequest
from toolserver.json_types import JsonObject, object_at, text_at


async def read_round(model: Model, request: ModelRequest) -> list[ModelEvent]:
    """Every event of one round."""
    return [event async for event in model.stream_round(request)]


def model_request(
    *input: Item, tools: Iterable[JsonObject] = (), **options: JsonObject | str | bool
) -> ModelRequest:
    """What a model is asked, when only this matters."""
    return ModelRequest(model="some-model", input=input, tools=tuple(tools), options={**options})


def function(name: str, description: str = "", **properties: JsonObject) -> JsonObject:
    """A tool in the Responses form; all its properties are required."""
    schema: JsonObject = {"type": "object", "properties": {**properties}, "required": [*properties]}
    return {
        "type": "function",
        "name": name,
        "description": description,
        "parameters": schema,
        "strict": False,
    }


def joined_text(events: Iterable[ModelEvent]) -> str:
    """The text of all deltas."""
    return "".join(
        text_at(event.body, "delta") for event in events if event.type == "response.output_text.delta"
    )


def output_of(events: list[ModelEvent]) -> list[Item]:
    """The items of the round, as its ending has them."""
    assert events[-1].type in ENDINGS
    output = object_at(events[-1].body, "response")["output"]
    assert isinstance(output, list)
    return [item for item in output if isinstance(item, dict)]
