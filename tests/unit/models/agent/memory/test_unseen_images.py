"""Images of tools on their way to a model that does not see."""

import json

import pytest

from bridge.models.agent.items import Item
from bridge.models.agent.memory.replay import Replayed
from bridge.models.agent.memory.unseen_images import UNSEEN, without_unseen_images
from bridge.models.stored_items.items import StoredItem
from tests.support.models.open_webui_history import IMAGES
from toolserver.json_types import JsonObject, JsonValue

IMAGE: JsonObject = {"type": "input_image", "image_url": "data:image/png;base64,AA=="}
WORDS: JsonObject = {"type": "input_text", "text": "A picture."}
NOTE: JsonObject = {"type": "input_text", "text": UNSEEN}


def output(kind: str = "function_call_output") -> Item:
    return {"type": kind, "call_id": "c", "output": [WORDS, IMAGE]}


def said(text: str) -> Item:
    content: list[JsonValue] = [{"type": "input_text", "text": text}, IMAGE]
    return {"type": "message", "role": "user", "content": content}


def stored(model: str) -> Replayed:
    item = output()
    return Replayed(item, StoredItem("i", "ann", "r", 0, "output", model, item, 0.0))


def left(*entries: Replayed, from_open_webui: bool) -> list[bool]:
    """Whether each still has its image."""
    kept = without_unseen_images(entries, "blind", from_open_webui=from_open_webui)
    return ["input_image" in json.dumps(entry.item) for entry in kept]


@pytest.mark.parametrize("kind", ["function_call_output", "custom_tool_call_output"])
def test_words_stand_in_place_of_an_image(kind: str) -> None:
    """Finding I-M2: the model learns that there is one, and its user may have seen it."""
    (entry,) = without_unseen_images([Replayed(output(kind))], "blind", from_open_webui=True)
    assert entry.item["output"] == [WORDS, NOTE]


def test_what_open_webuis_tools_return_was_chosen_by_nobody() -> None:
    """Finding I-M2: neither the output nor the user's message that repeats it; an own picture stays."""
    entries = [Replayed(output()), Replayed(said(IMAGES)), Replayed(said("What is this?"))]
    assert left(*entries, from_open_webui=True) == [False, False, True]


def test_what_a_program_sends_is_meant() -> None:
    """Finding I-M2: it knows its model, of which the bridge may not have been told that it sees."""
    entries = [Replayed(output()), stored("blind"), Replayed(said(IMAGES))]
    assert left(*entries, from_open_webui=False) == [True, True, True]


def test_what_another_model_was_shown_is_not_shown_to_this_one() -> None:
    """Finding I-M2: a chat that goes on with another model brings the images of its tools along."""
    assert left(stored("seer"), from_open_webui=False) == [False]
    assert left(stored("seer"), from_open_webui=True) == [False]
