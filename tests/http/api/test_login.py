"""The login over HTTP: what a browser is sent, what it must bring back, and who gets in."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import aiohttp
import jwt
import pytest
import pytest_asyncio
from yarl import URL

from bridge.app.server import Bridge
from bridge.browsers.followed_devices import FollowedDevices
from bridge.endpoints.api import account, pairing
from bridge.endpoints.api.login import FAILED_LOGINS, STRAY_ANSWERS, TRIES_OF_A_LOGIN
from bridge.storage.accounts.logins import LoginTable
from bridge.storage.users import UserTables
from tests.support.oauth.login_provider import CLIENT_ID, CLIENT_SECRET, LoginProvider, login_provider
from tests.support.running_bridge import (
    FakePage,
    new_browser,
    page_of,
    pair_browser,
    public_key_of,
    running_bridge,
)
from tests.support.waiting import eventually

pytestmark = pytest.mark.asyncio


@dataclass
class Team:
    """A bridge with a provider, and one browser."""

    bridge: Bridge
    provider: LoginProvider
    http: aiohttp.ClientSession
    """Has the cookies of one browser."""
    cookies: list[str] = field(default_factory=list[str])
    """Headers by which the bridge set them."""

    async def get(self, url: str) -> str:
        """Where an address leads."""
        async with self.http.get(url, allow_redirects=False) as answer:
            assert answer.status == 302, await answer.text()
            self.cookies += answer.headers.getall("Set-Cookie", [])
            return answer.headers["Location"]

    async def begin(self) -> str:
        """Where the browser comes back to, from the provider."""
        return await self.get(await self.get(f"{self.bridge.base_url}/login"))

    async def log_in(self) -> str:
        """What stands behind the page's address after a login."""
        place = await self.get(await self.begin())
        page, _, fragment = place.partition("#")
        assert page == f"{self.bridge.base_url}/"
        return fragment

    async def pair(self, fragment: str, http: aiohttp.ClientSession | None = None) -> tuple[int, FakePage]:
        """Spend the ticket, as the page does."""
        page = new_browser(self.bridge.base_url, http or self.http)
        ticket = fragment.removeprefix("ticket=")
        body = {"ticket": ticket, "public_key": public_key_of(page.key)}
        status, paired = await page.request("POST", "/api/devices", body)
        page.device_id = paired.get("device_id", "")
        return status, page

    async def user(self) -> Any:
        """What the bridge knows of the user who is not the local one."""
        (found,) = [each for each in await self.bridge.components.users.list_users() if each.name != "local"]
        return found


@pytest.fixture
def settings() -> dict[str, Any]:
    """What a test sets beside the provider."""
    return {}


def login_at(provider: LoginProvider) -> dict[str, Any]:
    """What a bridge is set to, to log people in there."""
    return {
        "oidc_issuer": provider.issuer,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret": CLIENT_SECRET,
    }


@pytest_asyncio.fixture
async def team(tmp_path: Path, settings: dict[str, Any]) -> AsyncIterator[Team]:
    async with AsyncExitStack() as stack:
        provider = await stack.enter_async_context(login_provider())
        bridge = await stack.enter_async_context(running_bridge(tmp_path, **(login_at(provider) | settings)))
        jar = aiohttp.CookieJar(unsafe=True)
        http = await stack.enter_async_context(aiohttp.ClientSession(cookie_jar=jar))
        yield Team(bridge, provider, http)


async def test_a_login_ends_in_a_ticket_that_pairs_this_browser(team: Team) -> None:
    """The same pairing as by a printed link; the user is named by issuer and subject."""
    status, page = await team.pair(await team.log_in())
    assert status == 201
    await page.open_session()
    me = await page.get("/api/me")
    assert (me["user"].partition(" at ")[0], me["operator"]) == ("Ada", False)
    user = await team.user()
    assert user.name.startswith("oauth-")
    assert user.name.endswith(":ada-1")


async def test_the_request_carries_state_nonce_and_a_challenge_and_nothing_secret(team: Team) -> None:
    """The verifier goes to the provider by the bridge alone, the secret never through the browser."""
    asked = parse_qs(urlsplit(await team.get(f"{team.bridge.base_url}/login")).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["redirect_uri"] == [f"{team.bridge.base_url}/login/callback"]
    assert asked["scope"] == ["openid profile"]
    assert all(len(asked[name][0]) >= 43 for name in ("state", "nonce", "code_challenge"))
    assert "s3cret" not in str(asked)
    (cookie,) = team.cookies
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Max-Age=600" in cookie


async def test_an_answer_that_this_browser_did_not_ask_for_logs_nobody_in(team: Team) -> None:
    """Else somebody could log another person's browser in as himself, and run calls in it."""
    came_back = await team.begin()
    async with aiohttp.ClientSession() as another, another.get(came_back, allow_redirects=False) as answer:
        assert answer.headers["Location"].endswith("/#login_failed=stale")
    await team.get(f"{team.bridge.base_url}/login")  # a second one in the same browser replaces the first
    assert (await team.get(came_back)).endswith("/#login_failed=stale")
    assert team.provider.redeemed == []


@pytest.mark.parametrize(
    ("first", "left_out", "failure"),
    [
        ({}, "iss", "refused"),
        ({"iss": "https://elsewhere.example"}, "", "refused"),
        ({"error": "invalid\r\nSet-Cookie: a=b"}, "", "refused"),
        ({}, "state", "stale"),
        ({"state": "another"}, "", "stale"),
    ],
)
async def test_an_answer_in_another_form_than_was_asked_for_logs_nobody_in(
    team: Team, first: dict[str, str], left_out: str, failure: str
) -> None:
    """RFC 9207: without the issuer it may be another provider's; of what stands twice the first counts."""
    came_back = URL(await team.begin())
    answer = [(name, value) for name, value in came_back.query.items() if name != left_out]
    changed = came_back.with_query([*first.items(), *answer])
    assert await team.get(str(changed)) == f"{team.bridge.base_url}/#login_failed={failure}"
    assert team.provider.redeemed == []


async def test_a_cookie_that_the_bridge_did_not_write_logs_nobody_in(team: Team) -> None:
    """It says which login was begun; a token for another purpose says so, too, and it opens nothing else."""
    came_back = await team.begin()
    name, _, good = team.cookies[-1].partition(";")[0].partition("=")
    claims = jwt.decode(good, options={"verify_signature": False})
    async with page_of(team.bridge, team.bridge.local_user.id, lambda _call: never()) as page:
        forged = [
            jwt.encode(claims, "", "none"),
            jwt.encode(claims, "another secret of thirty-two bytes", "HS256"),
            good[:-4] + ("AAAA" if good[-4:] != "AAAA" else "BBBB"),
            *(page.token, "", "a.b.c"),
        ]
    for cookie in forged:
        headers = {"Cookie": f"{name}={cookie}"}
        async with (
            aiohttp.ClientSession(headers=headers) as another,
            another.get(came_back, allow_redirects=False) as answer,
        ):
            assert answer.headers["Location"] == f"{team.bridge.base_url}/#login_failed=stale"
    headers = {"Authorization": f"Bearer {good}"}
    async with team.http.get(f"{team.bridge.base_url}/api/me", headers=headers) as refused:
        assert refused.status == 401
    assert team.provider.redeemed == []
    assert "#ticket=" in await team.get(came_back)


async def test_logins_at_two_bridges_of_one_host_do_not_disturb_each_other(
    team: Team, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Browsers keep cookies by host, whatever the port: one bridge for work, another one to try things."""
    async with running_bridge(tmp_path_factory.mktemp("other"), **login_at(team.provider)) as bridge:
        other = Team(bridge, team.provider, team.http)
        came_back, came_back_there = await team.begin(), await other.begin()
        place, place_there = await team.get(came_back), await other.get(came_back_there)
        assert (await team.pair(place.partition("#")[2]))[0] == 201
        assert (await other.pair(place_there.partition("#")[2]))[0] == 201


async def test_the_ticket_of_a_login_is_worth_nothing_in_another_browser(team: Team) -> None:
    """It stands in an address, which may be seen or sent."""
    fragment = await team.log_in()
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as another:
        assert (await team.pair(fragment, another))[0] == 401
    assert (await team.pair(fragment))[0] == 201
    assert (await team.pair(fragment))[0] == 401


async def test_no_address_in_the_query_leads_anywhere_else(team: Team) -> None:
    """Every answer leads to the provider or to the page."""
    base = team.bridge.base_url
    for path in ("login", "login/callback", "logout"):
        place = URL(
            await team.get(f"{base}/{path}?next=https://evil.example&redirect_uri=https://evil.example")
        )
        assert str(place).startswith((f"{base}/", f"{team.provider.issuer}/"))
        assert "evil" not in str(place)


@pytest.mark.parametrize(
    ("change", "failure"),
    [
        ({"denial": "access_denied"}, "denied"),
        ({"denial": "server_error"}, "refused"),
        ({"claims": {"aud": "another"}}, "refused"),
        ({"claims": {"nonce": "another"}}, "refused"),
        ({"claims": {"sub": "x" * 81}}, "refused"),
        ({"claims": {"iss": "https://elsewhere.example"}}, "refused"),
        ({"user_info": {"sub": "somebody else"}}, "unreachable"),
    ],
)
async def test_a_login_that_fails_is_told_by_a_word_and_makes_no_user(
    team: Team, change: dict[str, Any], failure: str
) -> None:
    """The page has a sentence for each; what a provider says in words is shown to nobody."""
    for name, value in change.items():
        setattr(team.provider, name, value)
    assert await team.log_in() == f"login_failed={failure}"
    assert [user.name for user in await team.bridge.components.users.list_users()] == ["local"]
    await team.bridge.components.ground.audit.flush_entries()


async def test_a_code_is_redeemed_once(team: Team) -> None:
    """Going back in the browser asks for it again."""
    came_back = await team.begin()
    assert "#ticket=" in await team.get(came_back)
    assert (await team.get(came_back)).endswith("#login_failed=unreachable")


@pytest.mark.parametrize("settings", [{"oidc_issuer": "http://127.0.0.1:1"}])
async def test_a_provider_that_is_away_is_told_at_once(team: Team) -> None:
    """Nobody waits for it; those who are in stay in."""
    assert (await team.get(f"{team.bridge.base_url}/login")).endswith("/#login_failed=unreachable")


@pytest.mark.parametrize("settings", [{"oidc_allowed_groups": ("tools",), "oidc_operator_groups": ("sre",)}])
async def test_groups_decide_who_gets_in_and_as_what_at_each_login(team: Team) -> None:
    """A user who leaves a group keeps the role until the next login."""
    for groups in (["staff"], ["SRE"], [" sre"], {"sre": True}, "sre tools", [["sre"]]):
        team.provider.claims["groups"] = groups
        assert await team.log_in() == "login_failed=not_allowed"
    for groups, role in ((["tools"], "user"), (["sre"], "operator"), ("tools", "user")):
        team.provider.claims["groups"] = groups
        _, page = await team.pair(await team.log_in())
        await page.open_session()
        assert (await page.get("/api/me"))["operator"] is (role == "operator")
        assert (await team.user()).role == role


async def test_groups_that_only_the_user_info_names_count(team: Team) -> None:
    """Many providers leave them out of the ID token; what that does say wins."""
    team.provider.user_info = {"sub": "ada-1", "name": "Somebody", "groups": ["tools"]}
    await team.log_in()
    user = await team.user()
    assert (user.groups, user.display_name.partition(" at ")[0]) == (("tools",), "Ada")


@pytest.mark.parametrize("settings", [{"oidc_login_hours": 1e-9}])
async def test_a_page_wants_another_login_when_the_last_one_has_ended(team: Team) -> None:
    """Who has left the team gets no new session; a link from the command line lets in without a login."""
    _, page = await team.pair(await team.log_in())
    nonce = (await page.post("/api/sessions/challenge", {"device_id": page.device_id}))["nonce"]
    status, refused = await page.request("POST", "/api/sessions", page.sign_nonce(nonce))
    assert (status, refused["error"]["detail"]) == (401, {"reason": "login_ended"})
    store = team.bridge.components.store
    ticket = await UserTables(store).add_ticket((await team.user()).id)
    assert (await team.pair(f"ticket={ticket}"))[0] == 201
    await page.open_session()


async def test_a_disabled_user_gets_in_by_nothing(team: Team) -> None:
    """Neither by a login nor by a browser, a key or a link from before; what is stored stays."""
    fragment = await team.log_in()
    _, page = await team.pair(fragment)
    await page.open_session()
    store, user = team.bridge.components.store, await team.user()
    _, key = await UserTables(store).add_key(user.id, "program")
    ticket = await UserTables(store).add_ticket(user.id)
    await LoginTable(store).set_disabled(user.id, disabled=True)
    team.bridge.components.identity.forget_credentials()
    assert (await page.request("GET", "/api/me"))[0] == 401
    headers = {"Authorization": f"Bearer {key}"}
    async with team.http.get(f"{team.bridge.base_url}/api/me", headers=headers) as answer:
        assert answer.status == 401
    assert (await team.pair(f"ticket={ticket}"))[0] == 401
    assert await team.log_in() == "login_failed=disabled"
    await LoginTable(store).set_disabled(user.id, disabled=False)
    await page.open_session()
    assert (await team.user()).disabled_at is None


async def test_the_login_has_a_time_that_is_written_down(team: Team) -> None:
    """The operator sees who has not been there for months."""
    before = time.time()
    await team.log_in()
    user = await team.user()
    assert before <= user.logged_in_at <= time.time()
    assert user.login_ends_at == pytest.approx(user.logged_in_at + 168 * 3600)


async def test_an_open_page_is_cut_off_when_its_user_is_disabled(team: Team) -> None:
    """Its connection needs no new session, and so would not notice by itself."""
    _, page = await team.pair(await team.log_in())
    await page.connect(lambda _call: never())
    parts = team.bridge.components
    followed = FollowedDevices(parts.users, parts.identity, parts.accounts.choices, parts.gateway)
    await followed.read_devices()
    assert page.socket.connected
    await LoginTable(parts.store).set_disabled((await team.user()).id, disabled=True)
    await followed.read_devices()
    await eventually(lambda: not page.socket.connected)


async def never() -> None:
    """No call comes here."""


async def test_a_stranger_at_the_same_proxy_keeps_nobody_from_logging_in(team: Team) -> None:
    """Finding S-L14: three requests a second without any key used up what a whole team had."""
    login = f"{team.bridge.base_url}/login"
    async with aiohttp.ClientSession() as stranger:

        async def ask(path: str) -> int:
            async with stranger.get(login + path, allow_redirects=False) as answer:
                return answer.status

        begun = [await ask("") for _ in range(STRAY_ANSWERS + 20)]
        assert set(begun) == {302}
        seen = [await ask("/callback?code=x&state=y") for _ in range(STRAY_ANSWERS + 20)]
        assert seen[0] == 302
        assert seen[-1] == 429
    for _ in range(5):
        assert (await team.log_in()).startswith("ticket=")


async def test_an_answer_for_a_login_that_was_begun_counts_by_that_login(team: Team) -> None:
    """Finding S-L14: it costs the provider a request, and would be free otherwise."""
    await team.get(f"{team.bridge.base_url}/login")
    (cookie,) = team.http.cookie_jar
    begun = jwt.decode(cookie.value, options={"verify_signature": False})
    answer = f"{team.bridge.base_url}/login/callback?code=invented&state={begun['state']}&iss="
    statuses: list[int] = []
    async with aiohttp.ClientSession(cookies={cookie.key: cookie.value}) as http:
        for _ in range(TRIES_OF_A_LOGIN + 1):
            async with http.get(answer, allow_redirects=False) as answered:
                statuses.append(answered.status)
    assert statuses == [302] * TRIES_OF_A_LOGIN + [429]
    assert (await team.log_in()).startswith("ticket=")


@pytest.mark.parametrize("spoiled", ["error=access_denied", "error=x", "code=x&iss=https://evil.example"])
async def test_a_login_that_costs_the_provider_nothing_keeps_nobody_out(team: Team, spoiled: str) -> None:
    """Finding S-L14: three hundred answers that say themselves that they failed take a second to send."""
    address = f"{team.bridge.base_url}/login"
    statuses: list[int] = []
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as stranger:
        for _ in range(FAILED_LOGINS + 20):
            async with stranger.get(address, allow_redirects=False) as begun:
                state = URL(begun.headers["Location"]).query["state"]
                cookies = {each.key: each.value for each in begun.cookies.values()}
            back = f"{address}/callback?{spoiled}&state={state}"
            async with stranger.get(back, cookies=cookies, allow_redirects=False) as answered:
                statuses.append(answered.status)
    assert statuses[0] == 302
    assert statuses.count(302) < FAILED_LOGINS / 2  # on a slow machine the last may be one of them
    assert (await team.log_in()).startswith("ticket=")


@pytest.mark.parametrize("settings", [{"oidc_allowed_groups": ("tools",)}])
async def test_who_may_not_log_in_any_more_is_logged_out(team: Team) -> None:
    """Finding S-M3: the provider has just said that the user is in none of the groups."""
    team.provider.claims["groups"] = ["tools"]
    status, page = await team.pair(await team.log_in())
    assert status == 201
    await page.open_session()
    team.provider.claims["groups"] = ["elsewhere"]
    assert await team.log_in() == "login_failed=not_allowed"
    status, refused = await page.request("GET", "/api/me")
    assert (status, refused["error"]["detail"]) == (401, {"reason": "login_ended"})


@pytest.mark.parametrize("door", ["session", "ticket"])
async def test_refused_attempts_keep_no_good_browser_out(
    tmp_path: Path, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    """Finding S-L14: pages renew their sessions every 15 minutes, from the address of the proxy."""
    monkeypatch.setattr(pairing, "PAIRINGS", 5)
    monkeypatch.setattr(account, "SESSION_ATTEMPTS", 5)
    async with running_bridge(tmp_path, limits={"UNAUTHENTICATED_PER_MINUTE_PER_ADDRESS": 10}) as bridge:
        add_ticket = bridge.components.users.add_ticket
        browser = await pair_browser(bridge.base_url, http, await add_ticket(bridge.local_user.id))
        stranger = new_browser(bridge.base_url, http)
        stranger.device_id = "invented"
        bodies = {
            "session": ("/api/sessions", stranger.sign_nonce("forged")),
            "ticket": ("/api/devices", {"ticket": "x", "public_key": public_key_of(stranger.key)}),
        }
        seen = [(await stranger.request("POST", *bodies[door]))[0] for _ in range(20)]
        assert seen[0] == 401
        assert seen[-1] == 429
        assert await browser.open_session()
        assert await pair_browser(bridge.base_url, http, await add_ticket(bridge.local_user.id))
