"""Which ID tokens are believed: each test forges one, or has it say one thing wrong."""

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from bridge.auth.id_tokens import CLOCK_SKEW_S, MAX_TOKEN_CHARS, IdTokens, LoginRefused
from bridge.auth.logins import read_groups
from bridge.auth.signing_keys import SigningKeys
from bridge.errors import BridgeError
from bridge.tasks import Tasks
from tests.support.authorization_server import ISSUER, AuthorizationServer, new_key

pytestmark = pytest.mark.asyncio

CLIENT = "tool-bridge"
NONCE = "nonce-1"


class World:
    """A bridge that knows one provider."""

    def __init__(self, tasks: Tasks) -> None:
        self.server = AuthorizationServer(audience=CLIENT)
        self.tokens = IdTokens(ISSUER, CLIENT, SigningKeys(ISSUER, self.server.fetch, tasks))

    def sign(self, **how: Any) -> str:
        """A good token, but for what is said here."""
        good: dict[str, Any] = {"nonce": NONCE, "header": {"typ": "JWT"}}
        return self.server.sign(**{**good, **how})

    async def reason(self, token: str) -> str:
        """Why a token is refused."""
        with pytest.raises(LoginRefused) as refused:
            await self.tokens.read_token(token, NONCE)
        return str(refused.value)


@pytest_asyncio.fixture
async def world() -> AsyncIterator[World]:
    tasks = Tasks()
    yield World(tasks)
    await tasks.close()


async def test_a_good_token_says_who_logged_in(world: World) -> None:
    """Clocks may differ a little."""
    now = time.time()
    for token in (
        world.sign(),
        world.sign(exp=now - CLOCK_SKEW_S + 5),
        world.sign(iat=now + CLOCK_SKEW_S - 5),
        world.sign(aud=[CLIENT, "another"], azp=CLIENT),
    ):
        assert (await world.tokens.read_token(token, NONCE))["sub"] == "ada-1"


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"iss": "https://elsewhere.example"}, "another issuer"),
        ({"aud": "another"}, "for somebody else"),
        ({"aud": [CLIENT, "another"]}, "issued to another client"),
        ({"azp": "another"}, "issued to another client"),
        ({"exp": 1}, "has expired; check that both clocks agree"),
        ({"iat": time.time() + 3600}, "not valid yet; check that both clocks agree"),
        ({"nonce": "of another login"}, "the nonce differs"),
        ({"nonce": None}, "the nonce differs"),
        ({"exp": None}, "has no claim 'exp'"),
        ({"sub": None}, "has no claim 'sub'"),
        ({"sub": {"id": "ada-1"}}, "no valid JSON Web Token"),
        ({"iss": f"{ISSUER}/"}, "another issuer"),
        ({"iss": None}, "has no claim 'iss'"),
        ({"aud": None}, "has no claim 'aud'"),
        ({"aud": []}, "has no claim 'aud'"),
        ({"aud": {CLIENT: True}}, "for somebody else"),
        ({"azp": [CLIENT]}, "issued to another client"),
        ({"nonce": [NONCE]}, "the nonce differs"),
        ({"exp": "never"}, "no valid JSON Web Token"),
        ({"iat": None}, "has no claim 'iat'"),
        ({"nbf": time.time() + 3600}, "not valid yet; check that both clocks agree"),
        ({"header": {"kid": None}}, "needs a kid"),
        ({"header": {"kid": "key-9"}}, "does not publish"),
        ({"key": new_key()}, "no valid JSON Web Token"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_what_is_wrong_with_a_token_is_told_to_the_operator(
    world: World, wrong: dict[str, Any], why: str
) -> None:
    """OpenID Connect Core 3.1.3.7; the page says only that the login was not accepted."""
    if wrong.get("header") == {"kid": None}:
        token = world.sign().split(".")
        token[0] = "eyJhbGciOiJFUzI1NiJ9"  # {"alg":"ES256"}
        assert why in await world.reason(".".join(token))
    else:
        assert why in await world.reason(world.sign(**wrong))


async def test_a_nonce_that_is_no_text_is_another_nonce(world: World) -> None:
    """Finding S-L1: JSON can escape half a character; comparing it failed, and was a bug of the bridge."""
    assert "the nonce differs" in await world.reason(world.sign(nonce="\ud800"))


async def test_nothing_but_a_signature_by_a_published_key_counts(world: World) -> None:
    """No algorithm at all, and one whose key whoever checks could have made (RFC 8725, 2.1)."""
    assert "algorithm" in await world.reason(world.sign(key="", algorithm="none"))
    assert "algorithm" in await world.reason(world.sign(key=b"p" * 32, algorithm="HS256"))
    assert "no valid JSON Web Token" in await world.reason("a.b.c")
    assert "longer than" in await world.reason("a" * (MAX_TOKEN_CHARS + 1))


async def test_a_rotated_key_is_found_and_a_provider_that_is_away_is_no_refusal(world: World) -> None:
    """Providers change keys without a word; the user can do nothing about it."""
    world.server.rotate_key("key-2")
    assert (await world.tokens.read_token(world.sign(), NONCE))["sub"] == "ada-1"
    world.server.issuer = "https://moved.example"
    away = IdTokens(ISSUER, CLIENT, SigningKeys(ISSUER, world.server.fetch, Tasks()))
    with pytest.raises(BridgeError) as failed:
        await away.read_token(world.sign(iss=ISSUER), NONCE)
    assert failed.value.error.code == "authorization_unavailable"


@pytest.mark.parametrize(
    ("claim", "groups"),
    [
        (["a", "b", "a"], ("a", "b")),
        ("a", ("a",)),
        (["a", 1, None, "", "x" * 300], ("a",)),
        ({"a": True}, ()),
        (None, ()),
    ],
)
async def test_groups_are_a_list_of_texts_or_one_text(claim: Any, groups: tuple[str, ...]) -> None:
    """What has another shape gives nobody a right."""
    assert read_groups(claim) == groups
