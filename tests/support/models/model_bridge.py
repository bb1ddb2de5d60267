"""A bridge in front of a scripted provider, and OpenAI's own client in front of the bridge."""

import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from bridge.app.server import Bridge
from bridge.settings.chat.models import ModelsFile, ProviderApi, ProviderSettings
from tests.support.cluster.bridge_pairs import home_url
from tests.support.documents.compiled import document_text
from tests.support.models.scripted_provider import KEY, ScriptedProvider
from tests.support.running_bridge import json_answer, running_bridge

MODEL = "scripted-small"

_TRUST = ssl.create_default_context()
"""What the clients trust, read once: that takes a third of a short test, and no test asks by https."""


def models_file(provider: ScriptedProvider, api: ProviderApi = "responses", **models: Any) -> ModelsFile:
    """Settings that name the provider; its models are those that it lists."""
    settings = ProviderSettings(
        name="scripted", base_url=provider.base_url, api_key_env="SCRIPTED_KEY", api=api
    )
    return ModelsFile(provider=(settings,), **models)


@asynccontextmanager
async def model_bridge(
    folder: Path, provider: ScriptedProvider, api: ProviderApi = "responses", **settings: Any
) -> AsyncGenerator[Bridge]:
    settings.setdefault("models", models_file(provider, api))
    async with running_bridge(folder, environ={"SCRIPTED_KEY": KEY}, **settings) as bridge:
        yield bridge


@asynccontextmanager
async def shop_bridge(
    folder: Path, provider: ScriptedProvider, api: ProviderApi = "responses", **settings: Any
) -> AsyncGenerator[Bridge]:
    """One that offers a small shop to everybody."""
    async with model_bridge(folder, provider, api, **settings) as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        yield bridge


async def products(_call: dict[str, Any]) -> dict[str, Any]:
    """What the shop's API answers in the page, whatever it is asked."""
    return json_answer({"products": ["tea"]})


PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def image_answer(
    bridge: Bridge, http: aiohttp.ClientSession, image: bytes = PNG
) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]:
    """What the page does when the shop's API answers with an image: it uploads it."""

    async def answer(call: dict[str, Any]) -> dict[str, Any]:
        headers = {
            "X-Result-Token": call["bridge"]["result_token"],
            "X-Result-Kind": "file",
            "Content-Type": "image/png",
        }
        url = f"{home_url(bridge.base_url)}/api/calls/{call['id']}/result"
        async with http.put(url, data=image, headers=headers) as response:
            assert response.status < 300
        return {
            "status": "answered",
            "http_status": 200,
            "content_type": "image/png",
            "headers": {"content-type": "image/png"},
            "body": {"kind": "uploaded"},
        }

    return answer


def client_of(bridge: Bridge, *, key: str | None = None, **options: Any) -> AsyncOpenAI:
    """OpenAI's client, unmodified; it tries nothing again unless the test wants that."""
    options = {
        "max_retries": 0,
        "timeout": 20,
        "http_client": DefaultAsyncHttpxClient(verify=_TRUST),
        **options,
    }
    return AsyncOpenAI(base_url=f"{bridge.base_url}/v1", api_key=key or bridge.key, **options)
