"""What our own HTTP API says about itself, held against what it does, by openapi-core."""

import asyncio
import io
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric import ec
from openapi_core import OpenAPI
from openapi_core.testing import MockRequest, MockResponse
from openapi_spec_validator import OpenAPIV31SpecValidator

from bridge.app.server import Bridge
from bridge.http.body import DECISION_BODY_BYTES
from tests.support.documents.compiled import document_text, overlay_text
from tests.support.models.scripted_provider import MODELS, scripted_provider
from tests.support.models.wing import wing_of
from tests.support.running_bridge import FakePage, json_answer, pair_browser, public_key_of, running_bridge
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.two_replicas]

TOO_LONG = DECISION_BODY_BYTES + 1
"""More than every route takes, but for those that take whole documents."""


@dataclass
class Witness:
    """Sends requests and holds each with its answer against the document."""

    document: dict[str, Any]
    page: FakePage
    seen: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self.api = OpenAPI.from_dict(self.document)

    async def ask(
        self, method: str, path: str, body: Any = None, *, status: int = 200, token: str | None = None
    ) -> Any:
        """Validates the request only where success is expected: a wrong one is meant to be wrong."""
        token = self.page.token if token is None else token
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        url = self.page.base_url + path
        async with self.page.http.request(method, url, json=body, headers=headers) as response:
            content = await response.read()
            mime = response.content_type
            assert response.status == status, content
        parts = urlsplit(url)
        sent = MockRequest(
            f"{parts.scheme}://{parts.netloc}",
            method.lower(),
            parts.path,
            headers=headers,
            data=json.dumps(body).encode() if body is not None else b"",
            content_type="application/json",
        )
        got = MockResponse(content, status_code=status, content_type=mime)
        if status < 300:
            self.api.validate_request(sent)
        self.api.validate_response(sent, got)
        self.seen.add(f"{method} {self._template(method, path.partition('?')[0])} {status}")
        return json.loads(content) if mime == "application/json" else content

    async def status_of(
        self, method: str, template: str, *, headers: Mapping[str, str] | None = None, **sent: Any
    ) -> int:
        """The status of any request, wrong ones too."""
        headers = {"Authorization": f"Bearer {self.page.token}", **(headers or {})}
        url = self.page.base_url + re.sub(r"{\w+}", "nothing", template)
        async with self.page.http.request(method, url, headers=headers, **sent) as response:
            return response.status

    def _template(self, method: str, path: str) -> str:
        for template, item in self.document["paths"].items():
            pattern = re.sub(r"{\w+}", "[^/]+", template)
            if method.lower() in item and re.fullmatch(pattern, path):
                return template
        raise AssertionError(f"{method} {path} is not in the document")


@pytest_asyncio.fixture
async def bridge(tmp_path: Path) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path) as running:
        yield running


@pytest_asyncio.fixture
async def witness(bridge: Bridge) -> AsyncIterator[Witness]:
    async with aiohttp.ClientSession() as http:
        async with http.get(bridge.base_url + "/api/openapi.json") as response:
            document = await response.json()
        page = await pair_browser(
            bridge.base_url, http, await bridge.components.users.add_ticket(bridge.local_user.id)
        )
        await page.open_session()
        yield Witness(document, page)
        await page.close()


async def test_the_document_is_valid(witness: Witness) -> None:
    """Others make clients from it."""
    assert list(OpenAPIV31SpecValidator(witness.document).iter_errors()) == []


async def test_every_operation_has_a_summary_and_an_id_of_its_own(witness: Witness) -> None:
    """Finding house-H11: both come from the handler, where a docstring may be missing and a name double."""
    operations = [each for item in witness.document["paths"].values() for each in item.values()]
    ids = [each["operationId"] for each in operations]
    assert sorted(set(ids)) == sorted(ids)
    assert [each["operationId"] for each in operations if not each["summary"]] == []


async def test_every_operation_answers_as_the_document_says(bridge: Bridge, witness: Witness) -> None:
    """Each route is walked through once, requests and answers validated, and none is left out."""
    await _walk_account(bridge, witness)
    await _walk_devices(bridge, witness)
    await _walk_transfers(witness)
    await _walk_servers(witness)
    await _walk_selection(witness)
    await _walk_limits(witness)
    await _walk_providers(witness)
    await _walk_batches(witness)
    await _walk_calls(witness)
    await _walk_refused_calls(witness)
    await _walk_approval(witness)
    await _walk_kept(witness)
    await _walk_conversations(bridge, witness)
    documented = {
        f"{method.upper()} {path}" for path, item in witness.document["paths"].items() for method in item
    }
    assert documented == {entry.rpartition(" ")[0] for entry in witness.seen} | {
        "POST /api/devices",  # walked by pairing, with a key made on the way
        "POST /api/sessions/challenge",
        "POST /api/sessions",
    }


async def test_whatever_is_wrong_with_a_request_the_status_is_a_documented_one(witness: Witness) -> None:
    """A client made from the document knows every answer that it can get."""
    undocumented: list[str] = []
    for path, item in witness.document["paths"].items():
        for method, operation in item.items():
            for wrong, sent in _wrong_requests(operation).items():
                status = await witness.status_of(method, path, **sent)
                if str(status) not in operation["responses"]:
                    undocumented.append(f"{method} {path}, {wrong}: {status}")
    assert undocumented == []


def _wrong_requests(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Arguments of aiohttp's client, by what is wrong with the request."""
    wrong: dict[str, dict[str, Any]] = {
        "no caller": {"headers": {"Authorization": "Bearer nobody"}},
        "a compressed body": {"data": b"x", "headers": {"Content-Encoding": "gzip"}},
        "a foreign host": {"headers": {"Host": "elsewhere.example"}},
    }
    if "requestBody" in operation:
        wrong |= {
            "no JSON": {"data": b"["},
            "a list": {"json": []},
            "too long": {"data": io.BytesIO(b" " * TOO_LONG)},
        }
    named = [each["name"] for each in operation.get("parameters", []) if each["in"] == "query"]
    return wrong | {f"nonsense as {name}": {"params": {name: "\x00?"}} for name in named}


async def _walk_account(bridge: Bridge, witness: Witness) -> None:
    me = await witness.ask("GET", "/api/me")
    assert me == {
        "user": "local",
        "device_id": witness.page.device_id,
        "operator": True,
        "base_url": bridge.base_url,
        "version": "0.1.0",
        "pages": 0,
    }
    made = await witness.ask("POST", "/api/keys", {"label": "x"}, status=201)
    await witness.ask("GET", "/api/keys")
    await witness.ask("DELETE", f"/api/keys/{made['id']}")
    await witness.ask("DELETE", f"/api/keys/{made['id']}", status=404)
    await witness.ask("POST", f"/api/keys/{made['id']}/restore")
    await witness.ask("POST", f"/api/keys/{made['id']}/restore", status=404)
    connect = await witness.ask("GET", "/api/connect")
    await witness.ask("GET", "/api/companion")
    assert connect["bind"] == "127.0.0.1"
    await witness.ask("POST", "/api/tickets", {"ticket": "spent"}, status=401)
    await witness.ask("POST", "/api/devices", {"ticket": 5}, status=400, token="")
    await witness.ask("POST", "/api/sessions/challenge", {"device_id": "d"}, token="")
    signed = {"device_id": "d", "nonce": "n", "signature": "s"}
    await witness.ask("POST", "/api/sessions", signed, status=401, token="")
    await witness.ask("GET", "/api/me", status=401, token="")


async def _walk_devices(bridge: Bridge, witness: Witness) -> None:
    public_key = public_key_of(ec.generate_private_key(ec.SECP256R1()))
    offered = await witness.ask("POST", "/api/pairings", {"public_key": public_key}, status=201, token="")
    await witness.ask("POST", "/api/pairings", {"public_key": {}}, status=400, token="")
    await witness.ask("POST", "/api/pairings/standing", {"secret": offered["secret"]}, token="")
    await witness.ask("POST", "/api/pairings/code", {"code": "unknown"}, status=404)
    await witness.ask("POST", "/api/pairings/code", {"code": offered["code"]})
    decided = await witness.ask("POST", "/api/pairings/decision", {"code": offered["code"], "accept": True})
    listed = await witness.ask("GET", "/api/devices")
    assert [device["this"] for device in listed["devices"]] == [True, False]
    path = f"/api/devices/{decided['device_id']}"
    await witness.ask("PATCH", path, {"name": "Tablet"})
    await witness.ask("PATCH", path, {"name": " "}, status=400)
    choice = {"device_id": decided["device_id"]}
    await witness.ask("PUT", "/api/servers/none/device", choice, status=404)
    await witness.ask("DELETE", path)
    await witness.ask("DELETE", path, status=404)
    await witness.ask("POST", f"{path}/restore")
    await witness.ask("POST", f"{path}/restore", status=404)
    ticket = await bridge.components.users.add_ticket(bridge.local_user.id, printed=False)
    body = {"ticket": ticket, "public_key": public_key}
    await witness.ask("POST", "/api/devices", body, status=202, token="")


async def _let_the_bridge_fetch(witness: Witness, url: str) -> None:
    await witness.ask("POST", "/api/servers", {"url": url}, status=502)
    for name in ("https://schemas.example/", "schemas.example", "file://x", "http://[x"):
        asked = {"url": url, "reference_origins": [name]}
        await witness.ask("POST", "/api/servers", asked, status=400)


async def _walk_transfers(witness: Witness) -> None:
    offer = {"id": "0" * 32, "envelope": "sealed"}
    await witness.ask("POST", "/api/transfers", offer, status=201)
    await witness.ask("POST", "/api/transfers", {"id": "short", "envelope": "sealed"}, status=400)
    await witness.ask("POST", "/api/transfers/fetch", {"id": "0" * 32})
    await witness.ask("POST", "/api/transfers/fetch", {"id": "0" * 32}, status=404)
    await witness.ask("GET", "/api/transfers")
    await witness.ask("DELETE", "/api/transfers")


async def _walk_servers(witness: Witness) -> None:
    added = await witness.ask("POST", "/api/servers", {"text": document_text()}, status=201)
    assert (added["id"], added["operations"], added["accepted"]) == ("shop", 2, 0)
    await witness.ask("POST", "/api/servers", {"text": "no document"}, status=422)
    await witness.ask("POST", "/api/servers", {}, status=400)
    await _let_the_bridge_fetch(witness, "http://127.0.0.1:1/x.json")
    files = {"text": '{"$ref": "a.yaml"}', "source_url": "http://api.example/openapi.json"}
    wanted = await witness.ask("POST", "/api/documents/bundle", files)
    assert wanted == {"text": None, "missing": ["http://api.example/a.yaml"], "problems": []}
    left_out = {"http://api.example/a.yaml": "Gone."}
    bundled = await witness.ask("POST", "/api/documents/bundle", {**files, "left_out": left_out})
    assert json.loads(bundled["text"])["x-left-out"] == left_out
    await witness.ask("POST", "/api/documents/bundle", {"text": '["$ref": "x'}, status=422)
    await witness.ask("POST", "/api/documents/bundle", {}, status=400)
    listed = await witness.ask("GET", "/api/servers")
    assert [server["id"] for server in listed["servers"]] == ["shop"]
    detail = await witness.ask("GET", "/api/servers/shop")
    assert [tool["name"] for tool in detail["tools"]] == ["listProducts", "addProduct"]
    await witness.ask("GET", "/api/servers/none", status=404)
    plans = await witness.ask("GET", "/api/servers/shop/plans")
    digests = {key: entry["digest"] for key, entry in plans["operations"].items()}
    accepted = await witness.ask("PUT", "/api/servers/shop/acceptance", {"operations": digests})
    assert accepted["accepted"] == 2
    await witness.ask("PUT", "/api/servers/shop/acceptance", {"operations": {"GET /x": "d"}}, status=409)
    await witness.ask("PATCH", "/api/servers/shop", {"inline_html": True})
    await witness.ask("PUT", "/api/servers/shop/device", {"device_id": witness.page.device_id})
    await _walk_overlays(witness)
    await _walk_shared_requests(witness)
    body = {"text": document_text(server="http://other.example")}
    changed = await witness.ask("PUT", "/api/servers/shop/document", body)
    assert (changed["accepted"], changed["changed"]) == (0, 2)


async def _walk_shared_requests(witness: Witness) -> None:
    address = "/api/servers/shop/requests"
    ten = {"name": "ten", "operation": "GET /products", "arguments": {"limit": 10}, "expect": {"status": 200}}
    stored = await witness.ask("PUT", address, {"requests": [ten]})
    assert await witness.ask("GET", address) == stored
    assert stored["requests"][0]["arguments"] == {"limit": 10}
    await witness.ask("PUT", address, {"requests": [{**ten, "tool": "x"}]}, status=400)
    await witness.ask("PUT", address, {"requests": [], "version": "other"}, status=409)
    await witness.ask("GET", "/api/servers/none/requests", status=404)


async def _walk_overlays(witness: Witness) -> None:
    edits = {"overlays": [overlay_text({"target": "$.info", "update": {"x-edited": True}})]}
    stored = await witness.ask("PUT", "/api/servers/shop/overlays", edits)
    assert await witness.ask("GET", "/api/servers/shop/overlays") == stored == {**stored, **edits}
    await witness.ask("PUT", "/api/servers/shop/overlays", {"overlays": ["none"]}, status=422)
    await witness.ask("PUT", "/api/servers/shop/overlays", {**edits, "version": "other"}, status=409)
    await witness.ask("GET", "/api/servers/shop/original?key=GET%20/products&overlays=1")
    await witness.ask("GET", "/api/servers/shop/original?key=none", status=404)
    assert (await witness.ask("GET", "/api/servers/shop/original/tokens"))["tokens"] > 0
    assert len((await witness.ask("GET", "/api/tokens"))["tools"]) == 2
    assert (await witness.ask("DELETE", "/api/servers/shop/overlays"))["overlays"] == []
    await witness.ask("DELETE", "/api/servers/none/overlays", status=404)


async def _walk_selection(witness: Witness) -> None:
    chosen = await witness.ask("GET", "/api/selection")
    assert (chosen["total"], chosen["shown"], chosen["meta_tools"]) == (2, 2, ["read_result"])
    chosen = await witness.ask("PUT", "/api/selection", {"pinned": ["addProduct"], "names": ["add*"]})
    assert (chosen["selected"], chosen["shown"]) == (1, 1)
    await witness.ask("PUT", "/api/selection", {"max_tools": 2}, status=400)
    for form, names in (
        ("openapi", ["addProduct", "read_result"]),
        ("mcp", ["addProduct", "read_result"]),
        ("responses", []),
    ):
        offered = await witness.ask("GET", f"/api/selection/offered?form={form}")
        assert [tool["name"] for tool in offered["tools"]] == names, form
    await witness.ask("GET", "/api/selection/offered?form=pdf", status=400)
    forecast = await witness.ask("GET", "/api/selection/forecast?server=shop&accepted=1")
    assert forecast == {"listed": True, "giving_way": [], "others_listed": 0}
    await witness.ask("GET", "/api/selection/forecast?server=shop&accepted=-1", status=400)
    await witness.ask("GET", "/api/selection/forecast?server=none&accepted=1", status=404)
    listed = (await witness.ask("GET", "/api/tools?schemas=no"))["tools"]
    assert [(tool["advertised"], tool["left_out"]) for tool in listed] == [
        (False, "not_selected"),
        (True, None),
    ]
    assert "schema" not in listed[0]
    detail = await witness.ask("GET", "/api/servers/shop")
    assert [tool["left_out"] for tool in detail["tools"]] == ["not_selected", None]
    tool = await witness.ask("GET", "/api/tools/listProducts")
    assert "responses" not in tool
    told = await witness.ask("GET", "/api/tools/listProducts?responses=yes")
    assert told["responses"][0]["status"] == "200"
    assert tool["schema"]["properties"]["limit"]["type"] == "integer"
    await witness.ask("GET", "/api/tools/none", status=404)


async def _walk_limits(witness: Witness) -> None:
    await witness.ask("GET", "/api/usage")
    await witness.ask("GET", "/api/usage/users")
    shown = await witness.ask("GET", "/api/limits")
    assert shown["may_change"]
    changed = await witness.ask("PATCH", "/api/limits", {"limits": {"BREAKER_MAX_FAILURES": 3}})
    assert [entry["value"] for entry in changed["limits"] if entry["name"] == "BREAKER_MAX_FAILURES"] == [3]
    await witness.ask("PATCH", "/api/limits", {"limits": {"BREAKER_MAX_FAILURES": 51}}, status=400)
    assert await witness.ask("GET", "/api/breakers") == {"breakers": []}
    assert await witness.ask("POST", "/api/breakers/reset", {}) == {"reset": 0}
    await witness.ask("POST", "/api/breakers/reset", {"operation": "GET /x"}, status=400)
    setting = {"server_id": "shop", "operation": "GET /products", "deadline_s": 5}
    kept = await witness.ask("PUT", "/api/call-settings", setting)
    assert kept == await witness.ask("GET", "/api/call-settings")
    await witness.ask("PUT", "/api/call-settings", {"server_id": "none"}, status=404)
    await witness.ask("PUT", "/api/call-settings", {"deadline_s": 601}, status=400)


async def _walk_providers(witness: Witness) -> None:
    wanted = {"base_url": "http://127.0.0.1:1/v1"}
    saved = await witness.ask("PUT", "/api/providers/mine", {**wanted, "models": ["small"]})
    assert (await witness.ask("GET", "/api/providers"))["providers"] == [saved]
    await witness.ask("PUT", "/api/providers/mine", {}, status=400)
    await witness.ask("POST", "/api/providers/test", wanted, status=502)
    async with scripted_provider() as provider:
        listed = await witness.ask("POST", "/api/providers/test", {"base_url": provider.base_url})
        assert listed["models"] == [*MODELS]
    await witness.ask("DELETE", "/api/providers/mine")
    await witness.ask("DELETE", "/api/providers/mine", status=404)


async def _walk_batches(witness: Witness) -> None:
    told = await witness.ask("POST", "/api/batches", {"calls": [{"tool": "none"}]})
    assert told["outputs"][0]["outcome"]["error"]["code"] == "unknown_tool"
    await witness.ask("POST", "/api/batches", {"calls": []}, status=400)


async def _walk_approval(witness: Witness) -> None:
    await witness.ask("GET", "/api/approval")
    assert (await witness.ask("PUT", "/api/approval", {"mode": "ask"}))["mode"] == "ask"
    await witness.ask("PUT", "/api/approval", {"mode": "sometimes"}, status=400)
    await witness.ask("DELETE", "/api/approval/grants/none", status=404)
    await witness.ask("DELETE", "/api/approval/grants")
    await witness.ask("GET", "/api/audit")


async def _walk_refused_calls(witness: Witness) -> None:
    refused = await witness.ask("GET", "/api/calls/refused")
    codes = [each["code"] for each in refused["calls"]]
    assert codes[:3] == ["invalid_arguments", "unknown_tool", "not_accepted"]
    assert (await witness.ask("GET", "/api/calls/askers"))["askers"]


async def _check_last_called(witness: Witness) -> None:
    newest = max((await witness.ask("GET", "/api/calls"))["calls"], key=lambda call: call["opened_at"])
    latest = await witness.ask("GET", "/api/calls/latest")
    assert latest == {"servers": {newest["server"]: newest["opened_at"]}}


async def _walk_calls(witness: Witness) -> None:
    tools = await witness.ask("GET", "/api/tools")
    assert [tool["accepted"] for tool in tools["tools"]] == [False, False]
    call: dict[str, Any] = {"tool": "listProducts", "arguments": {}}
    await witness.ask("POST", "/api/calls", call, status=403)
    await witness.page.accept_everything()
    ended = await witness.ask("POST", "/api/calls", call)
    assert ended["outcome"]["error"]["code"] == "no_browser"

    async def answer(_call: object) -> dict[str, Any]:
        return json_answer({"ok": 1})

    await witness.page.connect(answer)
    ended = await witness.ask(
        "POST", "/api/calls", {"tool": "listProducts", "arguments_text": '{"limit": 3}'}
    )
    assert ended["outcome"]["answer"]["text"] == '{"ok": 1}'
    await witness.ask("POST", "/api/calls", {"tool": "none"}, status=404)
    await witness.ask("POST", "/api/calls", {"tool": "addProduct", "arguments": {}}, status=400)

    async def is_listed() -> bool:
        listed = (await witness.ask("GET", "/api/calls"))["calls"]
        return ended["call_id"] in [call["call_id"] for call in listed]

    await eventually(is_listed)  # the journal is written behind
    counted = await witness.ask("GET", "/api/calls/statistics")
    assert [(each["tool"], each["calls"]) for each in counted["tools"]] == [("listProducts", 2)]
    await _check_last_called(witness)
    await witness.ask("GET", "/api/calls/statistics?hours=0", status=400)
    await witness.ask("GET", f"/api/calls/{ended['call_id']}")
    await witness.ask("POST", "/api/calls/call_none/cancel", status=404)
    await witness.ask("POST", "/api/calls/call_none/retry", status=404)
    await witness.ask("PUT", "/api/calls/call_none/result", status=401)
    await witness.ask("GET", f"/api/calls/{ended['call_id']}/answer", status=404)
    await witness.ask("GET", "/files/none", status=401, token="")
    await witness.ask("POST", "/api/executor", {})
    await witness.ask("PUT", "/api/servers/shop/sharing", {"shared": True})
    await witness.ask("PUT", "/api/servers/none/sharing", {"shared": True}, status=404)
    await witness.ask("DELETE", "/api/servers/shop")


async def _walk_kept(witness: Witness) -> None:
    facts = await witness.ask("GET", "/api/stored-data")
    assert (facts["items"], facts["oldest"]) == (0, None)
    wanted = {"keeps_answers": False, "reasoning": "disabled"}
    chosen = await witness.ask("PUT", "/api/stored-data/preference", wanted)
    assert chosen == await witness.ask("GET", "/api/stored-data/preference")
    exported = await witness.ask("GET", "/api/stored-data/export")
    assert len(exported.splitlines()) == 1
    assert await witness.ask("DELETE", "/api/stored-data") == {"items": 0}
    await witness.ask("DELETE", "/api/stored-data", status=401, token="")


async def _walk_attachments(witness: Witness, path: str) -> None:
    picture = {"name": "a.png", "mime": "image/png", "data": "aGk="}
    said = await witness.ask("POST", f"{path}/chat", {"content": "See", "attachments": [picture]})
    files = f"{path}/messages/{said['user_message']['id']}/attachments"
    assert await witness.ask("GET", f"{files}/1") == b"hi"
    await witness.ask("GET", f"{files}/2", status=404)


async def _walk_conversations(bridge: Bridge, witness: Witness) -> None:
    made = await witness.ask("POST", "/conversations", {"title": "Tea"}, status=201)
    path = f"/conversations/{made['conversation']['id']}"
    await witness.ask("POST", "/conversations", {"colour": "red"}, status=400)
    await witness.ask("GET", "/conversations?limit=5")
    await witness.ask("GET", "/conversations/search?q=tea")
    await witness.ask("GET", path)
    await witness.ask("PATCH", path, {"max_tokens": 900})
    await witness.ask("PUT", path, {"title": "More tea"})
    await witness.ask("GET", f"{path}/tools")
    await witness.ask("GET", f"{path}/tools/available")
    await witness.ask("POST", f"{path}/tools", {"server_id": "gone", "tool_name": "x"}, status=404)
    await witness.ask("DELETE", f"{path}/tools")
    added = await witness.ask("POST", f"{path}/messages", {"content": "Hello"}, status=201)
    one = f"{path}/messages/{added['message']['id']}"
    await witness.ask("PATCH", one, {"content": "Hi"}, status=201)
    await _walk_attachments(witness, path)
    await witness.ask("POST", f"{path}/chat", {"content": None})
    await witness.ask("POST", f"{path}/chat", {"content": "And?", "background": True}, status=202)
    await witness.ask("POST", f"{path}/stop")
    await witness.ask("POST", f"{path}/calls/gone/retry", {}, status=404)
    await witness.ask("GET", f"{path}/messages")
    await witness.ask("DELETE", one)
    feeds = wing_of(bridge.components).conversations.runs.feeds
    feed = feeds.open_feed(bridge.local_user.id, made["conversation"]["id"])
    async with asyncio.TaskGroup() as group:
        group.create_task(witness.ask("GET", f"{path}/events"))
        group.create_task(witness.ask("GET", f"/sse{path}"))
        await eventually(lambda: feed.listeners == 2)
        await witness.ask("DELETE", path)
    await witness.ask("GET", path, status=404)
