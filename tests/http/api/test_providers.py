"""Providers of models that users set up in the page: used, changed, shared, and what is refused."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from bridge.app.server import Bridge
from bridge.settings.chat.models import ProviderSettings
from bridge.settings.chat.user_providers import MAX_PROVIDERS, UserProvider
from bridge.settings.storage import StorageSettings
from bridge.storage.accounts.account_tables import AccountTables
from bridge.storage.chat.model_providers import ModelProviderTable, place_of_provider
from bridge.storage.encryption import Encrypted, Encryption
from bridge.storage.store import Store
from bridge.storage.users import UserTables
from tests.support.audit_entries import told_in
from tests.support.documents.compiled import document_text, paths_with_odd_tool
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import model_bridge
from tests.support.models.scripted_provider import ScriptedProvider, answers, fails, scripted_provider
from tests.support.running_bridge import FakePage, pair_browser, running_bridge
from tests.support.stores.databases import Where, execute

pytestmark = pytest.mark.asyncio

KEY = "sk-of-the-page"


@pytest_asyncio.fixture
async def provider() -> AsyncIterator[ScriptedProvider]:
    async with scripted_provider() as running:
        yield running


async def page_of_user(bridge: Bridge, http: aiohttp.ClientSession, name: str) -> FakePage:
    user = bridge.local_user if name == "local" else await bridge.components.users.ensure_user(name)
    page = await pair_browser(bridge.base_url, http, await bridge.components.users.add_ticket(user.id))
    await page.open_session()
    return page


@pytest_asyncio.fixture
async def page(bridge: Bridge, http: aiohttp.ClientSession) -> FakePage:
    return await page_of_user(bridge, http, "local")


async def models_of(page: FakePage) -> list[str]:
    return [model["id"] for model in (await page.get("/v1/models"))["data"]]


@pytest.mark.parametrize(
    ("address", "api"),
    [
        ("https://api.openai.com/v1", "responses"),
        ("https://api.anthropic.com/v1/", "messages"),
        ("https://openrouter.ai/api/v1", "chat"),
    ],
)
async def test_the_protocol_is_that_of_the_address_unless_it_is_chosen(
    page: FakePage, address: str, api: str
) -> None:
    """Issue 42: Anthropic's own address speaks its Messages API; a gateway may, too."""
    wanted = {"base_url": address, "key": KEY}
    _, kept = await page.request("PUT", "/api/providers/one", wanted)
    _, chosen = await page.request("PUT", "/api/providers/two", {**wanted, "api": "messages"})
    assert (kept["api"], chosen["api"]) == (api, "messages")


async def test_a_test_says_whose_rules_hold_and_which_tools_change(
    bridge: Bridge, page: FakePage, provider: ScriptedProvider
) -> None:
    """Issue 42: a dialect chosen by a test request; the page says which tools change and how."""
    odd = document_text(paths=paths_with_odd_tool())
    await bridge.components.registry.share_document("odd.json", odd, source_url=None)
    await page.accept_everything()
    wanted = {"base_url": provider.base_url, "key": KEY}
    provider.models = ["google/gemini-3-pro", "gemini-3-flash"]
    found = await page.post("/api/providers/test", wanted)
    assert (found["dialect"], found["tools"] >= 3) == ("gemini", True)
    kinds = {each["name"]: [change["kind"] for change in each["changes"]] for each in found["changed_tools"]}
    assert kinds["2fa"] == ["name", "types", "keywords"]
    assert "getA" not in kinds
    chosen = await page.post("/api/providers/test", {**wanted, "dialect": "plain"})
    assert (chosen["dialect"], chosen["changed_tools"]) == (None, [])
    provider.models = ["small", "gemini-3-flash"]
    mixed = await page.post("/api/providers/test", wanted)
    assert (mixed["dialect"], mixed["changed_tools"]) == (None, [])


async def test_a_provider_is_tested_stored_and_answers_in_a_chat(
    bridge: Bridge, page: FakePage, provider: ScriptedProvider
) -> None:
    """Its key comes in once and never goes out: not to the page, the audit log or the database."""
    provider.models = ["small", "large"]
    wanted = {"base_url": provider.base_url, "key": KEY}
    assert await models_of(page) == ["demo"]
    assert (await page.post("/api/providers/test", wanted))["models"] == ["small", "large"]
    assert await models_of(page) == ["demo"]
    status, saved = await page.request("PUT", "/api/providers/mine", {**wanted, "models": ["large", "tiny"]})
    assert (status, saved["has_key"], saved["api"], saved["source"]) == (200, True, "chat", "own")
    assert await models_of(page) == ["large", "tiny"]
    made = await page.post("/conversations", {"title": "x", "model": "large"})
    provider.play(text("Hello."))
    ended = await page.post(f"/conversations/{made['conversation']['id']}/chat", {"content": "Hi"})
    assert ended["assistant_message"]["content"] == "Hello."
    asked = provider.requests[-1]
    assert (asked.path, asked.headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    listed = await page.get("/api/providers")
    (entry,) = [e for e in (await page.get("/api/audit"))["entries"] if e["kind"] == "settings"]
    assert told_in(entry)["provider"] == "mine"
    assert KEY not in json.dumps([saved, listed, entry])


async def test_a_key_stays_with_the_server_that_it_was_entered_for(
    page: FakePage, provider: ScriptedProvider
) -> None:
    """Whoever may change an address must not be able to have the key sent there."""
    await page.request("PUT", "/api/providers/mine", {"base_url": provider.base_url, "key": KEY})
    again = {"base_url": f"{provider.base_url}/", "models": ["small"]}
    assert (await page.request("PUT", "/api/providers/mine", again))[1]["has_key"]
    moved = {"base_url": "http://127.0.0.1:9/v1", "name": "mine"}
    for method, path in (("PUT", "/api/providers/mine"), ("POST", "/api/providers/test")):
        status, refused = await page.request(method, path, moved)
        assert (status, refused["error"]["detail"]["field"]) == (400, "key")
    status, freed = await page.request("PUT", "/api/providers/mine", {**moved, "key": ""})
    assert (status, freed["has_key"]) == (200, False)


async def test_what_it_takes_is_stored_with_a_provider_and_holds_for_its_requests(
    bridge: Bridge, page: FakePage, provider: ScriptedProvider
) -> None:
    """Finding W-4, W-40: a user knows the gateway, and its address tells nothing."""
    plain = {"base_url": provider.base_url, "models": ["small"]}
    assert (await page.request("PUT", "/api/providers/mine", plain))[1]["strict_tools"] is None
    wanted = {**plain, "strict_tools": False, "max_description_chars": 100, "tool_search": False}
    _, saved = await page.request("PUT", "/api/providers/mine", wanted)
    assert (saved["strict_tools"], saved["max_description_chars"]) == (False, 100)
    assert saved["tool_search"] is False
    [listed] = (await page.get("/api/providers"))["providers"]
    assert listed == saved
    provider.play(text("Hello."))
    tool = {"name": "t", "description": "It says. " * 50, "parameters": {"type": "object"}, "strict": True}
    tools = [{"type": "function", "function": tool}]
    asked = {"model": "small", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    await page.post("/v1/chat/completions", asked)
    function = provider.requests[-1].body["tools"][0]["function"]
    assert "strict" not in function
    assert len(function["description"]) <= 100
    status, _ = await page.request("PUT", "/api/providers/mine", {**wanted, "max_description_chars": 99})
    assert status == 400


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://169.254.169.254/v1", "Azure"),
        ("http://169.254.1.1/v1", "link-local"),
        ("http://[fe80::1]/v1", "link-local"),
        ("http://[::ffff:169.254.169.254]/v1", "Azure"),
        ("http://metadata.google.internal/v1", "metadata"),
    ],
)
async def test_nothing_is_sent_to_metadata_or_link_local_addresses(
    page: FakePage, url: str, reason: str
) -> None:
    """Not even for whoever started the bridge."""
    status, refused = await page.request("POST", "/api/providers/test", {"base_url": url, "key": KEY})
    assert (status, refused["error"]["code"]) == (502, "model_failed")
    assert reason in refused["error"]["message"]
    assert KEY not in json.dumps(refused)


async def test_other_users_reach_public_addresses_alone(
    bridge: Bridge, http: aiohttp.ClientSession, provider: ScriptedProvider
) -> None:
    """A user's provider must not become a way into the bridge's own network, stored or not."""
    ann = await page_of_user(bridge, http, "ann")
    for host in ("127.0.0.1", "localhost"):
        wanted = {"base_url": provider.base_url.replace("127.0.0.1", host), "key": KEY}
        status, refused = await ann.request("POST", "/api/providers/test", wanted)
        assert (status, refused["error"]["code"]) == (502, "model_failed")
        assert "not a public address" in refused["error"]["message"]
    await ann.request("PUT", "/api/providers/mine", wanted)
    assert await models_of(ann) == ["demo"]
    assert provider.listings == 0


async def test_a_redirect_is_not_followed(page: FakePage, provider: ScriptedProvider) -> None:
    """It would lead to an address that nobody entered."""
    provider.models = answers(307, b"", ("Location", "http://127.0.0.1:1/v1/models"))
    status, refused = await page.request("POST", "/api/providers/test", {"base_url": provider.base_url})
    assert (status, refused["error"]["code"]) == (502, "model_failed")


async def test_a_provider_is_its_users_own_unless_the_operator_shares_it(
    bridge: Bridge, http: aiohttp.ClientSession, page: FakePage, provider: ScriptedProvider
) -> None:
    """Others see its name and its models, not where it is."""
    provider.models = ["small"]
    wanted = {"base_url": provider.base_url, "key": KEY, "models": ["small"]}
    await page.request("PUT", "/api/providers/mine", wanted)
    ann = await page_of_user(bridge, http, "ann")
    assert (await ann.get("/api/providers"))["providers"] == []
    assert await models_of(ann) == ["demo"]
    await page.request("PUT", "/api/providers/mine", {**wanted, "key": None, "shared": True})
    (seen,) = (await ann.get("/api/providers"))["providers"]
    assert (seen["name"], seen["source"], seen["base_url"], seen["has_key"]) == ("mine", "shared", "", True)
    assert await models_of(ann) == ["small"]
    assert (await ann.request("DELETE", "/api/providers/mine"))[0] == 404
    status, refused = await ann.request("PUT", "/api/providers/hers", {**wanted, "shared": True})
    assert (status, refused["error"]["code"]) == (403, "operator_only")


async def test_equal_names_are_told_apart_and_removed_ones_are_gone(
    page: FakePage, provider: ScriptedProvider
) -> None:
    """The later of two models gets its provider's name as a prefix."""
    provider.models = ["small"]
    for name in ("a", "b"):
        await page.request("PUT", f"/api/providers/{name}", {"base_url": provider.base_url, "key": name})
    assert await models_of(page) == ["small", "b/small"]
    made = await page.post("/conversations", {"title": "x", "model": "b/small"})
    provider.play(text("Hello."))
    await page.post(f"/conversations/{made['conversation']['id']}/chat", {"content": "Hi"})
    asked = provider.requests[-1]
    assert (asked.body["model"], asked.headers["Authorization"]) == ("small", "Bearer b")
    assert (await page.request("DELETE", "/api/providers/b"))[0] == 200
    assert await models_of(page) == ["small"]


@pytest.mark.parametrize(
    ("name", "wrong", "field"),
    [
        ("mine", {"base_url": "ftp://x"}, "base_url"),
        ("mine", {"base_url": "https://user:pw@x.example/v1"}, "base_url"),
        ("a%20b", {"base_url": "https://x.example/v1"}, "name"),
        ("mine", {"base_url": "https://x.example/v1", "key": "schlüssel"}, "key"),
        ("mine", {}, "base_url"),
    ],
)
async def test_what_cannot_be_used_is_refused_by_its_field(
    page: FakePage, name: str, wrong: dict[str, str], field: str
) -> None:
    """The page shows the sentence beside the field."""
    status, refused = await page.request("PUT", f"/api/providers/{name}", wrong)
    assert (status, refused["error"]["detail"]["field"]) == (400, field)


async def test_a_refused_key_is_said(page: FakePage, provider: ScriptedProvider) -> None:
    """In the provider's words."""
    provider.models = fails(401, "Incorrect API key.")
    status, refused = await page.request("POST", "/api/providers/test", {"base_url": provider.base_url})
    assert (status, refused["error"]["code"]) == (502, "model_failed")
    assert "Incorrect API key." in refused["error"]["message"]


async def test_there_is_a_limit(page: FakePage) -> None:
    """Each costs connections and a request at every list of models."""
    wanted = {"base_url": "http://127.0.0.1:9/v1"}
    for number in range(MAX_PROVIDERS):
        assert (await page.request("PUT", f"/api/providers/p{number}", wanted))[0] == 200
    assert (await page.request("PUT", "/api/providers/more", wanted))[0] == 400
    assert (await page.request("PUT", "/api/providers/p0", wanted))[0] == 200


SECRET = b"s" * 32


@pytest.mark.parametrize("keys", [(), ("password",)])
@pytest.mark.both_databases
async def test_the_database_alone_reveals_no_key(database: Where, keys: tuple[str, ...]) -> None:
    """It is sealed by the bridge's own secret, encrypted database or not, and bound to its address."""
    store = Store.open_store(database)
    settings, ann = StorageSettings(encryption_keys=keys), await UserTables(store).ensure_user("ann")
    mine = UserProvider(ann.id, ProviderSettings(name="mine", base_url="https://x.example/v1"), KEY, ("m",))
    await ModelProviderTable(store, settings, SECRET).save_provider(mine)
    assert list(await ModelProviderTable(store, settings, SECRET).list_providers(ann.id)) == [mine]
    ((content,),) = execute(database, "SELECT content FROM model_providers")
    assert KEY.encode() not in bytes(content)
    (lost,) = await ModelProviderTable(store, settings, b"another").list_providers(ann.id)
    assert (lost.key, lost.is_key_lost) == (None, True)
    assert KEY not in repr(mine)
    await AccountTables(store, settings).delete_user(ann.id)
    assert execute(database, "SELECT name FROM model_providers") == []
    await store.close()


async def test_a_gateway_to_gemini_is_sent_what_gemini_takes(
    bridge: Bridge, page: FakePage, provider: ScriptedProvider
) -> None:
    """Finding O-4: its address tells nothing, and one tool that it refuses fails the whole request."""
    wanted = {"base_url": provider.base_url, "models": ["small"], "dialect": "gemini"}
    assert (await page.request("PUT", "/api/providers/mine", wanted))[1]["dialect"] == "gemini"
    provider.play(calls(("_2t", {"age": 3})))
    age = {"type": ["integer", "null"], "exclusiveMinimum": 0, "description": "Age."}
    tool = {"name": "2t", "strict": True, "parameters": {"type": "object", "properties": {"age": age}}}
    tools = [{"type": "function", "function": tool}]
    asked = {"model": "small", "messages": [{"role": "user", "content": "Hi"}], "tools": tools}
    _, answer = await page.request("POST", "/v1/chat/completions", asked)
    assert answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"] == "2t"
    function = provider.requests[-1].body["tools"][0]["function"]
    assert "strict" not in function
    assert function["name"] == "_2t"
    assert function["parameters"]["properties"] == {
        "age": {"type": "integer", "nullable": True, "description": "Age. Value > 0."}
    }
    status, refused = await page.request("PUT", "/api/providers/mine", {**wanted, "dialect": "klingon"})
    assert (status, "dialect" in refused["error"]["message"]) == (400, True)


async def test_a_replica_of_the_version_before_still_reads_a_provider(database: Where) -> None:
    """Finding W-4: during a rolling update it overlooks what it does not know; a provider is not lost."""
    store = Store.open_store(database)
    ann = await UserTables(store).ensure_user("ann")
    address = "https://x.example/v1"
    settings = ProviderSettings(
        name="mine",
        base_url=address,
        dialect="gemini",
        strict_tools=False,
        max_description_chars=1024,
        tool_search=True,
    )
    table, encryption = ModelProviderTable(store, StorageSettings(), SECRET), Encryption(StorageSettings())
    await table.save_provider(UserProvider(ann.id, settings))
    assert [each.settings for each in await table.list_providers(ann.id)] == [settings]
    ((content,),) = execute(database, "SELECT content FROM model_providers")
    place = place_of_provider(ann.id, "mine")
    stored = json.loads(encryption.decrypt_bytes(Encrypted(bytes(content), None), place))
    rules = stored.pop("rules")
    assert stored["settings"] == {"name": "mine", "base_url": address}
    assert rules == {"strict_tools": False, "max_description_chars": 1024}
    assert stored.pop("later_rules") == {"dialect": "gemini"}
    assert stored.pop("search_rules") == {"tool_search": True}
    earlier = encryption.encrypt_bytes(json.dumps(stored).encode(), place).content.hex()
    execute(database, f"UPDATE model_providers SET content = {hexadecimal(database, earlier)}")
    [read] = await table.list_providers(ann.id)
    assert (read.settings.strict_tools, read.settings.max_description_chars) == (None, None)
    await store.close()


def hexadecimal(database: Where, digits: str) -> str:
    return f"X'{digits}'" if isinstance(database, Path) else f"decode('{digits}', 'hex')"


async def test_the_operators_providers_are_shown_and_stay_as_they_are(tmp_path: Path) -> None:
    """They come from a file; who did not start the bridge does not see where they are."""
    async with (
        scripted_provider() as provider,
        model_bridge(tmp_path, provider) as bridge,
        aiohttp.ClientSession() as http,
    ):
        page, ann = await page_of_user(bridge, http, "local"), await page_of_user(bridge, http, "ann")
        for each, address in ((page, provider.base_url), (ann, "")):
            (given,) = (await each.get("/api/providers"))["providers"]
            assert (given["name"], given["source"], given["base_url"]) == ("scripted", "settings", address)
        wanted = {"base_url": provider.base_url}
        status, refused = await page.request("PUT", "/api/providers/scripted", wanted)
        assert (status, refused["error"]["detail"]["field"]) == (400, "name")


@pytest.mark.parametrize(
    ("sharing", "operator", "others"),
    [("operators", 200, 403), ("everyone", 200, 200), ("nobody", 403, 403)],
)
async def test_the_settings_say_who_may_share_a_provider(
    tmp_path: Path, provider: ScriptedProvider, sharing: str, operator: int, others: int
) -> None:
    """What others write goes to whoever runs the provider; the bridge refuses, not only the page."""
    async with running_bridge(tmp_path, sharing=sharing) as bridge, aiohttp.ClientSession() as http:
        for name, expected in (("local", operator), ("ann", others)):
            page = await page_of_user(bridge, http, name)
            assert (await page.get("/api/providers"))["may_share"] is (expected == 200)
            wanted = {"base_url": provider.base_url, "key": KEY, "shared": True}
            assert (await page.request("PUT", f"/api/providers/of-{name}", wanted))[0] == expected
