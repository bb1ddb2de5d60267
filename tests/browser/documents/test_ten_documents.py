"""Real documents, end to end: what arrives at an API is what its own document asks for.

Arguments made from each tool's schema travel tool route, Socket.IO, Chromium, recording API; openapi-core
judges what arrived against the original document. `ten_documents.toml` lists what it finds wrong although we
are right, or although the document allows nothing better.
"""

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

import pytest
import pytest_asyncio
import yaml
from playwright.async_api import Browser, Page

from bridge.catalog.server_view import LoadedServer
from tests.browser.browser_harness import BrowserHarness, open_harness
from tests.real_documents.corpus import Corpus
from tests.support.chromium import save_credential
from tests.support.documents.argument_samples import sample_arguments
from tests.support.documents.original_server import OriginalServer
from tests.support.recording_api import RecordingApi, run_recording_api
from toolserver.openapi.security import SecurityScheme
from toolserver.tool.catalog import Tool

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(300),
    pytest.mark.slow,
]

DEVIATIONS = Path(__file__).with_name("ten_documents.toml")
SOURCE_URL = "https://documents.example/openapi.json"
PARALLEL_CALLS = 24

DOCUMENTS = (
    "petstore-v3.yaml",  # 3.0: XML, form and file bodies beside JSON, OAuth
    "telegram-bot.json",  # 3.0: multipart with files, unions everywhere
    "gitlab.json",  # 3.0: 116 form bodies
    "eve-esi.json",  # 3.0: arrays in the query without explode, headers
    "aws-lambda.json",  # 3.0: 468 header parameters, patterns, paths told apart by fragments
    "listennotes.json",  # 3.1: forms, a header on every operation
    "figma.yaml",  # 3.1: discriminated unions
    "readme-3.1-train-travel.json",  # 3.1: unions, dates, OAuth
    "readme-3.1-security.json",  # 3.1: every kind of security scheme
    "cafe-3.2.yaml",  # 3.2: multipart unions, arrays and objects in the query
)


class Deviation(TypedDict):
    """Calls that openapi-core complains of, and why that is not our mistake."""

    because: str
    says: str
    rows: list[str]


@dataclass(frozen=True)
class DocumentHarness:
    """Ten servers whose base URL is the recorder, accepted in one page."""

    scene: BrowserHarness
    recorder: RecordingApi
    servers: dict[str, LoadedServer]
    originals: dict[str, OriginalServer]
    """Both by the document's file name."""


def deviations() -> list[Deviation]:
    return cast("list[Deviation]", tomllib.loads(DEVIATIONS.read_text(encoding="utf-8"))["deviation"])


@pytest_asyncio.fixture(loop_scope="session")
async def harness(chromium: Browser, tmp_path: Path, corpus: Corpus) -> AsyncIterator[DocumentHarness]:
    files = {each.file: path for each, path in corpus.find(*DOCUMENTS, whole=True).items()}
    originals = {name: OriginalServer(read(path), SOURCE_URL) for name, path in files.items()}
    async with open_harness(chromium, tmp_path, [], deadline_s=30) as scene, run_recording_api() as recorder:
        servers = {
            name: await offer(scene, files[name], recorder.url + original.path)
            for name, original in originals.items()
        }
        page = await scene.open_page()
        for server in servers.values():
            await save_credentials(page, server)
        yield DocumentHarness(scene, recorder, servers, originals)


def read(path: Path) -> dict[str, Any]:
    """As JSON has it, so that YAML's status codes are text and its dates, too."""
    text = path.read_text(encoding="utf-8")
    found = json.loads(text) if path.suffix == ".json" else yaml.load(text, Loader=yaml.CSafeLoader)
    return cast("dict[str, Any]", json.loads(json.dumps(found, default=str)))


async def offer(scene: BrowserHarness, path: Path, base_url: str) -> LoadedServer:
    """Share a document, and move its server to another address."""
    bridge = scene.bridge
    server = await bridge.share_document(str(path))
    return await bridge.components.registry.change_server(
        bridge.local_user.id, server.record.id, base_url=base_url
    )


async def save_credentials(page: Page, server: LoadedServer) -> None:
    """One for every scheme that a page can send."""
    for scheme in server.compiled.security_schemes:
        if scheme.location == "cookie" or scheme.type == "mutualTLS":
            continue
        is_basic = scheme.type == "http" and scheme.http_scheme == "basic"
        values = (
            {"username": "ann", "password": "secret"} if is_basic else {"value": f"key-of-{scheme.scheme}"}
        )
        await save_credential(page, server.record.id, f"{scheme.scheme}: {described(scheme)}", **values)


def described(scheme: SecurityScheme) -> str:
    """As the page names the kind."""
    if scheme.type == "apiKey":
        place = "query parameter" if scheme.location == "query" else scheme.location
        return f"API key in the {place} {scheme.name}"
    if scheme.type == "http":
        return "name and password" if scheme.http_scheme == "basic" else f"{scheme.http_scheme} token"
    return "access token"


def is_unsendable(tool: Tool) -> bool:
    """Listed by the product itself, at registration: something the API requires is beyond a page."""
    listed = ("cannot be sent", "Its key is a cookie")
    return any(words in warning for warning in tool.operation.warnings for words in listed)


@dataclass(frozen=True)
class Trial:
    """One call of one tool."""

    document: str
    tool: Tool
    arguments: dict[str, Any]
    row: str
    """What the list of deviations calls it."""


async def trials_of(harness: DocumentHarness) -> list[Trial]:
    """Every tool with its required arguments, and with all of them where that makes a difference."""
    registry, found = harness.scene.bridge.components.registry, list[Trial]()
    view = await registry.view_of_user(harness.scene.bridge.local_user.id)
    for document, loaded in harness.servers.items():
        server = view.find_server(loaded.record.id)
        schemas = await registry.load_schemas(server, server.by_key)
        for tool in view.catalog.tools:
            if tool.server_id == server.record.id and not is_unsendable(tool):
                found += trials_with(document, tool, json.loads(schemas[tool.operation.key]))
    return found


def trials_with(document: str, tool: Tool, schema: dict[str, Any]) -> Iterator[Trial]:
    made: list[dict[str, Any]] = []
    for full in (False, True):
        arguments = sample_arguments(schema, full=full)
        if arguments not in made:
            made.append(arguments)
            amount = "all" if full else "required"
            yield Trial(document, tool, arguments, f"{document} {tool.operation.key} ({amount})")


async def complaint_of(trial: Trial, harness: DocumentHarness, semaphore: asyncio.Semaphore) -> str:
    """Why there is no answer, or what openapi-core says of the request; "" when all is well."""
    async with semaphore:
        reply = await harness.scene.caller.call(trial.tool.name, trial.arguments)
    if reply.status != 200:
        return f"refused: {reply.body.decode()[:500]}"
    arrived = harness.recorder.requests[cast(int, reply.json()["recorded"])]
    return harness.originals[trial.document].complaint(arrived)


async def test_what_arrives_is_valid_by_the_original_document(harness: DocumentHarness) -> None:
    """W-27: what is lost or misspelt between schema and wire makes an API answer about something else."""
    trials = await trials_of(harness)
    semaphore = asyncio.Semaphore(PARALLEL_CALLS)
    async with asyncio.TaskGroup() as group:
        calls = {trial.row: group.create_task(complaint_of(trial, harness, semaphore)) for trial in trials}
    found = {row: complaint for row, call in calls.items() if (complaint := call.result())}
    expected = {row: deviation["says"] for deviation in deviations() for row in deviation["rows"]}
    assert {row: says for row, says in found.items() if expected.get(row, "nothing") not in says} == {}
    assert expected.keys() - found.keys() == set()
