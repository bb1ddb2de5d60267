"""The sample documents and the service behind them, over real HTTP."""

import asyncio
import json
import struct
import zlib
from collections.abc import AsyncIterator
from typing import Any, cast

import pytest
import pytest_asyncio
from aiohttp import ClientPayloadError, ClientResponse, ClientSession, FormData, encode_basic_auth, web
from aiohttp.test_utils import TestClient, TestServer, make_mocked_request
from openapi_core import Config, OpenAPI
from openapi_core.testing.requests import MockRequest
from openapi_core.testing.responses import MockResponse
from openapi_spec_validator import validate
from openapi_spec_validator.validation.exceptions import DuplicateOperationIDError

from examples.document_files import DOCUMENT_NAMES, JsonObject, load_document, read_document_text
from examples.sample_api import create_sample_api, start_sample_api

TIDY = [name for name in DOCUMENT_NAMES if name != "untidy.yaml"]
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
SHOP_KEY = {"X-Shop-Key": "demo-key"}
HOME_KEY = {"X-Home-Key": "demo-key"}
CARD = {"Authorization": "Bearer demo-token"}
PAGE = "http://page.example"

Client = TestClient[web.Request, web.Application]


@pytest_asyncio.fixture
async def client() -> AsyncIterator[Client]:
    async with TestClient(TestServer(create_sample_api())) as connected:
        yield connected


def order(quantity: int = 2) -> JsonObject:
    return {"customer": "Ada", "items": [{"product_id": 1, "quantity": quantity}]}


@pytest.mark.parametrize("name", TIDY)
def test_every_tidy_document_is_valid(name: str) -> None:
    """A sample that a validator refuses would teach its readers mistakes."""
    validate(cast(dict[Any, Any], load_document(name)))


def test_the_untidy_document_is_refused_by_a_validator() -> None:
    """It stands for the documents that a strict reader would reject as a whole; that must stay so."""
    with pytest.raises(DuplicateOperationIDError):
        validate(cast(dict[Any, Any], load_document("untidy.yaml")))


@pytest.mark.parametrize("name", DOCUMENT_NAMES)
def test_no_document_is_pinned_to_a_host(name: str) -> None:
    """The samples run on any port, so their servers must be relative to the document."""
    assert "://" not in read_document_text(name)


@pytest.mark.parametrize("name", DOCUMENT_NAMES)
def test_every_operation_of_a_document_says_what_it_is_for(name: str) -> None:
    """Descriptions are what a model chooses by; the untidy document may leave out one."""
    silent = [
        key for key, operation in operations_of(load_document(name)).items() if not operation.get("summary")
    ]
    assert silent == (["GET /untidy/status"] if name == "untidy.yaml" else [])


@pytest.mark.asyncio
@pytest.mark.parametrize("name", DOCUMENT_NAMES)
async def test_every_operation_of_a_document_is_implemented(name: str) -> None:
    """A documented operation that answers "no such path" is a lie."""
    app = create_sample_api()
    app.freeze()
    missing: list[str] = []
    for key in operations_of(load_document(name)):
        method, path = key.split(" ")
        match = await app.router.resolve(make_mocked_request(method, path.replace("{", "").replace("}", "")))
        if match.http_exception is not None:
            missing.append(key)
    assert not missing


@pytest.mark.asyncio
@pytest.mark.parametrize("name", DOCUMENT_NAMES)
async def test_documents_are_served_as_they_are(client: Client, name: str) -> None:
    """A page of any origin reads the document and resolves its servers against this address."""
    answer = await client.get(f"/documents/{name}", headers={"Origin": PAGE})
    assert await answer.text() == read_document_text(name)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert f"/documents/{name}" in (await (await client.get("/documents")).json())["documents"]


RYE: JsonObject = {"name": "Rye", "category": "bakery", "price": 249}
SUBJECT: JsonObject = {"name": "Gardening", "children": [{"name": "Roses"}]}
LOAN: JsonObject = {"isbn": "9780000000019", "reader": "Ada", "note": None}
TARGET: JsonObject = {"temperature": 21, "until": None}
PROGRAM = [{"days": ["mon"], "at": "06:30", "temperature": 20}]

JUDGE = Config(extra_media_type_deserializers={"application/problem+json": json.loads})

DOCUMENT_AT = {
    "shop": "shop.json",
    "library": "library.yaml",
    "thermostat": "thermostat.yaml",
    "answers": "answers.yaml",
    "nocors": "answers.yaml",
    "echo": "mirror.yaml",
}

EXCHANGES: list[tuple[str, str, dict[str, Any], int]] = [
    ("GET", "/shop/opening-hours", {}, 200),
    ("GET", "/shop/products", {}, 200),
    ("GET", "/shop/products?category=drinks&label=vegan&label=organic&in_stock=true", {}, 200),
    ("GET", "/shop/products?limit=0", {}, 400),
    ("POST", "/shop/products", {"headers": SHOP_KEY, "json": RYE}, 201),
    ("POST", "/shop/products", {"headers": SHOP_KEY, "json": {"name": "Rye"}}, 400),
    ("POST", "/shop/products", {"json": {}}, 401),
    ("GET", "/shop/products/1", {}, 200),
    ("GET", "/shop/products/99", {}, 404),
    ("PATCH", "/shop/products/1", {"headers": SHOP_KEY, "json": {"price": 500}}, 200),
    ("DELETE", "/shop/products/1", {"headers": SHOP_KEY}, 204),
    ("GET", "/shop/products/1/picture", {}, 200),
    ("GET", "/shop/orders?status=reserved,collected", {}, 200),
    ("POST", "/shop/orders", {"json": order()}, 201),
    ("POST", "/shop/orders", {"json": order(90)}, 409),
    ("DELETE", "/shop/orders/1", {}, 404),
    ("PUT", "/shop/orders/1/collection", {"headers": SHOP_KEY}, 404),
    ("GET", "/library/v1/books?genre=novel,poetry&filter[author]=holt&page_size=1", {}, 200),
    ("GET", "/library/v1/books?filter[color]=red", {}, 400),
    ("GET", "/library/v1/books/9780000000033", {}, 200),
    ("GET", "/library/v1/books/9780000000040", {}, 404),
    ("POST", "/library/v1/books/lookup", {"json": ["9780000000019", "9780000000040"]}, 200),
    ("POST", "/library/v1/books/lookup", {"json": []}, 400),
    ("GET", "/library/v1/categories", {}, 200),
    ("POST", "/library/v1/categories", {"headers": CARD, "json": SUBJECT}, 201),
    ("POST", "/library/v1/loans", {"headers": CARD, "json": LOAN}, 201),
    ("GET", "/library/v1/loans?reader=Ada&reader=Ben", {"headers": CARD}, 200),
    ("GET", "/library/v1/loans", {}, 401),
    ("DELETE", "/library/v1/loans/L-9", {"headers": CARD}, 404),
    ("POST", "/library/v1/readers", {"data": {"name": "Ada", "newsletter": "true"}}, 201),
    ("POST", "/library/v1/readers", {"data": {"newsletter": "true"}}, 400),
    ("POST", "/library/v1/suggestions", {"data": "More maps"}, 202),
    ("GET", "/thermostat/status", {}, 200),
    ("GET", "/thermostat/rooms", {"headers": {**HOME_KEY, "X-Request-Note": "n1"}}, 200),
    ("GET", "/thermostat/rooms/kitchen", {"headers": {**HOME_KEY, "X-Units": "kelvin"}}, 400),
    ("GET", "/thermostat/rooms/attic", {"headers": HOME_KEY}, 404),
    ("PUT", "/thermostat/rooms/kitchen/target", {"headers": HOME_KEY, "json": TARGET}, 200),
    ("POST", "/thermostat/rooms/kitchen/boost?minutes=15", {"headers": HOME_KEY}, 200),
    ("POST", "/thermostat/rooms/kitchen/boost", {"headers": HOME_KEY}, 400),
    ("PUT", "/thermostat/program", {"headers": HOME_KEY, "json": PROGRAM}, 200),
    ("PUT", "/thermostat/program", {"headers": HOME_KEY, "json": [{"days": ["mon"]}]}, 400),
    ("GET", "/thermostat/history?rooms=kitchen|bedroom", {"headers": HOME_KEY}, 200),
    ("POST", "/thermostat/firmware/update", {"headers": CARD, "json": {"version": "5.1.0"}}, 202),
    ("GET", "/thermostat/service/report", {"headers": {**HOME_KEY, **CARD}}, 200),
    ("GET", "/thermostat/service/report", {"headers": HOME_KEY}, 401),
    ("GET", "/answers/nothing", {}, 204),
    ("GET", "/answers/empty", {}, 200),
    ("GET", "/answers/missing", {}, 404),
    ("GET", "/answers/failure?status=503", {}, 503),
    ("GET", "/answers/slow?seconds=0", {}, 200),
    ("POST", "/answers/slow?seconds=0", {"json": {"note": "n"}}, 200),
    ("GET", "/answers/large?bytes=64", {}, 200),
    ("GET", "/answers/compressed", {}, 200),
    ("GET", "/answers/page", {}, 200),
    ("GET", "/answers/json/null", {}, 200),
    ("GET", "/answers/json/array", {}, 200),
    ("GET", "/answers/json/other", {}, 404),
    ("GET", "/answers/big-integers", {}, 200),
    ("GET", "/nocors/readings", {}, 200),
    ("GET", "/echo/query?text=a", {}, 200),
    ("PATCH", "/echo/json", {"json": {"title": None}}, 200),
    ("OPTIONS", "/echo/query", {}, 200),
]  # fmt: skip


@pytest.mark.asyncio
@pytest.mark.parametrize(("method", "path", "sent", "status"), EXCHANGES)
async def test_answers_are_what_the_document_promises(
    client: Client, method: str, path: str, sent: dict[str, Any], status: int
) -> None:
    """The service is the proof of the document: openapi-core judges each status, content type and body."""
    answer = await client.request(method, path, **sent)
    assert answer.status == status
    document = load_document(DOCUMENT_AT[path.split("/")[1]])
    openapi = OpenAPI.from_dict(cast(dict[Any, Any], document), config=JUDGE)
    request = MockRequest(str(client.make_url("/")).rstrip("/"), method, path.partition("?")[0])
    headers = dict(answer.headers)
    response = MockResponse(await answer.read(), answer.status, headers, answer.content_type)
    openapi.validate_response(request, response)


@pytest.mark.asyncio
async def test_a_wrong_body_is_refused_with_every_wrong_place(client: Client) -> None:
    """A model can only repair what it is told about."""
    body = {"customer": "", "items": [{"product_id": 1, "quantity": 0}], "colour": "red"}
    answer = await client.post("/shop/orders", json=body)
    problems = (await answer.json())["problems"]
    assert answer.status == 400
    assert answer.content_type == "application/problem+json"
    assert [problem["where"] for problem in problems] == ["body/customer", "body/items/0/quantity", "body"]


@pytest.mark.asyncio
async def test_a_body_that_is_no_json_is_refused(client: Client) -> None:
    """Text that does not parse is the caller's mistake, not a server error."""
    headers = {"Content-Type": "application/json"}
    assert (await client.post("/shop/orders", data="{", headers=headers)).status == 400
    assert (await client.post("/shop/orders", data="customer=Ada")).status == 415


@pytest.mark.asyncio
async def test_an_order_takes_from_stock_and_a_cancelled_one_gives_back(client: Client) -> None:
    """The service has true state, so that a chat about it makes sense."""
    placed = await (await client.post("/shop/orders", json=order(20))).json()
    assert (placed["id"], placed["total"]) == (1001, 20 * 449)
    assert (await (await client.get("/shop/products/1")).json())["stock"] == 4
    cancelled = await (await client.delete("/shop/orders/1001?reason=too+much")).json()
    assert (cancelled["status"], cancelled["cancel_reason"]) == ("cancelled", "too much")
    assert (await (await client.get("/shop/products/1")).json())["stock"] == 24


@pytest.mark.asyncio
async def test_an_order_that_cannot_be_filled_takes_nothing(client: Client) -> None:
    """Half an order would be a side effect that the answer denies."""
    items = [{"product_id": 1, "quantity": 1}, {"product_id": 4, "quantity": 1}]
    assert (await client.post("/shop/orders", json={"customer": "Ada", "items": items})).status == 409
    assert (await (await client.get("/shop/products/1")).json())["stock"] == 24


@pytest.mark.asyncio
async def test_an_idempotency_key_orders_once(client: Client) -> None:
    """Fault tests repeat requests; with a key the shop must count one order, in the ledger two arrivals."""
    headers = {"Idempotency-Key": "k1"}
    first = await (await client.post("/shop/orders", json=order(), headers=headers)).json()
    second = await (await client.post("/shop/orders", json=order(), headers=headers)).json()
    assert first == second
    entries = (await (await client.get("/ledger")).json())["entries"]
    assert [entry["idempotency_key"] for entry in entries] == ["k1", "k1"]


@pytest.mark.asyncio
async def test_applications_do_not_share_state(client: Client) -> None:
    """Tests that run side by side must not see each other's orders."""
    await client.post("/shop/orders", json=order())
    async with TestClient(TestServer(create_sample_api())) as other:
        assert await (await other.get("/shop/orders")).json() == []


@pytest.mark.asyncio
async def test_a_category_tree_can_be_cut_at_a_depth(client: Client) -> None:
    """The circular schema must describe something real."""
    shallow = await (await client.get("/library/v1/categories?depth=1")).json()
    deep = await (await client.get("/library/v1/categories")).json()
    assert shallow == {"name": "Everything", "children": []}
    assert deep["children"][0]["children"][0]["children"][0]["name"] == "Tides"


@pytest.mark.asyncio
async def test_both_kinds_of_library_item_can_be_added(client: Client) -> None:
    """A union body with allOf inside it is the hardest form a caller meets."""
    audio = {
        "kind": "audio",
        "isbn": "9780000000040",
        "title": "T",
        "author": "A",
        "minutes": 5,
        "narrator": None,
    }
    added = await client.post("/library/v1/books", json=audio, headers=CARD)
    assert (added.status, (await added.json())["available"]) == (201, True)
    assert (await client.post("/library/v1/books", json=audio, headers=CARD)).status == 409
    neither = {**audio, "isbn": "9780000000057", "kind": "book"}
    assert (await client.post("/library/v1/books", json=neither, headers=CARD)).status == 400


@pytest.mark.asyncio
async def test_a_cover_arrives_as_multipart(client: Client) -> None:
    """The bytes of a file part must arrive unchanged."""
    form = FormData()
    form.add_field("picture", b"\x00\xff\r\n--", filename="c.png", content_type="image/png")
    form.add_field("caption", "A lamp")
    answer = await client.put("/library/v1/books/9780000000019/cover", data=form, headers=CARD)
    assert await answer.json() == {"isbn": "9780000000019", "bytes": 6, "caption": "A lamp"}


@pytest.mark.asyncio
async def test_the_thermostat_converts_and_returns_the_note(client: Client) -> None:
    """Header parameters must have an effect that a test can see."""
    headers = {**HOME_KEY, "X-Units": "fahrenheit", "X-Request-Note": "note 7"}
    answer = await client.get("/thermostat/rooms", headers=headers)
    assert answer.headers["X-Request-Note"] == "note 7"
    assert (await answer.json())[0]["temperature"] == 68.7


@pytest.mark.asyncio
async def test_the_service_report_takes_either_login(client: Client) -> None:
    """Security alternatives are OR, the schemes inside one are AND."""
    login = encode_basic_auth("installer", "demo-password")
    by_name = await client.get("/thermostat/service/report", headers={"Authorization": login})
    refused = await client.get("/thermostat/service/report", headers=CARD)
    assert (by_name.status, refused.status) == (200, 401)
    assert refused.headers["WWW-Authenticate"].startswith("Basic")


@pytest.mark.asyncio
async def test_the_mirror_shows_the_request_before_any_decoding(client: Client) -> None:
    """Request builders are judged by these bytes."""
    headers = {"X-List": "a,b", "Content-Type": "text/plain"}
    sent = client.make_url("/echo").join(client.make_url("/echo/path/a%2Fb/;x=1?q=%20&q=%C3%A9"))
    answer = await client.post(str(sent.relative()), data="é", headers=headers)
    shown = await answer.json()
    assert (shown["method"], shown["query"], shown["body"]) == ("POST", "q=%20&q=%C3%A9", "é")
    assert shown["path"] == "/echo/path/a%2Fb/;x=1"
    assert shown["headers"]["x-list"] == "a,b"


@pytest.mark.asyncio
async def test_the_mirror_shows_bytes_as_base64(client: Client) -> None:
    """A body that is no text must not be damaged on its way into JSON."""
    shown = await (await client.put("/echo/bytes", data=b"\xff\x00")).json()
    assert (shown["body"], shown["body_encoding"]) == ("/wA=", "base64")


@pytest.mark.asyncio
async def test_large_answers_have_exactly_the_size_asked_for(client: Client) -> None:
    """Limits are tested at their edges, so a byte more or less matters."""
    for kind in ("json", "text", "binary"):
        answer = await client.get(f"/answers/large?bytes=1000&kind={kind}")
        assert len(await answer.read()) == 1000


@pytest.mark.asyncio
async def test_big_integers_travel_as_digits(client: Client) -> None:
    """A server that rounded them itself would hide the mistakes of others."""
    assert "9007199254740993" in await (await client.get("/answers/big-integers")).text()


@pytest.mark.asyncio
async def test_media_are_what_they_claim_to_be(client: Client) -> None:
    """Browsers and models refuse files with a wrong checksum or length."""
    picture = await (await client.get("/answers/picture")).read()
    length, kind = struct.unpack(">I4s", picture[8:16])
    assert (picture[:4], kind) == (b"\x89PNG", b"IHDR")
    checksum = zlib.crc32(picture[12 : 16 + length])
    assert struct.unpack(">I", picture[16 + length : 20 + length]) == (checksum,)
    sound = await (await client.get("/answers/recording")).read()
    assert struct.unpack("<4sI4s", sound[:12]) == (b"RIFF", len(sound) - 8, b"WAVE")


@pytest.mark.asyncio
async def test_an_interrupted_answer_breaks_off(client: Client) -> None:
    """The caller must be able to tell a cut answer from a whole one."""
    answer = await client.get("/answers/interrupted")
    with pytest.raises(ClientPayloadError):
        await answer.read()


@pytest.mark.asyncio
async def test_a_redirect_can_lead_to_another_origin(client: Client) -> None:
    """Credentials must not follow there, which needs a true other origin to test."""
    near = await client.get("/answers/redirect", allow_redirects=False)
    far = await client.get("/answers/redirect?target=other-origin", allow_redirects=False)
    assert near.headers["Location"] == "/answers/text"
    assert far.headers["Location"] == f"http://localhost:{client.port}/answers/text"


@pytest.mark.asyncio
async def test_a_preflight_is_allowed_with_the_headers_it_names(client: Client) -> None:
    """Without this no page could send JSON or a key (Fetch standard, CORS-preflight fetch)."""
    answer = await preflight(client, "/shop/products", "x-shop-key,content-type")
    assert answer.status == 204
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Access-Control-Allow-Headers"] == "x-shop-key,content-type"
    assert "PATCH" in answer.headers["Access-Control-Allow-Methods"]
    assert answer.headers["Access-Control-Allow-Private-Network"] == "true"


@pytest.mark.asyncio
async def test_pages_may_read_errors_and_headers_too(client: Client) -> None:
    """An error that a page cannot read looks like a broken network."""
    answer = await client.get("/thermostat/service/report", headers={"Origin": PAGE})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "www-authenticate" in answer.headers["Access-Control-Expose-Headers"]
    assert (await client.get("/no/such/path")).headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.asyncio
async def test_nothing_below_nocors_may_be_read_by_pages(client: Client) -> None:
    """Diagnosis of CORS failures needs an API that behaves as badly as many do."""
    answers = [
        await client.get("/nocors/readings"),
        await preflight(client, "/nocors/readings", "content-type"),
    ]
    for answer in answers:
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


@pytest.mark.asyncio
async def test_only_listed_origins_may_read_where_a_list_is_given() -> None:
    """Tests of foreign origins need an API that tells them apart."""
    async with TestClient(TestServer(create_sample_api(allow_origins=[PAGE]))) as client:
        known = await client.get("/shop/orders", headers={"Origin": PAGE})
        foreign = await client.get("/shop/orders", headers={"Origin": "http://other.example"})
    assert known.headers["Access-Control-Allow-Origin"] == PAGE
    assert "Access-Control-Allow-Origin" not in foreign.headers
    assert foreign.headers["Vary"] == "Origin"


@pytest.mark.asyncio
async def test_the_ledger_lists_unsafe_requests_and_can_be_emptied(client: Client) -> None:
    """Fault tests count side effects here, so safe requests and its own emptying must not show."""
    await client.get("/shop/orders")
    await client.post("/shop/orders?a=%20", json=order())
    await client.delete("/shop/orders/7")
    entries = (await (await client.get("/ledger")).json())["entries"]
    assert [(entry["number"], entry["method"], entry["path"], entry["status"]) for entry in entries] == [
        (1, "POST", "/shop/orders?a=%20", 201),
        (2, "DELETE", "/shop/orders/7", 404),
    ]
    assert "Ada" in entries[0]["body"]
    assert (await client.delete("/ledger")).status == 204
    assert (await (await client.get("/ledger")).json())["entries"] == []


@pytest.mark.asyncio
async def test_a_caller_that_gives_up_has_still_written() -> None:
    """The case that makes an outcome unknown; and a stopping server must not wait for its slow answers."""
    runner, base_url = await start_sample_api()
    async with ClientSession(base_url) as session, asyncio.timeout(20):
        given_up = asyncio.create_task(session.post("/answers/slow?seconds=200", json={"note": "done"}))
        while not (entries := await ledger_of(session)):
            pass
        assert (entries[0]["body"], entries[0]["status"]) == ('{"note": "done"}', None)
        given_up.cancel()
        await asyncio.wait([given_up])
        waiting = asyncio.create_task(session.get("/answers/trickle?lines=2&pause=10"))
        await session.get("/answers/slow?seconds=0")
        await runner.cleanup()
        await asyncio.wait([waiting])


async def ledger_of(session: ClientSession) -> list[JsonObject]:
    async with session.get("/ledger") as answer:
        return (await answer.json())["entries"]


async def preflight(client: Client, path: str, headers: str) -> ClientResponse:
    asked = {
        "Origin": PAGE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": headers,
        "Access-Control-Request-Private-Network": "true",
    }
    return await client.options(path, headers=asked)


def operations_of(document: JsonObject) -> dict[str, JsonObject]:
    """Method and full path of every operation, path templates unchanged."""
    found: dict[str, JsonObject] = {}
    for path, entry in cast(dict[str, JsonObject], document["paths"]).items():
        servers = cast(list[dict[str, str]], entry.get("servers") or document["servers"])
        base = servers[0]["url"].replace("{edition}", "v1").rstrip("/")
        for method in METHODS:
            if method in entry:
                found[f"{method.upper()} {base}{path}"] = cast(JsonObject, entry[method])
    return found
