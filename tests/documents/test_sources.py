"""Documents of several files, as the operator names them: what is read along, and what never is."""

import os
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web

from bridge.cli.documents import bundle_here
from bridge.documents.fetch import PublicFetch
from bridge.documents.sources import (
    LIMITS,
    OWN_ONLY,
    GatherLimits,
    ReferenceRules,
    read_document,
    read_public_document,
)
from tests.support.documents.compiled import compiled, document_text
from tests.support.web_servers import serving
from toolserver.json_types import JsonObject
from toolserver.tool.compile import CompiledDocument

pytestmark = pytest.mark.asyncio

EXAMPLES = Path(__file__).parents[2] / "examples"
LIMIT = "limit: {name: limit, in: query, schema: {type: integer}}"


def document(*references: str) -> str:
    """One operation for each reference, /0, /1 and so on, and one that needs none."""
    paths: JsonObject = {"/own": {"get": {"responses": {}}}}
    for number, reference in enumerate(references):
        parameters: JsonObject = {"parameters": [{"$ref": f"{reference}#/limit"}], "responses": {}}
        paths[f"/{number}"] = {"get": parameters}
    return document_text(paths=paths)


async def read(
    source: str, rules: ReferenceRules = OWN_ONLY, *, limits: GatherLimits = LIMITS
) -> CompiledDocument:
    found = await read_document(source, rules, bundle_here, limits=limits)
    return compiled(found.text, source_url=found.source_url)


def reasons(document: CompiledDocument) -> list[str]:
    """Why operations were skipped; the one that needs no file never is."""
    assert "GET /own" in [tool.key for tool in document.operations]
    return [skipped.reason.partition("which is left out: ")[2] for skipped in document.skipped]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """`api` with `deep/limit.yaml`; a link to a file beside it; a link to a file in it."""
    (tmp_path / "api" / "deep").mkdir(parents=True)
    (tmp_path / "api" / "deep" / "limit.yaml").write_text(LIMIT, encoding="utf-8")
    (tmp_path / "beside.yaml").write_text(LIMIT, encoding="utf-8")
    os.symlink(tmp_path / "beside.yaml", tmp_path / "api" / "out.yaml")
    os.symlink(tmp_path / "api" / "deep" / "limit.yaml", tmp_path / "api" / "in.yaml")
    return tmp_path / "api"


def put(folder: Path, *references: str) -> str:
    path = folder / "openapi.json"
    path.write_text(document(*references), encoding="utf-8")
    return str(path)


async def test_files_below_the_folder_of_the_document_are_read(folder: Path) -> None:
    """That is where a split document lies; links inside it are followed."""
    source = put(folder, "deep/limit.yaml", "./deep/../deep/limit.yaml", "in.yaml")
    read_along = await read(source)
    assert (reasons(read_along), read_along.warnings) == ([], ())
    assert all(b'"limit"' in tool.plan_json for tool in read_along.operations if tool.key != "GET /own")


async def test_the_split_example_becomes_tools() -> None:
    """All kinds of references: whole files, pointers, anchors, circles, back to the document."""
    split = await read(str(EXAMPLES / "split" / "openapi.yaml"))
    assert [tool.operation_id for tool in split.operations] == ["searchBooks", "getBook", "addCategory"]
    assert (split.skipped, split.warnings) == ((), ())


async def test_nothing_outside_of_the_folder_is_read(folder: Path) -> None:
    """A document from somebody else must not read the operator's files, by `..` or by a link of its own."""
    source = put(folder, "../beside.yaml", "out.yaml", "/etc/hosts", "none.yaml", "deep", "%00.yaml")
    assert reasons(await read(source)) == [
        "It is outside the folder that may be read; change that with --refs-root.",
        "It is a link out of the folder that may be read; change that with --refs-root.",
        "It is outside the folder that may be read; change that with --refs-root.",
        "It cannot be read: No such file or directory.",
        "It is not a file.",
        "It is not an address.",
    ]


async def test_the_folder_may_be_widened(folder: Path) -> None:
    """Several documents often share files beside their folders."""
    source = put(folder, "../beside.yaml", "out.yaml")
    wider = ReferenceRules(root=folder / ".." / "api" / "..")
    assert reasons(await read(source, wider)) == []


async def test_a_file_that_is_no_text_or_too_large_is_left_out(folder: Path) -> None:
    """By its name; the limit is lowered here."""
    (folder / "bytes.yaml").write_bytes(b"a:\xff")
    (folder / "large.yaml").write_text("# " + "x" * 5000, encoding="utf-8")
    source = put(folder, "bytes.yaml", "large.yaml")
    assert reasons(await read(source, limits=GatherLimits(max_bytes=4000))) == [
        "The text is not readable: byte 0xFF at position 2 is not UTF-8; it may be Latin-1 or Windows-1252. "
        "Save it as UTF-8.",
        "It is larger than 4,000 bytes.",
    ]


class Site:
    """A web server on its own port; `requests` are the paths that were asked for."""

    def __init__(self) -> None:
        self.url = ""
        self.texts: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.requests: list[str] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.requests.append(request.path)
        if request.path in self.redirects:
            raise web.HTTPFound(self.redirects[request.path])
        if request.path not in self.texts:
            raise web.HTTPNotFound
        return web.Response(text=self.texts[request.path])


@asynccontextmanager
async def serving_site() -> AsyncGenerator[Site]:
    site, app = Site(), web.Application()
    app.router.add_get("/{rest:.*}", site.answer)
    async with serving(app) as site.url:
        yield site


@pytest_asyncio.fixture
async def sites() -> AsyncIterator[tuple[Site, Site]]:
    """Two origins."""
    async with serving_site() as here, serving_site() as elsewhere:
        yield here, elsewhere


async def test_files_of_the_documents_own_origin_are_fetched(sites: tuple[Site, Site]) -> None:
    """Relative to the address that redirects led to, file after file."""
    here, _ = sites
    here.redirects = {"/latest": "/v1/openapi.json", "/v1/moved.yaml": "/v1/limit.yaml"}
    here.texts = {
        "/v1/openapi.json": document("limit.yaml", "moved.yaml"),
        "/v1/limit.yaml": "limit: {$ref: deep/limit.yaml#/limit}",
        "/v1/deep/limit.yaml": LIMIT,
    }
    assert reasons(await read(f"{here.url}/latest")) == []
    assert here.requests.count("/v1/limit.yaml") == 2, "once for each address that led there"


async def test_files_of_other_origins_are_fetched_only_where_an_option_says_so(
    sites: tuple[Site, Site],
) -> None:
    """Also behind a redirect: the operator named one server, not whatever its document points at."""
    here, elsewhere = sites
    elsewhere.texts = {"/limit.yaml": LIMIT}
    here.redirects = {"/away.yaml": f"{elsewhere.url}/limit.yaml"}
    here.texts = {
        "/openapi.json": document(f"{elsewhere.url}/limit.yaml", "away.yaml", "none.yaml", "file:///x")
    }
    source = f"{here.url}/openapi.json"
    how = f"--refs-origin {elsewhere.url} allows that."
    assert reasons(await read(source)) == [
        f"It is at {elsewhere.url}, from which nothing is fetched; {how}",
        f"It could not be fetched: it redirects to {elsewhere.url}; {how}",
        "It could not be fetched: HTTP status 404.",
        "A document from an address may not read files.",
    ]
    assert elsewhere.requests == []
    allowed = ReferenceRules(origins=frozenset({elsewhere.url}))
    assert len(reasons(await read(source, allowed))) == 2


async def test_there_is_an_end_to_what_is_fetched(sites: tuple[Site, Site]) -> None:
    """By count and by time; the limits are lowered here."""
    here, _ = sites
    here.texts = {f"/{number}.yaml": LIMIT for number in range(5)}
    here.texts["/openapi.json"] = document(*(f"{number}.yaml" for number in range(5)))
    source = f"{here.url}/openapi.json"
    few = await read(source, limits=GatherLimits(max_fetched=3))
    assert reasons(few) == ["At most 3 addresses are fetched for one document."] * 2
    late = await read(source, limits=GatherLimits(fetch_all_s=-1.0))
    assert "All files together took longer than -1 s." in reasons(late)


def only_here(host: str) -> None:
    """As if 127.0.0.1 were the one public address."""
    if ip_address(host) != ip_address("127.0.0.1"):
        raise OSError(f"{host} is not a public address")


async def read_for_user(source: str, *origins: str) -> CompiledDocument:
    found = await read_public_document(source, frozenset(origins), bundle_here, fetch=PublicFetch(only_here))
    return compiled(found.text, source_url=found.source_url)


async def test_what_a_user_lets_the_bridge_fetch_comes_with_the_files_of_its_own_origin(
    sites: tuple[Site, Site],
) -> None:
    """Whoever can fetch the document can fetch its parts; redirects tell what they are relative to."""
    here, _ = sites
    here.redirects = {"/latest": "/v1/openapi.json"}
    here.texts = {"/v1/openapi.json": document("limit.yaml"), "/v1/limit.yaml": LIMIT}
    assert reasons(await read_for_user(f"{here.url}/latest")) == []


async def test_a_users_document_reaches_other_origins_only_with_his_consent(
    sites: tuple[Site, Site],
) -> None:
    """What is left out is named with what allows it, and costs only the operations that need it."""
    here, elsewhere = sites
    elsewhere.texts = {"/limit.yaml": LIMIT}
    here.redirects = {"/away.yaml": f"{elsewhere.url}/limit.yaml"}
    here.texts = {"/openapi.json": document(f"{elsewhere.url}/limit.yaml", "away.yaml", "file:///etc/hosts")}
    source = f"{here.url}/openapi.json"
    how = f"{elsewhere.url} in `reference_origins` allows that."
    assert reasons(await read_for_user(source)) == [
        f"It is at {elsewhere.url}, from which nothing is fetched; {how}",
        f"It could not be fetched: it redirects to {elsewhere.url}; {how}",
        "A document from an address may not read files.",
    ]
    assert elsewhere.requests == []
    assert len(reasons(await read_for_user(source, elsewhere.url))) == 1


async def test_no_consent_makes_the_bridge_fetch_from_its_own_network(sites: tuple[Site, Site]) -> None:
    """Neither by what a document refers to, nor by where that redirects."""
    here, _ = sites
    inside = "http://127.0.0.2:1"
    here.redirects = {"/away.yaml": f"{inside}/limit.yaml"}
    here.texts = {"/openapi.json": document(f"{inside}/limit.yaml", "away.yaml")}
    assert reasons(await read_for_user(f"{here.url}/openapi.json", inside)) == [
        "It could not be fetched: 127.0.0.2 is not a public address.",
        "It could not be fetched: 127.0.0.2 is not a public address, after a redirect to "
        f"{inside}/limit.yaml.",
    ]
