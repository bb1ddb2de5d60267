"""Servers whose certificate nobody vouches for: the bridge, as their client, tells them nothing."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from ipaddress import ip_address
from pathlib import Path

import pytest

from bridge.auth.signing_keys import UnusableAnswer
from bridge.documents.fetch import OperatorFetch, PublicFetch
from bridge.errors import BridgeError
from bridge.http.json_fetch import fetch_json, fetch_json_as, send_form
from bridge.models.agent.model import ModelError
from bridge.models.providers.http_provider import HttpProvider
from bridge.models.providers.models import ResponsesModel
from bridge.models.providers.ports import Refuse
from bridge.settings.chat.models import ProviderSettings
from tests.support.models.provider_harness import HELLO
from tests.support.models.scripted_provider import KEY
from tests.support.tcp_servers import serving_connections, tls_of, write_certificate

pytestmark = pytest.mark.asyncio

CERTIFICATE = r"(?i)certificate"


@asynccontextmanager
async def untrusted_server(certificate: Path) -> AsyncGenerator[tuple[str, list[bytes]]]:
    """The address of a server with a certificate of its own, and the heads of what it was asked."""
    heads: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 404 No\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        writer.close()

    write_certificate(certificate, "models.test")
    async with serving_connections(answer, tls=tls_of(certificate)) as port:
        yield f"https://127.0.0.1:{port}", heads


def allow_all(host: str) -> None:
    """As `Refuse`, which tells names from addresses."""
    ip_address(host)


async def ask_provider(base_url: str, refuse: Refuse | None) -> None:
    """One request of a model, with the key."""

    async def pause(_seconds: float) -> None:
        pass

    settings = ProviderSettings(name="Test", base_url=base_url, connect_seconds=5)
    provider = HttpProvider(settings, KEY, pause=pause, refuse=refuse)
    try:
        async with aclosing(ResponsesModel(provider).stream_round(HELLO)) as stream:
            async for _ in stream:
                pass
    finally:
        await provider.close_client()


@pytest.mark.parametrize("refuse", [None, allow_all], ids=["of the operator", "of a user"])
async def test_a_provider_gets_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refuse: Refuse | None
) -> None:
    """Whoever is on the way could show such a certificate; one that the operator trusts is taken."""
    certificate = tmp_path / "own.pem"
    async with untrusted_server(certificate) as (url, heads):
        with pytest.raises(ModelError, match=CERTIFICATE):
            await ask_provider(url, refuse)
        assert heads == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with pytest.raises(ModelError, match="does not know"):
            await ask_provider(url, refuse)
        assert KEY.encode() in heads[0]


async def test_no_document_and_no_signing_key_is_taken_and_no_login_server_is_told_a_secret(
    tmp_path: Path,
) -> None:
    """Such a document could name other addresses, such a key sign for any user, such a server log in."""
    async with untrusted_server(tmp_path / "own.pem") as (url, heads):
        for fetching in (OperatorFetch(), PublicFetch(allow_all)):
            async with fetching as fetch:
                with pytest.raises(BridgeError, match=CERTIFICATE):
                    await fetch.fetch_document(url)
        for asking in (
            fetch_json(url),
            fetch_json_as(url, token="t0ken"),
            send_form(url, {"code": "c0de"}, basic=("page", "s3cret")),
        ):
            with pytest.raises(UnusableAnswer, match=CERTIFICATE):
                await asking
        assert heads == []
