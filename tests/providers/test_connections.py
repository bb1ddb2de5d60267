"""Where a provider's requests go: through which proxy, to which address, with which headers."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from ipaddress import ip_address

import pytest
from yarl import URL

from bridge.models.agent.model import ModelError
from bridge.models.providers.environment import find_proxy
from bridge.models.providers.guarded_addresses import find_allowed
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.models import ResponsesModel
from bridge.models.providers.ports import Refuse
from bridge.settings.chat.models import ProviderSettings
from tests.support.models.model_answers import text
from tests.support.models.provider_harness import HELLO
from tests.support.models.scripted_provider import KEY, answers, scripted_provider

FAR = "http://models.invalid/v1"
"""An address that nobody but a proxy could lead to."""


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the machine are no part of these tests."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@asynccontextmanager
async def provider_at(
    base_url: str, *, refuse: Refuse | None = None
) -> AsyncGenerator[Callable[[], AsyncGenerator[object]]]:
    """Who asks a provider once, each time."""

    async def pause(_seconds: float) -> None:
        pass

    provider = HttpProvider(
        ProviderSettings(name="Test", base_url=base_url, connect_seconds=5), KEY, pause=pause, refuse=refuse
    )

    async def ask() -> AsyncGenerator[object]:
        async with aclosing(ResponsesModel(provider).stream_round(HELLO)) as stream:
            async for event in stream:
                yield event

    try:
        yield ask
    finally:
        await provider.close_client()


async def ended(events: AsyncGenerator[object]) -> int:
    """How many events came."""
    return len([event async for event in events])


# Proxies


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
async def test_the_proxy_of_the_environment_is_asked_instead(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Many networks lead out through nothing else; its password is for the proxy."""
    async with scripted_provider() as proxy:
        proxy.play(text("Hi"), text("Hi"))
        monkeypatch.setenv(name, proxy.base_url.replace("http://", "http://me:secret@").removesuffix("/v1"))
        async with provider_at(FAR) as ask:
            assert await ended(ask()) > 0
            assert await ended(ask()) > 0
        for asked in proxy.requests:
            assert (asked.headers["Host"], asked.headers["Authorization"]) == (
                "models.invalid",
                f"Bearer {KEY}",
            )
            assert asked.headers["Proxy-Authorization"] == "Basic bWU6c2VjcmV0"


@pytest.mark.asyncio
async def test_what_the_environment_leaves_out_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model on the same machine is behind no proxy."""
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:1")
    monkeypatch.setenv("NO_PROXY", "example.org,127.0.0.1")
    async with scripted_provider() as server:
        server.play(text("Hi"))
        async with provider_at(server.base_url) as ask:
            assert await ended(ask()) > 0
        assert "Proxy-Authorization" not in server.requests[0].headers


@pytest.mark.asyncio
async def test_what_a_user_typed_in_is_asked_through_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would look the name up again, and connect to what nobody checked."""
    async with scripted_provider() as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.base_url)
        async with provider_at(FAR, refuse=allow_all) as ask:
            with pytest.raises(ModelError, match=r"models\.invalid"):
                await ended(ask())
        assert proxy.requests == []


@pytest.mark.asyncio
async def test_a_proxy_of_another_kind_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """To go around it would tell the network what somebody wanted to hide."""
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    async with provider_at(FAR) as ask:
        with pytest.raises(ModelError, match="socks5"):
            await ended(ask())


@pytest.mark.asyncio
async def test_a_tunnel_is_opened_without_the_providers_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """What goes through the proxy is encrypted; what is said to the proxy is not."""
    heads: list[bytes] = []

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    proxy = await asyncio.start_server(refuse, "127.0.0.1", 0)
    async with proxy:
        port = proxy.sockets[0].getsockname()[1]
        monkeypatch.setenv("HTTPS_PROXY", f"http://me:secret@127.0.0.1:{port}")
        async with provider_at(FAR.replace("http:", "https:")) as ask:
            with pytest.raises(ModelError, match="cannot be reached"):
                await ended(ask())
    assert heads[0].startswith(b"CONNECT models.invalid:443 HTTP/1.1\r\n")
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in heads[0]
    assert KEY.encode() not in b"".join(heads)


def test_a_proxy_tells_its_password_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A representation may come into a log."""
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy.example:3128")
    proxy = find_proxy(URL("https://models.example/v1"))
    assert proxy is not None
    assert (str(proxy.url), "secret" in repr(proxy)) == ("http://proxy.example:3128", False)
    assert find_proxy(URL("http://models.example/v1")) is None


# Addresses that users type in


def allow_all(host: str) -> None:
    """As `Refuse`, which tells names from addresses."""
    ip_address(host)


def refuse_loopback(host: str) -> None:
    """As `Refuse`."""
    allow_all(host)
    if host in ("127.0.0.1", "::1"):
        raise OSError(f"{host} is here")


@pytest.mark.asyncio
async def test_a_name_is_connected_to_by_an_address_that_was_checked() -> None:
    """Whoever owns a name can have it lead elsewhere a moment later."""
    seen: list[str] = []

    def note(host: str) -> None:
        seen.append(host)
        allow_all(host)

    urls = await find_allowed(URL("https://localhost:8443/v1/models"), note)
    assert [url.host for url in urls] == seen[1:]
    assert seen[0] == "localhost"
    assert {url.host for url in urls} <= {"127.0.0.1", "::1"}
    assert {(url.port, url.path) for url in urls} == {(8443, "/v1/models")}


@pytest.mark.asyncio
@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "[::1]", "2130706433"])
async def test_an_address_that_is_refused_is_not_connected_to(host: str) -> None:
    """However it is written."""
    async with scripted_provider() as server:
        base_url = server.base_url.replace("127.0.0.1", host)
        async with provider_at(base_url, refuse=refuse_loopback) as ask:
            with pytest.raises(ModelError, match=r"cannot be reached.*is here"):
                await ended(ask())
        assert server.requests == []


@pytest.mark.asyncio
async def test_an_address_is_checked_again_for_every_request() -> None:
    """A kept connection is no way around what is refused by now."""
    refused: list[str] = []

    def refuse(host: str) -> None:
        allow_all(host)
        if refused:
            raise OSError(f"{host} is not allowed any more")

    async with scripted_provider() as server:
        server.play(text("Hi"), text("Hi"))
        host = server.base_url.split("/")[2].replace("127.0.0.1", "localhost")
        async with provider_at(f"http://{host}/v1", refuse=refuse) as ask:
            assert await ended(ask()) > 0
            assert await ended(ask()) > 0
            refused.append("from now on")
            with pytest.raises(ModelError, match="not allowed any more"):
                await ended(ask())
        assert [asked.headers["Host"] for asked in server.requests] == [host, host]
        assert len({asked.port for asked in server.requests}) == 1, "a checked connection is kept"


@pytest.mark.asyncio
async def test_a_redirect_of_what_a_user_typed_in_is_not_followed() -> None:
    """It would lead to an address that nobody checked, with the key."""
    async with scripted_provider() as other, scripted_provider() as server:
        server.play(answers(307, b"", ("Location", f"{other.base_url}/responses")))
        async with provider_at(server.base_url, refuse=allow_all) as ask:
            with pytest.raises(ModelError) as failed:
                await ended(ask())
        assert (failed.value.status, other.requests) == (307, [])


@pytest.mark.asyncio
async def test_an_operators_provider_may_have_moved_and_its_key_has_not() -> None:
    """The redirect is followed, and what it leads to is sent no key."""
    async with scripted_provider() as other, scripted_provider() as server:
        server.play(answers(307, b"", ("Location", f"{other.base_url}/responses")))
        other.play(text("Hi"))
        async with provider_at(server.base_url) as ask:
            assert await ended(ask()) > 0
        assert "Authorization" not in other.requests[0].headers


@pytest.mark.asyncio
async def test_a_cookie_of_one_request_is_not_sent_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one may be another user's, and a cookie could tell the provider that they are one."""
    async with scripted_provider() as proxy:
        proxy.play(answers(400, b"{}", ("Set-Cookie", "who=ann; Path=/")), text("Hi"))
        monkeypatch.setenv("HTTP_PROXY", proxy.base_url.removesuffix("/v1"))
        async with provider_at(FAR) as ask:
            with pytest.raises(ModelError):
                await ended(ask())
            assert await ended(ask()) > 0
        assert "Cookie" not in proxy.requests[1].headers


# Headers of the environment


@pytest.mark.asyncio
async def test_headers_of_the_environment_reach_every_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gateways want some of their own; OpenAI's SDK reads them from there."""
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: blue\nuser-agent: ours\nnothing")
    async with scripted_provider() as server:
        server.play(text("Hi"))
        async with provider_at(server.base_url) as ask:
            assert await ended(ask()) > 0
        headers = server.requests[0].headers
        assert (headers["X-Team"], headers["User-Agent"]) == ("blue", "ours")
