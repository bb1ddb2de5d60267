"""Routes of OpenAI's API that the bridge does not have say what it has instead."""

import aiohttp
import pytest

from bridge.app.server import Bridge

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("method", "path", "advice"),
    [
        ("POST", "/v1/embeddings", "makes no embeddings. Ask the provider"),
        ("POST", "/v1/embeddings/", "makes no embeddings. Ask the provider"),
        ("POST", "/v1/completions", "Use POST /v1/chat/completions or POST /v1/responses."),
        ("POST", "/v1/files", "send them within the input, as input_file"),
        ("GET", "/v1/files/file-1/content", "send them within the input, as input_file"),
        ("POST", "/v1/conversations", "by previous_response_id, or use the bridge's own"),
        ("POST", "/v1/threads/t/runs", "with previous_response_id to go on"),
        ("POST", "/v1/audio/speech", "Ask the provider for that."),
        ("POST", "/v1/messages", "Anthropic's. The bridge has POST /v1/chat/completions"),
        ("GET", "/v1", "The bridge has POST /v1/chat/completions, POST /v1/responses and GET /v1/models."),
        ("GET", "/v1/nothing", "The bridge has POST /v1/chat/completions"),
        ("POST", "/v1/v1/chat/completions", "has /v1 twice"),
        ("POST", "/chat/completions", "The base URL of the model API ends with /v1."),
        ("GET", "/models", "The base URL of the model API ends with /v1."),
    ],
)
async def test_a_route_that_is_missing_says_what_there_is_instead(
    bridge: Bridge, http: aiohttp.ClientSession, method: str, path: str, advice: str
) -> None:
    """A caller that reads "Not Found" takes its key or its address for wrong."""
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.request(method, bridge.base_url + path, headers=headers) as response:
        error = (await response.json())["error"]
    assert (response.status, error["code"]) == (404, "not_found")
    assert f"{path.rstrip('/')}: Not Found. " in error["message"]
    assert advice in error["message"]


async def test_what_is_no_route_of_openai_is_given_no_advice(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """And a route that is there says itself what it does not find."""
    async with http.get(f"{bridge.base_url}/nothing") as response:
        assert (await response.json())["error"]["message"] == "GET /nothing: Not Found."
    headers = {"Authorization": f"Bearer {bridge.key}"}
    async with http.get(f"{bridge.base_url}/v1/responses/resp_0", headers=headers) as response:
        assert response.status == 404
        assert "Use POST" not in (await response.json())["error"]["message"]
