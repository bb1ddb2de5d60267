"""Odd streams of a provider, to the API itself: what arrives there is what the model meant."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from openai import AsyncOpenAI
from playwright.async_api import Browser

from tests.browser.browser_harness import open_harness
from tests.support.chromium import accept_selection
from tests.support.documents.compiled import document_text
from tests.support.models.model_answers import text
from tests.support.models.model_bridge import MODEL, client_of, models_file
from tests.support.models.provider_quirks import QUIRK_PATHS
from tests.support.models.reported_quirks import CHAT_QUIRKS
from tests.support.models.scripted_provider import KEY, ScriptedProvider, answers, scripted_provider
from tests.support.recording_api import RecordingApi, run_recording_api

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Harness = tuple[ScriptedProvider, RecordingApi, AsyncOpenAI]
QUIRKS = {quirk.name: quirk for quirk in CHAT_QUIRKS}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def harness(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Harness]:
    folder: Path = tmp_path_factory.mktemp("odd")
    async with scripted_provider() as provider, run_recording_api() as api:
        models = {"models": models_file(provider, "chat"), "environ": {"SCRIPTED_KEY": KEY}}
        async with open_harness(chromium, folder, [], approve="all", **models) as scene:
            document = document_text(paths=QUIRK_PATHS, server=api.url)
            server = await scene.bridge.components.registry.share_document("odd", document, source_url=None)
            await accept_selection(await scene.open_page(), server.record.id)
            async with client_of(scene.bridge) as client:
                yield provider, api, client


@pytest.mark.parametrize(
    ("name", "bodies"),
    [
        ("continued under other indexes", ['{"s":"hi"}']),
        ("two calls continued under other indexes", ['{"s":"hi"}', '{"s":"yo"}']),
        ("a second call after a finish reason", ['{"s":"hi"}', '{"s":"yo"}']),
        ("an empty object first, then pieces", ['{"s":"hi"}']),
        ("one JSON answer with a call", ['{"s":"hi"}']),
        ("two calls that lack arguments, one fragment of an unknown index", []),
        ("a fragment after all calls are whole", []),
    ],
)
async def test_a_post_leaves_with_its_arguments_or_not_at_all(
    harness: Harness, name: str, bodies: list[str]
) -> None:
    """Finding W-1, W-12, W-13, W-15: the POST left the browser without the arguments of the model."""
    provider, api, client = harness
    api.requests.clear()
    quirk = QUIRKS[name]
    provider.play(answers(200, quirk.answer, *quirk.headers), text("Done."))
    response = await client.responses.create(model=MODEL, input="Hi")
    assert response.output_text == "Done."
    assert {(request.method, request.target) for request in api.requests} <= {("POST", "/t")}
    assert sorted((json.loads(request.body) for request in api.requests), key=str) == [
        json.loads(body) for body in bodies
    ]
