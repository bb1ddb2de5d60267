"""An image that an API gives to the user's browser, on its way to a model and to the user."""

import base64
import json
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.settings.chat.models import ModelSettings
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import MODEL, PNG, client_of, image_answer, models_file, shop_bridge
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of

pytestmark = pytest.mark.asyncio


async def ask(
    folder: Path, provider: ScriptedProvider, *, sees_images: bool, http: aiohttp.ClientSession
) -> Any:
    """The output of the one call, as the model reads it in its second round; and what the user can open."""
    named = ModelSettings(id="seer", provider="scripted", model=MODEL, sees_images=sees_images)
    async with shop_bridge(folder, provider, models=models_file(provider, model=(named,))) as bridge:
        answer = image_answer(bridge, http)
        provider.play(calls(("listProducts", {})), text("A cat."))
        async with page_of(bridge, bridge.local_user.id, answer), client_of(bridge) as client:
            await client.responses.create(model="seer", input="Show me.")
        output = provider.requests[1].body["input"][-1]["output"]
        words = output if isinstance(output, str) else output[0]["text"]
        async with http.get(json.loads(words)["file"]["url"]) as response:
            assert await response.read() == PNG
        return output


async def test_a_model_that_sees_gets_the_image_itself(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-118: no provider can reach the bridge's own address; the user can."""
    async with aiohttp.ClientSession() as http:
        output = await ask(tmp_path, provider, sees_images=True, http=http)
    assert output[1]["image_url"] == f"data:image/png;base64,{base64.b64encode(PNG).decode()}"


async def test_any_other_model_gets_words(tmp_path: Path, provider: ScriptedProvider) -> None:
    """S0-118: a provider refuses a whole request for an image that its model cannot read."""
    async with aiohttp.ClientSession() as http:
        output = await ask(tmp_path, provider, sees_images=False, http=http)
    assert json.loads(output)["text"] == "listProducts: Image file read successfully."
