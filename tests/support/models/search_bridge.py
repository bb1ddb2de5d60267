"""A bridge whose servers are all searched, and models that search for tools by themselves."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

from bridge.app.server import Bridge
from bridge.catalog.server_view import UserSelection
from bridge.settings.chat.models import ModelSettings, ModelsFile
from tests.support.documents.compiled import document_text, operation
from tests.support.models.model_answers import loaded_call, searches, text
from tests.support.models.model_bridge import client_of, model_bridge, models_file, products
from tests.support.models.scripted_provider import ScriptedProvider
from tests.support.running_bridge import page_of
from toolserver.json_types import JsonObject

SEARCHER, OTHER, PLAIN, KNOWN = "searcher", "other-searcher", "plain", "gpt-5.4-mini"
"""Two models with the setting, one without, and one that is known by its name."""

STOCK = {"query": "list products", "namespace": None}

LOADED = loaded_call("shop", "listProducts", {"limit": 2})

SEARCHED = (searches(STOCK), LOADED, text("Tea."))


def zoo() -> str:
    """A document with 150 operations that a query for animals finds."""
    paths: JsonObject = {f"/animals/{number}": operation(f"animal{number}") for number in range(150)}
    return document_text("Zoo", paths=paths)


def searching_models(provider: ScriptedProvider, *, tool_search: bool | None = True) -> ModelsFile:
    return models_file(
        provider,
        model=(
            ModelSettings(id=SEARCHER, provider="scripted", tool_search=tool_search),
            ModelSettings(id=OTHER, provider="scripted", tool_search=tool_search),
            ModelSettings(id=PLAIN, provider="scripted"),
            ModelSettings(id=KNOWN, provider="scripted"),
        ),
    )


@asynccontextmanager
async def search_bridge(
    folder: Path, provider: ScriptedProvider, *, tool_search: bool | None = True, **settings: Any
) -> AsyncGenerator[Bridge]:
    """One with a shop and a zoo, both accepted by its user, and both searched."""
    settings.setdefault("models", searching_models(provider, tool_search=tool_search))
    async with model_bridge(folder, provider, **settings) as bridge:
        registry, user = bridge.components.registry, bridge.local_user.id
        for named, document in (("shop.json", document_text()), ("zoo.json", zoo())):
            server = await registry.share_document(named, document, source_url=None)
            digests = {each.key: each.digest for each in server.compiled.operations}
            await registry.accept_operations(user, server.record.id, digests)
        await registry.save_selection(user, UserSelection(searched=("shop", "zoo")))
        yield bridge


@asynccontextmanager
async def asked(bridge: Bridge) -> AsyncGenerator[AsyncOpenAI]:
    """A client of the user, whose page is open."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(page_of(bridge, bridge.local_user.id, products))
        yield await stack.enter_async_context(client_of(bridge))


async def answer(client: AsyncOpenAI, *, streams: bool = False, **asking: Any) -> Any:
    """The response to a request, read in either way."""
    asking.setdefault("model", SEARCHER)
    if not streams:
        create: Any = client.responses.create
        return await create(**asking)
    async with client.responses.stream(**asking) as stream:
        return await stream.get_final_response()


def sent(provider: ScriptedProvider, number: int) -> dict[str, Any]:
    """The body of the request with that number."""
    return provider.requests[number].body


def names_of(tools: list[Any]) -> list[str]:
    """Names of tools, or their types where they have none."""
    return [tool.get("name") or tool["type"] for tool in tools]


def loaded_names(output: dict[str, Any]) -> dict[str, list[str]]:
    """What a `tool_search_output` loads, by namespace."""
    return {group["name"]: names_of(group["tools"]) for group in output["tools"]}
