"""Fetching documents: what the operator may, and what a user must not reach through the bridge."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web

from bridge.commands.documents import bundle_here
from bridge.edges.document_fetch import PublicFetch, PublicResolver
from bridge.edges.document_sources import OWN_ONLY, SourceDocument, read_document
from bridge.wire import BridgeError, ErrorCode
from tests.support.serving import serving

pytestmark = pytest.mark.asyncio


async def read(source: str) -> SourceDocument:
    return await read_document(source, OWN_ONLY, bundle_here)


@pytest_asyncio.fixture
async def site() -> AsyncIterator[str]:
    async def document(_request: web.Request) -> web.Response:
        return web.Response(text="\ufeffopenapi: 3.1.0")

    async def moved(_request: web.Request) -> web.Response:
        raise web.HTTPFound("/spec.yaml")

    app = web.Application()
    app.router.add_get("/spec.yaml", document)
    app.router.add_get("/moved", moved)
    async with serving(app) as url:
        yield url


async def test_the_operator_may_name_any_address_and_any_file(site: str, tmp_path: Path) -> None:
    """Whoever starts the bridge reaches its network anyway; the address is the base for relative ones."""
    assert await read(f"{site}/moved") == SourceDocument("openapi: 3.1.0", f"{site}/spec.yaml")
    path = tmp_path / "spec.yaml"
    path.write_text("\ufeffopenapi: 3.0.3", encoding="utf-8")
    assert await read(str(path)) == SourceDocument("openapi: 3.0.3", None)


@pytest.mark.parametrize(
    "source",
    [
        "{site}/none",
        "http://127.0.0.1:1/x",
        "http://[bad",
        "http://a:99999/x",
        "{folder}/none.yaml",
        "{folder}",
    ],
)
async def test_what_cannot_be_read_is_named(site: str, tmp_path: Path, source: str) -> None:
    """One line that says which document and why."""
    with pytest.raises(BridgeError) as refused:
        await read(source.format(site=site, folder=tmp_path))
    assert refused.value.error.code is ErrorCode.DOCUMENT_UNREACHABLE


@pytest.mark.parametrize(
    "url",
    [
        "{site}/spec.yaml",
        "http://localhost:1/spec.yaml",
        "http://[::1]:1/",
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[::7f00:1]/",
        "http://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460:{port}/spec.yaml",
        "http://\uff11\uff12\uff17.0.0.1:{port}/spec.yaml",
        "http://127\u30020\u30020\u30021:{port}/spec.yaml",
        "http://[abc",
        "http://0.0.0.0:1/",
        "http://127.1:1/",
        "http://2130706433:1/",
        "file:///etc/passwd",
        "ftp://example.com/",
        "http://",
        "no address",
    ],
)
async def test_a_user_cannot_reach_private_addresses_through_the_bridge(site: str, url: str) -> None:
    """The bridge's network is not the user's: only the browser may fetch what only the browser can reach.

    Circled digits, wide ones and ideographic full stops make an address too, for those who map them.
    """
    async with PublicFetch() as fetch:
        with pytest.raises(BridgeError) as refused:
            await fetch.document(url.format(site=site, port=site.rpartition(":")[2]))
    assert refused.value.error.code is ErrorCode.DOCUMENT_UNREACHABLE


async def test_a_name_that_leads_to_a_private_address_is_refused() -> None:
    """DNS answers are the attacker's too: what counts is the address that is connected to."""
    resolver = PublicResolver()
    with pytest.raises(OSError, match="not a public address"):
        await resolver.resolve("localhost", 80)
    await resolver.close()
