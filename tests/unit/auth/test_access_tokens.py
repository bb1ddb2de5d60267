"""Which access tokens are believed, and what is read from them."""

import base64
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import jwt
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import HMACAlgorithm

from bridge.auth.access_tokens import CLOCK_SKEW_S, MAX_TOKEN_CHARS, AccessToken, AccessTokens
from bridge.auth.resource_server import ResourceServer
from bridge.auth.signing_keys import SigningKeys
from bridge.errors import BridgeError
from bridge.tasks import Tasks
from tests.support.authorization_server import AUDIENCE, ISSUER, AuthorizationServer, new_key, public_jwk

pytestmark = pytest.mark.asyncio


class World:
    """A bridge that trusts one authorization server."""

    def __init__(self, tasks: Tasks) -> None:
        self.server = AuthorizationServer()
        self.scopes: tuple[str, ...] = ()
        self.tasks = tasks

    async def read(self, token: str, *, user_claim: str = "sub") -> AccessToken:
        resource = ResourceServer(ISSUER, "https://bridge.example", scopes=self.scopes)
        keys = SigningKeys(ISSUER, self.server.fetch, self.tasks)
        return await AccessTokens(resource, keys, user_claim=user_claim).read_token(token, None)

    async def reason(self, token: str, **how: Any) -> str:
        with pytest.raises(BridgeError) as refused:
            await self.read(token, **how)
        assert refused.value.error.code == "unauthorized"
        assert refused.value.error.code.facts.http_status == 401
        return refused.value.error.detail["reason"]


@pytest_asyncio.fixture
async def world() -> AsyncIterator[World]:
    tasks = Tasks()
    yield World(tasks)
    await tasks.close()


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


async def test_a_token_names_its_user_and_its_client(world: World) -> None:
    """All that the bridge takes from it."""
    token = world.server.sign(exp=4_000_000_000)
    assert await world.read(token) == AccessToken("ada-1", "Ada", "claude", 4_000_000_000)


@pytest.mark.parametrize(
    ("claims", "client"),
    [
        ({"client_id": None, "azp": "keycloak", "scope": "email tools"}, "keycloak"),
        ({"client_id": None, "appid": "entra", "scp": "User.Read tools"}, "entra"),
        ({"client_id": None, "scp": ["tools", 7]}, ""),
        ({"client_id": 7, "azp": "second", "scope": "tools"}, "second"),
    ],
    ids=str,
)
async def test_other_servers_names_of_claims_are_understood(
    world: World, claims: dict[str, Any], client: str
) -> None:
    """Keycloak, Entra and Okta each have their own."""
    world.scopes = ("tools",)
    assert (await world.read(world.server.sign(**claims))).client == client


@pytest.mark.parametrize(
    "claims",
    [{}, {"scope": "toolsmith TOOLS"}, {"scp": "tool s"}, {"scp": [["tools"]]}, {"scope": ["tools"]}],
)
async def test_a_token_without_a_scope_that_is_needed_is_refused(
    world: World, claims: dict[str, Any]
) -> None:
    """It is valid, but its user has not allowed this; all that is needed is named at once."""
    world.scopes = ("tools", "more")
    with pytest.raises(BridgeError) as refused:
        await world.read(world.server.sign(**claims))
    assert (refused.value.error.code, refused.value.error.detail) == (
        "insufficient_scope",
        {"scopes": ["tools", "more"]},
    )


async def test_the_user_is_read_from_the_claim_that_the_operator_names(world: World) -> None:
    """Entra's `sub` differs for each client of one person; its `oid` does not."""
    read = await world.read(world.server.sign(oid="0a1b"), user_claim="oid")
    assert read.subject == "0a1b"
    assert await world.reason(world.server.sign(), user_claim="oid") == "no_user"


async def test_a_scope_may_be_asked_for_by_its_full_name(world: World) -> None:
    """Entra wants it with the API's address before it, and writes it into `scp` without."""
    world.scopes = ("api://bridge/tools",)
    assert await world.read(world.server.sign(scp="tools"))
    with pytest.raises(BridgeError):
        await world.read(world.server.sign(scope="tools"))
    with pytest.raises(BridgeError):
        await world.read(world.server.sign(scp="api: bridge"))


async def test_a_token_with_several_audiences_is_for_each_of_them(world: World) -> None:
    """Keycloak adds `account`."""
    assert await world.read(world.server.sign(aud=["account", AUDIENCE]))


async def test_clocks_may_differ_by_half_a_minute(world: World) -> None:
    """No two machines agree to the second."""
    now = int(time.time())
    assert await world.read(world.server.sign(exp=now - CLOCK_SKEW_S + 10))
    assert await world.read(world.server.sign(nbf=now + CLOCK_SKEW_S - 10, iat=now + CLOCK_SKEW_S - 10))


@pytest.mark.parametrize(
    ("claims", "reason"),
    [
        ({"iss": "https://evil.example"}, "issuer"),
        ({"iss": ISSUER + "/"}, "issuer"),
        ({"iss": None}, "missing_claim"),
        ({"aud": "https://other.example/mcp"}, "audience"),
        ({"aud": "https://bridge.example"}, "audience"),
        ({"aud": AUDIENCE + "/"}, "audience"),
        ({"aud": "https://bridge.example/servers/shop/mcp"}, "audience"),
        ({"aud": []}, "missing_claim"),
        ({"aud": None}, "missing_claim"),
        ({"aud": {AUDIENCE: True}}, "audience"),
        ({"exp": 1}, "expired"),
        ({"exp": None}, "missing_claim"),
        ({"exp": "soon"}, "invalid"),
        ({"exp": 1e400}, "invalid"),
        ({"nbf": 4_000_000_000}, "not_yet_valid"),
        ({"iat": 4_000_000_000}, "not_yet_valid"),
        ({"sub": None}, "no_user"),
        ({"sub": ""}, "no_user"),
        ({"sub": " ada"}, "no_user"),
        ({"sub": "a\nb"}, "no_user"),
        ({"sub": "x" * 81}, "no_user"),
        ({"cnf": {"jkt": "x"}}, "bound"),
    ],
    ids=str,
)
async def test_a_token_that_says_the_wrong_thing_is_refused(
    world: World, claims: dict[str, Any], reason: str
) -> None:
    """Each of these is signed by the right key."""
    assert await world.reason(world.server.sign(**claims)) == reason


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ({"typ": "logout+jwt"}, "not_an_access_token"),
        ({"typ": "dpop+jwt"}, "not_an_access_token"),
        ({"typ": 7}, "not_an_access_token"),
        ({"kid": None}, "unknown_key"),
        ({"kid": "other"}, "unknown_key"),
    ],
    ids=str,
)
async def test_a_token_for_something_else_is_refused(
    world: World, header: dict[str, Any], reason: str
) -> None:
    """RFC 8725, 3.11: its header says what it is for."""
    header = {"typ": "at+jwt", "alg": "ES256", "kid": "key-1", **header}
    written = part({name: value for name, value in header.items() if value is not None})
    _, _, rest = world.server.sign().partition(".")
    assert await world.reason(f"{written}.{rest}") == reason


async def test_a_token_that_demands_what_the_bridge_does_not_know_is_refused(world: World) -> None:
    """RFC 7515, 4.1.11: whoever does not understand a critical field must refuse the token."""
    assert await world.reason(world.server.sign(header={"crit": ["tenant"], "tenant": "x"})) == "invalid"


@pytest.mark.parametrize("kind", ["JWT", "at+jwt", "AT+JWT", "application/at+jwt"])
async def test_every_way_to_call_it_an_access_token_will_do(world: World, kind: str) -> None:
    """RFC 9068 and what servers wrote before it."""
    assert await world.read(world.server.sign(header={"typ": kind}))


async def test_a_token_without_a_signature_is_refused(world: World) -> None:
    """`alg: none`, the oldest of these attacks."""
    claims = world.server.sign().split(".")[1]
    for name in ("none", "None", "nOnE", ""):
        header = part({"typ": "at+jwt", "alg": name, "kid": "key-1"})
        assert await world.reason(f"{header}.{claims}.") in ("algorithm", "invalid")


async def test_the_public_key_is_no_secret_to_sign_with(world: World) -> None:
    """HS256 with the text of the public key as its secret: the classic confusion of algorithms."""
    key = rsa.generate_private_key(65537, 2048)
    world.server.published = [public_jwk(key, "key-1")]
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    claims = world.server.sign().split(".")[1]
    signed = f"{part({'typ': 'at+jwt', 'alg': 'HS256', 'kid': 'key-1'})}.{claims}"
    mac = HMACAlgorithm(HMACAlgorithm.SHA256)
    signature = base64.urlsafe_b64encode(mac.sign(signed.encode(), public)).rstrip(b"=").decode()
    assert await world.reason(f"{signed}.{signature}") == "algorithm"


async def test_a_token_that_brings_its_own_key_is_refused(world: World) -> None:
    """Neither `jwk` nor `jku` nor `x5u` is read: keys come from the authorization server alone."""
    own = new_key()
    header = {"jwk": public_jwk(own, "key-1"), "jku": "https://evil.example/keys"}
    assert await world.reason(world.server.sign(key=own, header=header)) == "invalid"


async def test_a_token_whose_claims_were_changed_is_refused(world: World) -> None:
    """Its signature is of other claims."""
    header, _, signature = world.server.sign().split(".")
    _, claims, _ = world.server.sign(sub="bob").split(".")
    assert await world.reason(f"{header}.{claims}.{signature}") == "invalid"


@pytest.mark.parametrize("token", ["opaque", "a.b", "a.b.c.d.e", "tbk.x"])
async def test_an_opaque_or_encrypted_token_is_refused_and_says_why(world: World, token: str) -> None:
    """The operator has to change the authorization server, and must learn that."""
    assert await world.reason(token) == "opaque"


@pytest.mark.parametrize("token", ["..", "a.b.c", "[.].[", "e30.e30.e30", part(["x"]) + ".e30.e30"])
async def test_what_is_no_token_is_refused(world: World, token: str) -> None:
    """Whatever stands in the header."""
    assert await world.reason(token) in ("invalid", "unknown_key")


async def test_deep_brackets_are_refused_like_any_other_nonsense(world: World) -> None:
    """They must not reach the end of the stack."""
    deep = base64.urlsafe_b64encode(b"[" * 5_000).rstrip(b"=").decode()
    assert await world.reason(f"{deep}.e30.e30") == "invalid"


async def test_a_huge_token_is_refused_before_it_is_read(world: World) -> None:
    """Nothing of it is decoded, and no key looked for."""
    assert await world.reason(world.server.sign(more="x" * MAX_TOKEN_CHARS)) == "too_long"
    assert world.server.requested == []


async def test_a_name_is_shown_without_what_could_mislead(world: World) -> None:
    """It is chosen by its user: no line breaks, no change of direction, and not too long."""
    read = await world.read(world.server.sign(name="A\u202eda\n" + "x" * 200))
    assert read.display_name == "Ada" + "x" * 77
    assert (await world.read(world.server.sign(name=None, preferred_username="ada"))).display_name == "ada"
    assert (await world.read(world.server.sign(name=None))).display_name == ""


async def test_an_error_does_not_repeat_the_token(world: World) -> None:
    """Errors are stored by clients, and shown to models."""
    token = world.server.sign(aud="https://other.example")
    with pytest.raises(BridgeError) as refused:
        await world.read(token)
    assert token not in refused.value.error.message
    assert "other.example" not in json.dumps(refused.value.error.model_dump(mode="json"))
    assert jwt.get_unverified_header(token)
