"""Fetching documents: what the operator may, and what a user must not reach through the bridge."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from yarl import URL

from bridge.cli.documents import bundle_here
from bridge.documents.fetch import (
    CheckedResolver,
    FetchFailed,
    PublicFetch,
    Refuse,
    check_address,
    refuse_internal,
    refuse_link_local,
    refuse_metadata,
    refuse_private,
)
from bridge.documents.sources import OWN_ONLY, SourceDocument, read_document
from bridge.errors import BridgeError, ErrorCode
from tests.support.web_servers import serving

pytestmark = pytest.mark.asyncio


async def read(source: str) -> SourceDocument:
    return await read_document(source, OWN_ONLY, bundle_here)


@pytest_asyncio.fixture
async def site() -> AsyncIterator[str]:
    async def document(_request: web.Request) -> web.Response:
        return web.Response(text="\ufeffopenapi: 3.1.0")

    async def moved(request: web.Request) -> web.Response:
        raise web.HTTPFound(request.query.get("to", "/spec.yaml"))

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
    "address",
    [
        "http://169.254.169.254/latest",
        "http://[fd00:ec2::254]/latest",
        "http://[::ffff:169.254.169.254]/latest",
        "http://metadata.google.internal/",
        "http://0xa9fea9fe/latest",
    ],
)
async def test_not_even_the_operator_is_led_to_a_metadata_service(site: str, address: str) -> None:
    """Whoever serves a document that the operator named could redirect there, or refer to it."""
    for source in (address, f"{site}/moved?to={address}"):
        with pytest.raises(BridgeError, match=r"cloud metadata|is no name") as refused:
            await read(source)
        assert refused.value.error.code is ErrorCode.DOCUMENT_UNREACHABLE


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
        "http://user@127.0.0.1:{port}/spec.yaml",
        "http://[::ffff:127.0.0.1]/",
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

    Circled digits, wide ones and ideographic full stops make an address too, for those who map them. All of
    these lead to this machine at most; what leads further is decided about below, and never asked.
    """
    async with PublicFetch() as fetch:
        with pytest.raises(BridgeError) as refused:
            await fetch.fetch_document(url.format(site=site, port=site.rpartition(":")[2]))
    assert refused.value.error.code is ErrorCode.DOCUMENT_UNREACHABLE


@pytest.mark.parametrize(
    "url",
    [
        "http://10.0.0.1/",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fd00:ec2::254]/",
        "http://[::ffff:169.254.169.254]/latest",
        "http://[64:ff9b::a9fe:a9fe]/latest",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://[::7f00:1]/",
    ],
)
async def test_the_address_in_a_url_decides_before_anything_is_sent(url: str) -> None:
    """As aiohttp reads it: a second parser could find another host in the same text."""
    with pytest.raises(OSError, match=r"not a public address|cloud metadata"):
        refuse_private(URL(url).raw_host or "")


@pytest.mark.parametrize(
    "host",
    [
        *("127.1", "2130706433", "0", "0x7f.1", "0x7f000001", "0177.0.0.1", "017700000001", "0xa9fea9fe"),
        *("0xc0.0.0.192", "168.63.33040", "127.1.", "0X7F.1", "127.0.0.1.", "010.0.0.1", "0x", "1.2.3.4.5"),
        *("4294967296", "256.1.1.1", "8.8.2056", "a.0x7f", "\uff11\uff12\uff17.1"),
    ],
)
@pytest.mark.parametrize("refuse", [refuse_private, refuse_metadata, refuse_link_local, refuse_internal])
async def test_an_address_in_other_digits_is_refused_before_anybody_looks_it_up(
    host: str, refuse: Refuse
) -> None:
    """Finding S-L12: some clients skip the resolver, and its check, for what they take for an address."""
    with pytest.raises(FetchFailed, match="is no name; write it as four decimal"):
        check_address(f"http://{host}:1/", refuse)


@pytest.mark.parametrize(
    "host", ["a.example", "1.example", "127.0.0.1.example", "0x7f.lan", "x.1a", "x.0xg", "8.8.8.8", "10.lan"]
)
async def test_a_name_with_digits_is_a_name(host: str) -> None:
    """Finding S-L12: only the last part says which it is, as in the standard of browsers."""
    assert check_address(f"http://{host}/", refuse_private).raw_host == host


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0x7f000001",
        "0177.0.0.1",
        "017700000001",
        "0",
        "0xa9fea9fe",
        "0xc0.0.0.192",
        "168.63.33040",
    ],
)
async def test_a_name_that_leads_to_a_private_address_is_refused(host: str) -> None:
    """DNS answers are the attacker's too: what counts is the address that is connected to.

    A number is a name for a resolver: decimal, octal, hexadecimal and short forms become addresses there.
    """
    resolver = CheckedResolver()
    with pytest.raises(OSError, match=r"not a public address|cloud metadata"):
        await resolver.resolve(host, 80)
    await resolver.close()


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("10.0.0.1", "10.0.0.1 is not a public address (private use, RFC 1918); let the browser fetch it"),
        ("fe80::1%eth0", "fe80::1 is not a public address (link-local, RFC 4291); let the browser fetch it"),
        (
            "64:ff9b::7f00:1",
            "64:ff9b::7f00:1 is not a public address (loopback, RFC 1122); let the browser fetch it",
        ),
        (
            "168.63.129.16",
            "168.63.129.16 leads to cloud metadata (wire server of Azure); nothing is fetched from there",
        ),
        (
            "metadata.goog",
            "metadata.goog is a cloud metadata service "
            "(cloud.google.com/compute/docs/metadata/querying-metadata); nothing is fetched from there",
        ),
    ],
)
async def test_a_refusal_says_what_the_address_is_and_what_to_do(host: str, reason: str) -> None:
    """Whoever wrote a private address on purpose learns that the page can fetch it."""
    with pytest.raises(OSError, match=f"^{re.escape(reason)}$"):
        refuse_private(host)


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.0.192/latest/meta-data",
        "http://192.0.0.8/",
        "http://168.63.129.16/machine",
        "http://METADATA.google.internal./computeMetadata/v1/",
        "http://[64:ff9b:1::7f00:1]/",
        "http://[64:FF9B:1:0:7f:0:100:0]/",
        "http://[::ffff:0:10.0.0.1]/",
        "http://[2002:a9fe:a9fe::1]/",
        "http://[2001:0:7f00:1::]/",
        "http://[2606:4700::5efe:192.168.1.1]/",
        "http://[5f00::1]/",
        "http://[3fff::1]/",
        "http://[fec0::1]/",
        "http://[fe80::a9fe:a9fe%25eth0]/",
        "http://192.88.99.1/",
        "http://100.100.100.200/",
        "http://user:pass@10.0.0.1/",
        "http://\u2460\u2461\u2466.0.0.1/",
        "http://169\u3002254\u3002169\u3002254/",
    ],
)
async def test_the_host_that_is_connected_to_is_refused_however_the_url_writes_it(url: str) -> None:
    """The decision alone: no test asks these addresses anything."""
    with pytest.raises(OSError, match=r"not a public address|cloud metadata"):
        refuse_private(URL(url).raw_host or "")


@pytest.mark.parametrize("host", ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
async def test_public_addresses_are_let_through(host: str) -> None:
    """Those that DNS64 makes too: a bridge may be in a network with IPv6 alone."""
    refuse_private(host)


async def test_what_is_no_address_is_left_to_the_resolver() -> None:
    """A name is neither good nor bad before it is resolved."""
    with pytest.raises(ValueError, match=r"api\.example"):
        refuse_private("api.example")


async def test_the_reason_survives_the_way_through_the_resolver() -> None:
    """The caller reads which address a name led to and why it is refused, not "Cannot connect … [None]"."""
    async with PublicFetch() as fetch:
        with pytest.raises(BridgeError) as refused:
            await fetch.fetch_document("http://localhost:1/spec.yaml")
    expected = (
        r"localhost resolves to (\S+), and \1 is not a public address \(loopback, RFC \d+\); "
        r"let the browser fetch it"
    )
    assert re.search(rf"could not be fetched: {expected}\.$", refused.value.error.message)
