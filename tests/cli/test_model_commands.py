"""Which models a bridge serves and how its keys show calls, as a user sets it at the command line."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.commands import Ended, run_command, without
from tests.support.models.model_answers import text
from tests.support.models.scripted_provider import KEY, MODELS, ScriptedProvider

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]

SWITCHES = (
    "TOOL_BRIDGE_MODELS",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "TOOL_BRIDGE_ENABLE_STRICT_TOOL_CALLING",
    "TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE",
)
HELLO: Any = {"messages": [{"role": "user", "content": "Hello"}]}


@dataclass(frozen=True)
class Started:
    """A bridge in a process of its own."""

    facts: dict[str, Any]
    http: aiohttp.ClientSession

    async def ask(self, model: str) -> dict[str, Any]:
        url, headers = (
            f"{self.facts['model_url']}/chat/completions",
            {"Authorization": f"Bearer {self.facts['key']}"},
        )
        async with self.http.post(url, json={"model": model, **HELLO}, headers=headers) as response:
            return await response.json()


def command(data: Path, *words: str, switches: Mapping[str, str]) -> Any:
    """The real command on its own data folder, without the switches of whoever runs the tests."""
    environ = {name: value for name, value in os.environ.items() if name not in SWITCHES}
    environ |= {"TOOL_BRIDGE_DATA": str(data), **switches}
    return asyncio.create_subprocess_exec(
        sys.executable, "-m", "bridge", *words, stdout=PIPE, stderr=PIPE, env=environ
    )


async def run(data: Path, *words: str, **switches: str) -> Ended:
    """A command that ends by itself."""
    environ = {**without(*SWITCHES), "TOOL_BRIDGE_DATA": str(data), **switches}
    return await asyncio.to_thread(run_command, *words, environ=environ)


@asynccontextmanager
async def serving(data: Path, *words: str, **switches: str) -> AsyncGenerator[Started]:
    """`tool-bridge serve`, until the block ends."""
    process = await command(data, "serve", "--json", "--port", "0", *words, switches=switches)
    try:
        line = await asyncio.wait_for(process.stdout.readline(), 30)
        async with aiohttp.ClientSession() as http:
            yield Started(json.loads(line), http)
    finally:
        process.send_signal(signal.SIGINT)
        await asyncio.wait_for(process.communicate(), 50)
    assert process.returncode == 0


def models_file(path: Path, provider: ScriptedProvider, model: str) -> str:
    """Write a file with one model of the provider; gives its path."""
    path.write_text(
        f'[[provider]]\nname = "scripted"\nbase_url = "{provider.base_url}"\napi_key_env = "SCRIPTED_KEY"\n'
        f'[[model]]\nid = "{model}"\nprovider = "scripted"\nmodel = "scripted-small"\n',
        encoding="utf-8",
    )
    return str(path)


@pytest.mark.parametrize(
    "place",
    [
        "option",
        pytest.param("switch", marks=pytest.mark.slow),
        pytest.param("folder", marks=pytest.mark.slow),
    ],
)
async def test_what_is_typed_beats_the_switch_and_the_switch_beats_the_data_folder(
    tmp_path: Path, provider: ScriptedProvider, place: str
) -> None:
    """Each place alone is enough; what comes after it is not even read."""
    good, switches = models_file(tmp_path / "good.toml", provider, "small"), {"SCRIPTED_KEY": KEY}
    if place == "folder":
        models_file(tmp_path / "models.toml", provider, "small")
    else:
        (tmp_path / "models.toml").write_text("[[broken", encoding="utf-8")
        switches["TOOL_BRIDGE_MODELS"] = good if place == "switch" else "/no/such/file.toml"
    typed = ["--models", good] if place == "option" else []
    async with serving(tmp_path, *typed, **switches) as bridge:
        assert bridge.facts["models"] == ["small"]
        provider.play(text("Hi."))
        assert (await bridge.ask("small"))["choices"][0]["message"]["content"] == "Hi."
    [asked] = provider.requests
    assert (asked.body["model"], asked.headers["Authorization"]) == ("scripted-small", f"Bearer {KEY}")


async def test_openais_own_switches_name_a_provider(tmp_path: Path, provider: ScriptedProvider) -> None:
    """Another address than OpenAI's is asked by Chat Completions."""
    switches = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": provider.base_url}
    async with serving(tmp_path, **switches) as bridge:
        assert bridge.facts["models"] == list(MODELS)
        provider.play(text("Hi."))
        assert (await bridge.ask("scripted-small"))["choices"][0]["message"]["content"] == "Hi."
    [asked] = provider.requests
    assert (asked.path, asked.headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")


async def test_without_any_of_them_there_is_the_demo_model(tmp_path: Path) -> None:
    """The first run needs no account."""
    async with serving(tmp_path) as bridge:
        assert bridge.facts["models"] == ["demo"]
        assert "CALL" in (await bridge.ask("demo"))["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ('[[provider]]\nname = "main"\n', ["[[provider]] 1 (main)", "`base_url` is missing"]),
        (
            '[[provider]]\nname = "main"\nbase_url = "http://x/v1"\n[[model]]\nid = "a"\n',
            ["[[model]] 1 (a)", "`provider` is missing"],
        ),
        ('[[provider]]\nname = "main"\nbase_url = "http://x/v1"\napi_key = "sk-canary"\n', ["`api_key`"]),
        (
            '[[provider]]\nname = "main"\nbase_url = "http://x/v1"\napi_key_env = "NO_SUCH_KEY"\n',
            ["main", "NO_SUCH_KEY"],
        ),
    ],
)
async def test_a_bad_file_stops_the_start_and_is_named_with_table_and_key(
    tmp_path: Path, toml: str, words: list[str]
) -> None:
    """One line that leads to the place; a key in the file is not repeated."""
    path = tmp_path / "providers.toml"
    path.write_text(toml, encoding="utf-8")
    ended = await run(tmp_path, "serve", "--port", "0", "--models", str(path))
    assert (ended.status, ended.output) == (2, "")
    assert [word for word in words if word not in ended.errors] == []
    assert ended.errors.startswith("tool-bridge: ")
    assert ended.errors.count("\n") == 1
    assert "canary" not in ended.errors


@pytest.mark.parametrize("how", ["switch", "folder"])
async def test_a_bad_file_is_named_wherever_it_was_found(tmp_path: Path, how: str) -> None:
    """Nobody typed its path, so the error has to say it."""
    path = tmp_path / "models.toml"
    path.write_text("[[provider", encoding="utf-8")
    switches = {"TOOL_BRIDGE_MODELS": str(path)} if how == "switch" else {}
    ended = await run(tmp_path / "data" if how == "switch" else tmp_path, "serve", "--port", "0", **switches)
    assert (ended.status, ended.output) == (2, "")
    assert f"{path} is not TOML" in ended.errors


@pytest.mark.parametrize(
    ("switch", "value", "words"),
    [
        ("TOOL_BRIDGE_MODELS", "/no/such/models.toml", "/no/such/models.toml cannot be read"),
        ("OPENAI_BASE_URL", "models.example", "OPENAI_BASE_URL must be an address such as"),
        (
            "TOOL_BRIDGE_ENABLE_STRICT_TOOL_CALLING",
            "perhaps",
            "TOOL_BRIDGE_ENABLE_STRICT_TOOL_CALLING must be true or false",
        ),
    ],
)
async def test_a_switch_that_says_nonsense_stops_the_start(
    tmp_path: Path, switch: str, value: str, words: str
) -> None:
    """The variable is named, since it may have been set far away."""
    ended = await run(tmp_path, "serve", "--port", "0", **{switch: value})
    assert (ended.status, ended.output) == (2, "")
    assert words in ended.errors
    assert "Traceback" not in ended.errors


@pytest.mark.parametrize("shown", ["hidden", "details", "items", None])
async def test_a_key_remembers_how_it_was_made_to_show_calls(tmp_path: Path, shown: str | None) -> None:
    """Made while no bridge runs; without the option the kind of key decides."""
    words = ["--show-calls", shown] if shown else []
    made = json.loads((await run(tmp_path, "key", "--user", "ann", "--json", *words)).output)
    assert set(made) == {"user", "key", "page_url"}
    store = Store.open_store(tmp_path / "bridge.sqlite3")
    users = UserTables(store)
    [kept] = await users.list_keys((await users.ensure_user("ann")).id)
    await store.close()
    assert kept.show_calls == shown


async def test_calls_cannot_be_shown_in_an_unknown_way(tmp_path: Path) -> None:
    """The ways there are stand in the error."""
    ended = await run(tmp_path, "key", "--user", "ann", "--show-calls", "loudly")
    assert ended.status == 2
    assert all(way in ended.errors for way in ("hidden", "details", "items"))
