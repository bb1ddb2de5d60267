"""The models that callers may name, with real providers behind them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bridge.models.agent.demo.model import DemoModel
from bridge.models.agent.model import ModelRequest
from bridge.models.providers.directory import ModelDirectory, UnknownModel
from bridge.models.providers.listed_models import ModelEntry
from bridge.settings.chat.models import ModelSettings, ModelsFile, ModelsFileError, ProviderSettings
from tests.support.models.model_answers import text
from tests.support.models.scripted_provider import (
    KEY,
    Script,
    ScriptedProvider,
    answers,
    fails,
    raw,
    scripted_provider,
)
from toolserver.json_types import JsonObject

JSON = ("Content-Type", "application/json")
ENVIRON = {"TEST_KEY": KEY}


@dataclass
class DirectoryHarness:
    """A book of two providers, `main` and `other`; the time stands still."""

    main: ScriptedProvider
    other: ScriptedProvider
    time: float = 1000.0

    def directory(self, *models: ModelSettings, only_main: bool = False, **changes: object) -> ModelDirectory:
        providers = [
            ProviderSettings(name="main", base_url=self.main.base_url, api_key_env="TEST_KEY"),
            ProviderSettings(name="other", base_url=self.other.base_url, api="chat"),
        ]
        providers[0] = providers[0].model_copy(update=changes)
        file = ModelsFile(provider=tuple(providers[: 1 if only_main else 2]), model=models)
        return ModelDirectory(file, ENVIRON, demo=DemoModel(), clock=lambda: self.time)


@asynccontextmanager
async def scene() -> AsyncGenerator[DirectoryHarness]:
    async with scripted_provider() as main, scripted_provider() as other:
        yield DirectoryHarness(main, other)


async def ids(directory: ModelDirectory) -> list[str]:
    return [entry.id for entry in await directory.list_models()]


async def ask(entry: ModelEntry, options: JsonObject | None = None) -> None:
    request = ModelRequest(entry.id, ({"role": "user", "content": "Hello"},), options=options or {})
    async for _ in entry.model.stream_round(request):
        pass


@pytest.mark.asyncio
async def test_without_a_provider_there_is_the_demo_model() -> None:
    """The first run needs no account."""
    directory = ModelDirectory(ModelsFile(), {}, demo=DemoModel())
    assert await ids(directory) == ["demo"]
    assert (await directory.find_model("demo")).settings.can_call_functions
    with pytest.raises(UnknownModel, match=r"There is no model 'demi' here\. Did you mean demo"):
        await directory.find_model("demi")
    await directory.close_providers()


@pytest.mark.asyncio
async def test_a_named_model_is_asked_under_its_own_name_with_its_options() -> None:
    """S4-09: what a caller says wins over what the file says, member by member."""
    quick = ModelSettings(
        id="quick",
        provider="main",
        model="vendor/quick-2",
        options={"temperature": 0.2, "truncation": "auto", "reasoning": {"effort": "low", "summary": "auto"}},
    )
    async with scene() as now:
        directory = now.directory(quick)
        now.main.play(text("Hi"))
        await ask(await directory.find_model("quick"), {"temperature": 1, "reasoning": {"effort": "high"}})
        [asked] = now.main.requests
        said = {name: asked.body[name] for name in ("model", "temperature", "truncation", "reasoning")}
        assert said == {
            "model": "vendor/quick-2",
            "temperature": 1,
            "truncation": "auto",
            "reasoning": {"effort": "high", "summary": "auto"},
        }
        assert asked.headers["Authorization"] == f"Bearer {KEY}"
        await directory.close_providers()


@pytest.mark.asyncio
async def test_a_provider_without_named_models_offers_what_it_lists() -> None:
    """Names of the file come first; the same name at two providers stays reachable at both."""
    async with scene() as now:
        now.main.models = ["alpha", "quick"]
        now.other.models = ["alpha", "beta"]
        directory = now.directory()
        assert await ids(directory) == ["alpha", "quick", "other/alpha", "beta"]
        now.other.play(text("Hi"))
        await ask(await directory.find_model("other/alpha"))
        assert now.other.requests[0].body["model"] == "alpha"
        assert now.other.requests[0].path == "/v1/chat/completions"
        await directory.close_providers()


@pytest.mark.asyncio
async def test_a_provider_with_named_models_offers_only_those_unless_it_is_told_to() -> None:
    """An operator who names models has chosen."""
    named = ModelSettings(id="scripted-small", provider="main", max_rounds=3)
    async with scene() as now:
        now.other.models = ["beta"]
        directory = now.directory(named)
        assert await ids(directory) == ["scripted-small", "beta"]
        assert now.main.listings == 0
        await directory.close_providers()
        directory = now.directory(named, list_models=True)
        assert await ids(directory) == ["scripted-small", "main/scripted-small", "scripted-large", "beta"]
        assert (await directory.find_model("scripted-small")).settings.max_rounds == 3
        await directory.close_providers()


@pytest.mark.asyncio
async def test_a_list_is_asked_for_once_in_five_minutes() -> None:
    """A page that shows models asks for them all the time; a name that is known costs no question at all."""
    async with scene() as now:
        directory = now.directory(only_main=True)
        await asyncio.gather(*(directory.list_models() for _ in range(5)))
        await directory.find_model("scripted-small")
        assert now.main.listings == 1
        now.time += 300
        await directory.find_model("scripted-small")
        assert now.main.listings == 1
        await directory.list_models()
        assert now.main.listings == 2
        await directory.close_providers()


@pytest.mark.asyncio
async def test_a_list_that_cannot_be_had_takes_nothing_from_the_others() -> None:
    """The last list stays, and the provider is left alone for half a minute."""
    async with scene() as now:
        now.other.models = ["beta"]
        directory = now.directory()
        assert await ids(directory) == ["scripted-small", "scripted-large", "beta"]
        now.time += 300
        now.main.models = fails(503)
        assert await ids(directory) == ["scripted-small", "scripted-large", "beta"]
        assert await ids(directory) == ["scripted-small", "scripted-large", "beta"]
        assert now.main.listings == 2
        now.time += 30
        now.main.models = ["gamma"]
        assert await ids(directory) == ["gamma", "beta"]
        await directory.close_providers()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "listing",
    [
        fails(404),
        fails(401),
        raw(b"nonsense"),
        *(answers(200, body, JSON) for body in (b"nonsense", b"[]", b'{"data": 3}', b"[" * 100_000)),
    ],
)
async def test_where_the_only_provider_lists_nothing_any_name_is_asked_of_it(listing: Script) -> None:
    """Some servers have no list; they know best which models they have."""
    async with scene() as now:
        now.main.models = listing
        directory = now.directory(only_main=True)
        entry = await directory.find_model("whatever")
        assert (entry.upstream_name, entry.owned_by) == ("whatever", "main")
        await directory.close_providers()


@pytest.mark.asyncio
async def test_a_model_may_be_named_by_its_provider() -> None:
    """Lists are not always whole: a model in preview is on none."""
    async with scene() as now:
        directory = now.directory()
        entry = await directory.find_model("main/vendor/preview-1")
        assert (entry.id, entry.upstream_name) == ("main/vendor/preview-1", "vendor/preview-1")
        await directory.close_providers()


@pytest.mark.asyncio
async def test_what_a_protocol_cannot_say_is_known_before_it_is_asked() -> None:
    """S4-15: the caller is told in the answer's head."""
    options: JsonObject = {"truncation": "auto"}
    request = ModelRequest("m", (), None, ({"type": "web_search"},), options, chat_options={"seed": 1})
    async with scene() as now:
        directory = now.directory()
        assert (await directory.find_model("other/beta")).left_out(request) == ("truncation", "tools[0]")
        assert (await directory.find_model("main/alpha")).left_out(request) == ("seed",)
        await directory.close_providers()


@pytest.mark.asyncio
async def test_an_unknown_model_is_told_with_the_nearest_names() -> None:
    """Most unknown names are typing errors."""
    async with scene() as now:
        directory = now.directory()
        with pytest.raises(UnknownModel) as unknown:
            await directory.find_model("scripted-smal")
        assert unknown.value.nearest[0] == "scripted-small"
        assert "Did you mean scripted-small" in str(unknown.value)
        await directory.close_providers()


@pytest.mark.asyncio
async def test_a_missing_key_stops_the_start() -> None:
    """Otherwise the first user would find out."""
    async with scene() as now:
        with pytest.raises(ModelsFileError, match="set the environment variable OTHER_KEY"):
            now.directory(api_key_env="OTHER_KEY")


ODD: JsonObject = {"type": ["integer", "string"]}
TOOL: JsonObject = {
    "type": "function",
    "name": "t",
    "parameters": {"type": "object", "properties": {"n": ODD}},
}


@pytest.mark.asyncio
async def test_a_gateway_is_known_by_the_models_that_are_named() -> None:
    """Finding O-4: a provider whose models the settings name is never asked what it lists."""
    async with scene() as now:
        named = ModelSettings(id="g", provider="main", model="google/gemini-3.5-pro")
        directory = now.directory(named, only_main=True, api="chat")
        now.main.play(text("Hi"))
        entry = await directory.find_model("g")
        request = ModelRequest(entry.id, ({"role": "user", "content": "Hello"},), tools=(TOOL,))
        async for _ in entry.model.stream_round(request):
            pass
        [sent] = now.main.requests[-1].body["tools"]
        assert "anyOf" in sent["function"]["parameters"]["properties"]["n"]
        assert now.main.listings == 0
        await directory.close_providers()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("listed", "dialect", "is_fitted"),
    [
        (["gemini-3.5-pro", "models/gemini-3.5-flash"], None, True),
        (["gemini-3.5-pro", "gpt-5.4"], None, False),
        (["gemini-3.5-pro"], "plain", False),
        (["small"], "gemini", True),
    ],
)
async def test_a_gateway_is_known_by_what_it_lists_unless_its_settings_say_whose_rules_hold(
    listed: list[str], dialect: str | None, *, is_fitted: bool
) -> None:
    """Finding W-4, O-4: chosen by host and a test request, changeable; its address tells nothing."""
    async with scene() as now:
        now.main.models = listed
        directory = now.directory(only_main=True, api="chat", dialect=dialect)
        assert await ids(directory) == sorted(listed)
        entry = await directory.find_model(listed[0])
        now.main.play(text("Hi"))
        request = ModelRequest(entry.id, ({"role": "user", "content": "Hello"},), tools=(TOOL,))
        async for _ in entry.model.stream_round(request):
            pass
        [sent] = now.main.requests[-1].body["tools"]
        assert (sent["function"]["parameters"]["properties"]["n"] != ODD) is is_fitted
        await directory.close_providers()
