"""Pairing, sessions and keys: who may be whom."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urljoin

import aiohttp
import jwt
import pytest
import pytest_asyncio
import socketio
from cryptography.hazmat.primitives.asymmetric import ec

from bridge.app.part import AmongReplicas
from bridge.app.server import Bridge
from bridge.auth.identity import CHALLENGE, EXECUTOR, FILE, SESSION
from bridge.errors import BridgeError, ErrorCode
from bridge.storage.users import KeyHolder, UserTables
from tests.support.running_bridge import FakePage, json_answer, page_of, pair_browser, running_bridge
from tests.support.stores.databases import Where, content_of, execute
from tests.support.waiting import eventually

pytestmark = [pytest.mark.asyncio, pytest.mark.both_databases]


@pytest_asyncio.fixture
async def bridge(tmp_path: Path, database: Where) -> AsyncIterator[Bridge]:
    async with running_bridge(tmp_path, database=database) as running:
        yield running


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def ticket_of(page_url: str) -> str:
    return page_url.partition("#ticket=")[2]


async def test_a_ticket_makes_one_browser_a_device_once(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Whoever sees the printed link later must not get in with it."""
    ticket = ticket_of(await bridge.page_url())
    page = await pair_browser(bridge.base_url, http, ticket)
    await page.open_session()
    assert (await page.get("/api/me"))["user"] == "local"
    public_key = {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}
    status, body = await page.request("POST", "/api/devices", {"ticket": ticket, "public_key": public_key})
    assert (status, body["error"]["code"]) in [(401, "unauthorized"), (400, "invalid_request")]
    with pytest.raises(AssertionError, match="already used"):
        await pair_browser(bridge.base_url, http, ticket)


async def test_an_expired_ticket_is_worth_nothing(
    bridge: Bridge, http: aiohttp.ClientSession, database: Where
) -> None:
    """A link in a terminal's scrollback loses its power after a day."""
    ticket = ticket_of(await bridge.page_url())
    expired = "UPDATE tickets SET expires_at = 1"
    await asyncio.to_thread(
        execute, database, expired
    )  # the bridge may be writing, and needs this loop to end that
    with pytest.raises(AssertionError, match="expired"):
        await pair_browser(bridge.base_url, http, ticket)


@pytest.mark.parametrize(
    "public_key",
    [
        {},
        {"kty": "RSA", "n": "AA", "e": "AQAB"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "P-384", "x": "AA", "y": "AA"},
        {"kty": "oct", "k": "AA"},
    ],
)
async def test_only_a_p256_public_key_can_be_paired_and_a_bad_one_does_not_spend_the_ticket(
    bridge: Bridge, http: aiohttp.ClientSession, public_key: dict[str, str]
) -> None:
    """An `oct` key would let the server's own algorithm confusion sign sessions."""
    ticket = ticket_of(await bridge.page_url())
    body = {"ticket": ticket, "public_key": public_key}
    async with http.post(bridge.base_url + "/api/devices", json=body) as response:
        assert response.status == 400
    await pair_browser(bridge.base_url, http, ticket)


async def test_a_session_needs_the_device_key_and_a_fresh_nonce(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A stolen device id, a replayed signature or another browser's key open nothing."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    own_key, page.key = page.key, ec.generate_private_key(ec.SECP256R1())
    with pytest.raises(KeyError):
        await page.open_session()
    page.key = own_key
    other = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    other.device_id = page.device_id
    with pytest.raises(KeyError):
        await other.open_session()
    assert await page.open_session()


async def test_a_nonce_works_once(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Somebody who records the exchange cannot repeat it."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    nonce = (await page.post("/api/sessions/challenge", {"device_id": page.device_id}))["nonce"]
    signed = page.sign_nonce(nonce)
    assert (await page.request("POST", "/api/sessions", signed))[0] == 200
    status, body = await page.request("POST", "/api/sessions", signed)
    assert (status, body["error"]["code"]) == (401, "unauthorized")


@dataclass
class PlayedCounts:
    """What replicas count together."""

    is_away: bool = False
    spent: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])

    async def count_within(self, name: str, seconds: float) -> int:
        return 1

    async def read_count(self, name: str) -> int:
        return 0

    async def spend_once(self, value: str, seconds: float) -> bool:
        if self.is_away:
            raise BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, "Redis does not answer.", retryable=True)
        self.spent.append((value, seconds))
        return len(self.spent) == 1


@asynccontextmanager
async def page_of_replica(
    folder: Path, http: aiohttp.ClientSession, counts: PlayedCounts
) -> AsyncGenerator[FakePage]:
    """A paired browser of a bridge that counts with others."""
    async with running_bridge(folder, among=lambda _store: AmongReplicas(counts=counts)) as bridge:
        yield await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))


async def test_a_nonce_that_was_spent_at_another_replica_opens_nothing(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Replicas spend nonces together; who asks them sees no nonce, which could still be used elsewhere."""
    counts = PlayedCounts()
    async with page_of_replica(tmp_path, http, counts) as page:
        for status in (200, 401):
            signed = await signed_by(page)
            assert (await page.request("POST", "/api/sessions", signed))[0] == status
    assert len({value for value, _ in counts.spent}) == len(counts.spent) == 2
    assert {seconds for _, seconds in counts.spent} == {60}
    assert signed["nonce"] not in {value for value, _ in counts.spent}


async def test_no_session_is_opened_while_replicas_cannot_agree(
    tmp_path: Path, http: aiohttp.ClientSession
) -> None:
    """Nobody can say then whether the nonce was spent."""
    async with page_of_replica(tmp_path, http, PlayedCounts(is_away=True)) as page:
        assert (await page.request("POST", "/api/sessions", await signed_by(page)))[0] == 503


async def test_the_page_brings_a_nonce_for_its_first_session(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """One question less before anything is seen; the next load of the page brings another one."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    nonces = [await _nonce_of_page(bridge, http) for _ in range(2)]
    assert nonces[0] != nonces[1]
    for nonce in nonces:
        assert (await page.request("POST", "/api/sessions", page.sign_nonce(nonce)))[0] == 200
        assert (await page.request("POST", "/api/sessions", page.sign_nonce(nonce)))[0] == 401


async def test_a_page_of_another_version_gets_no_worker_and_is_told_to_reload(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """It was open during an update; page and worker of two versions would not understand each other."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    await page.open_session()
    status, body = await page.request("POST", "/api/executor", {"version": "0123456789abcdef"})
    assert (status, body["error"]["code"]) == (400, "invalid_request")
    assert "Reload the page" in body["error"]["message"]
    async with http.get(bridge.base_url + "/") as document:
        version = (await document.text()).partition("/static/")[2].partition("/")[0]
    status, body = await page.request("POST", "/api/executor", {"version": version})
    async with http.get(urljoin(bridge.base_url, body["script_url"])) as script:
        assert f"/static/{version}/executor_worker.js" in await script.text()


@pytest.mark.parametrize(("audience", "seconds"), [(CHALLENGE, -1), (SESSION, 60), (FILE, 60)])
async def test_a_nonce_that_is_too_old_or_of_another_kind_opens_nothing(
    bridge: Bridge, http: aiohttp.ClientSession, audience: str, seconds: float
) -> None:
    """What the bridge signed for something else is no nonce."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    token = bridge.components.identity.sign_token(audience, {"nonce": "n"}, seconds)
    assert (await page.request("POST", "/api/sessions", page.sign_nonce(token)))[0] == 401


async def _nonce_of_page(bridge: Bridge, http: aiohttp.ClientSession) -> str:
    async with http.get(bridge.base_url + "/") as response:
        assert response.headers["Cache-Control"] == "private, no-cache"
        return (await response.text()).partition('name="session-nonce" content="')[2].partition('"')[0]


@pytest.mark.parametrize("audience", [FILE, EXECUTOR])
async def test_a_token_for_one_purpose_is_none_for_another(
    bridge: Bridge, http: aiohttp.ClientSession, audience: str
) -> None:
    """The signed address of a file must not open a session."""
    token = bridge.components.identity.sign_token(
        audience, {"sub": bridge.local_user.id, "name": "local"}, 60
    )
    async with http.get(
        bridge.base_url + "/api/me", headers={"Authorization": f"Bearer {token}"}
    ) as response:
        assert response.status == 401


async def test_forged_and_expired_sessions_are_refused(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Also the classic: a token that says it needs no signature."""
    claims = {"sub": bridge.local_user.id, "name": "local", "device": "d", "aud": SESSION}
    tokens = [
        bridge.components.identity.sign_token(SESSION, claims, -1),
        jwt.encode({**claims, "exp": 9_999_999_999}, "another secret of sufficient length!", "HS256"),
        jwt.encode({**claims, "exp": 9_999_999_999}, "", "none"),
        "x.y.z",
        "",
    ]
    for token in tokens:
        headers = {"Authorization": f"Bearer {token}"}
        async with http.get(bridge.base_url + "/api/me", headers=headers) as response:
            assert response.status == 401
        socket = socketio.AsyncClient(reconnection=False)
        with pytest.raises(socketio.exceptions.ConnectionError):
            await socket.connect(
                bridge.base_url, socketio_path="ws/socket.io", transports=["websocket"], auth={"token": token}
            )
        await socket.disconnect()


async def test_a_session_that_was_checked_before_ends_in_time(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Its signature is checked once, but its time at every request."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    identity = bridge.components.identity
    claims = {"sub": bridge.local_user.id, "name": "local", "device": page.device_id}
    token = identity.sign_token(SESSION, claims, 2)

    async def is_refused() -> bool:
        try:
            await identity.caller_of_session(token)
        except BridgeError as error:
            return error.error.code is ErrorCode.UNAUTHORIZED
        return False

    assert not await is_refused()
    await eventually(is_refused)


async def test_an_api_key_cannot_play_a_page(bridge: Bridge) -> None:
    """The key that Open WebUI holds must not be able to receive other people's calls."""
    socket = socketio.AsyncClient(reconnection=False)
    with pytest.raises(socketio.exceptions.ConnectionError):
        await socket.connect(
            bridge.base_url,
            socketio_path="ws/socket.io",
            transports=["websocket"],
            auth={"token": bridge.key},
        )
    await socket.disconnect()


async def test_a_session_brings_the_executor_to_the_page_that_asks_for_it(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """The page needs it next, and asking for it would be one more round trip."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    await page.open_session()
    version = await version_of(bridge, http)
    opened = await page.post("/api/sessions", await signed_by(page) | {"version": version})
    assert opened["executor"].keys() == {"script_url", "origins", "revision"}
    async with http.get(urljoin(bridge.base_url, opened["executor"]["script_url"])) as script:
        assert script.status == 200
        assert "connect-src 'self'" in script.headers["Content-Security-Policy"]


async def test_a_session_without_a_page_of_this_version_brings_no_executor(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Programs and workers need none, and an older page learns from `/api/executor` that it is old."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    for more in ({}, {"version": "0123456789abcdef"}):
        assert (await page.post("/api/sessions", await signed_by(page) | more))["executor"] is None


async def signed_by(page: FakePage) -> dict[str, str]:
    """What opens a session: a fresh nonce, signed."""
    nonce = (await page.post("/api/sessions/challenge", {"device_id": page.device_id}))["nonce"]
    return page.sign_nonce(nonce)


async def version_of(bridge: Bridge, http: aiohttp.ClientSession) -> str:
    """The digest in the addresses of the page's files."""
    async with http.get(bridge.base_url) as document:
        return (await document.text()).partition("/static/")[2].partition("/")[0]


async def test_a_socket_gets_no_calls_before_it_has_said_hello(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """A page that is not ready would lose the call."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    token = await page.open_session()
    url, auth = page.routed(bridge.base_url), {"token": token}
    await page.socket.connect(url, socketio_path="ws/socket.io", transports=["websocket"], auth=auth)
    assert bridge.components.gateway.pages.newest_page(bridge.local_user.id) is None
    wrong = await page.socket.call("bridge:hello", {"protocol": 99, "page_id": "p"}, timeout=20)
    assert wrong["error"]["code"] == "invalid_request"
    assert bridge.components.gateway.pages.newest_page(bridge.local_user.id) is None
    hello = await page.socket.call("bridge:hello", {"protocol": 2, "page_id": "p"}, timeout=20)
    assert hello["user"] == "local"
    assert set(hello["limits"]) == {"inline_result_bytes", "result_bytes", "file_bytes"}
    assert bridge.components.gateway.pages.newest_page(bridge.local_user.id)
    await page.close()


async def test_keys_are_made_shown_once_listed_and_revoked(bridge: Bridge) -> None:
    """Each program gets a key of its own, so that one can be taken away."""

    async def answer(_call: object) -> dict[str, object]:
        return json_answer({})

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        status, made = await page.request("POST", "/api/keys", {"label": "Open WebUI"})
        assert status == 201
        headers = {"Authorization": f"Bearer {made['key']}"}
        async with page.http.get(bridge.base_url + "/openapi.json", headers=headers) as response:
            assert response.status == 200
        listed = (await page.get("/api/keys"))["keys"]
        assert [key["label"] for key in listed] == ["printed at start", "Open WebUI"]
        assert made["key"] not in str(listed)
        assert (await page.request("DELETE", f"/api/keys/{made['id']}"))[0] == 200
        assert (await page.request("DELETE", f"/api/keys/{made['id']}"))[0] == 404
        async with page.http.get(bridge.base_url + "/openapi.json", headers=headers) as response:
            assert response.status == 401


async def test_a_user_cannot_revoke_the_key_of_another(bridge: Bridge) -> None:
    """Key ids are no secret."""
    bob = await bridge.components.users.ensure_user("bob")
    key_id, _ = await bridge.components.users.add_key(bob.id, "bob's")

    async def answer(_call: object) -> None:
        return None

    async with page_of(bridge, bridge.local_user.id, answer) as page:
        assert (await page.request("DELETE", f"/api/keys/{key_id}"))[0] == 404


async def test_secrets_lie_in_the_data_folder_for_their_owner_only(
    bridge: Bridge, tmp_path: Path, database: Where
) -> None:
    """No key, ticket or token can be read from the database; the two key files are private."""
    ticket = ticket_of(await bridge.page_url())
    _, key = await bridge.components.users.add_key(bridge.local_user.id, "x")
    content = content_of(database)
    assert ticket.encode() not in content
    assert key.encode() not in content
    assert [mode_of(tmp_path / name) for name in ("local.key", "secret.key")] == [0o600, 0o600]


async def test_the_session_lives_a_quarter_of_an_hour(bridge: Bridge, http: aiohttp.ClientSession) -> None:
    """Documented: the page renews it; a stolen one ends soon."""
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    claims = jwt.decode(await page.open_session(), options={"verify_signature": False})
    assert 0 <= time.time() + 15 * 60 - claims["exp"] < 60
    assert claims["aud"] == SESSION


async def test_what_nobody_may_guess_has_128_random_bits_and_is_never_the_same(bridge: Bridge) -> None:
    """ASVS 11.5.1; a code of a browser is shorter, and worth nothing without a user who confirms it."""
    store, user_id = bridge.components.store, bridge.local_user.id

    async def made() -> list[str]:
        nonce = jwt.decode(bridge.components.identity.issue_challenge(), options={"verify_signature": False})
        key = (await UserTables(store).add_key(user_id, "x"))[1]
        return [await UserTables(store).add_ticket(user_id), key.removeprefix("tbk_"), str(nonce["nonce"])]

    first, second = await made(), await made()
    assert not {*first} & {*second}
    assert [len(secret) * 6 >= 128 and secret.isascii() for secret in first] == [True] * 3
    assert len((bridge.data_dir / "secret.key").read_bytes()) >= 16


async def test_a_revoked_start_key_stays_revoked_after_a_restart(tmp_path: Path, database: Where) -> None:
    """The next start prints another one; an unrevoked one stays the same."""
    async with running_bridge(tmp_path, database=database) as bridge:
        first = bridge.key
    async with running_bridge(tmp_path, database=database) as bridge:
        assert bridge.key == first
        keys = await bridge.components.users.list_keys(bridge.local_user.id)
        await bridge.components.users.delete_key(bridge.local_user.id, keys[0].id)
    async with running_bridge(tmp_path, database=database) as bridge:
        assert bridge.key != first
        assert await bridge.components.users.holder_of_key(first) is None
        (printed,) = await bridge.components.users.list_keys(bridge.local_user.id)
        assert await bridge.components.users.holder_of_key(bridge.key) == KeyHolder(
            bridge.local_user, forwarder=False, label="printed at start", key_id=printed.id
        )


@pytest.mark.parametrize("key", ["tbk_unknown", "sk-something-else", "%s"])
async def test_a_key_that_is_not_ours_is_called_a_key(
    bridge: Bridge, http: aiohttp.ClientSession, key: str
) -> None:
    """Whoever pasted the wrong key must not be told to reload a page."""
    headers = {"Authorization": f"Bearer {key}"}
    async with http.get(bridge.base_url + "/openapi.json", headers=headers) as response:
        assert "This key is unknown" in (await response.json())["error"]["message"]


async def test_a_paired_browser_does_not_change_hands_by_a_link(
    bridge: Bridge, http: aiohttp.ClientSession
) -> None:
    """Bob sends Ann his link: the bridge says whose it is; it is neither spent nor makes her his page."""
    bob = await bridge.components.users.ensure_user("bob")
    page = await pair_browser(bridge.base_url, http, ticket_of(await bridge.page_url()))
    await page.open_session()
    bobs = await bridge.components.users.add_ticket(bob.id)
    assert await page.post("/api/tickets", {"ticket": bobs}) == {
        "user": "bob",
        "redeemed": False,
        "printed": True,
    }
    assert await page.post("/api/tickets", {"ticket": bobs}) == {
        "user": "bob",
        "redeemed": False,
        "printed": True,
    }
    own = ticket_of(await bridge.page_url())
    assert await page.post("/api/tickets", {"ticket": own}) == {
        "user": "local",
        "redeemed": True,
        "printed": True,
    }
    status, body = await page.request("POST", "/api/tickets", {"ticket": own})
    assert (status, body["error"]["code"]) == (401, "unauthorized")
    assert (await page.get("/api/me"))["user"] == "local"
