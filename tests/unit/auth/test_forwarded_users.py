"""Whom a forwarder's headers name, and what is believed of it."""

import time
from typing import Any

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

from bridge.auth.forwarded_users import CLOCK_SKEW_S, ForwardedUser, UserHeaders
from bridge.errors import BridgeError
from tests.support.forwarded_users import SECRET, sign_token


def headers(*pairs: tuple[str, str]) -> CIMultiDictProxy[str]:
    return CIMultiDictProxy(CIMultiDict(pairs))


def read(*pairs: tuple[str, str], secret: str | None = SECRET, trust: bool = False) -> ForwardedUser | None:
    return UserHeaders(secret, trust_plain=trust).read_user(headers(*pairs))


def reason(*pairs: tuple[str, str], secret: str | None = SECRET, trust: bool = False) -> str:
    with pytest.raises(BridgeError) as refused:
        read(*pairs, secret=secret, trust=trust)
    assert refused.value.error.code == "unverified_user"
    return refused.value.error.detail["reason"]


def test_a_signed_user_is_known_by_id_and_shown_by_name() -> None:
    """Names and e-mail addresses change; the id does not."""
    assert read(("x-openwebui-user-jwt", sign_token())) == ForwardedUser("b5d012b2", "Ada Admin")
    assert read(("X-OpenWebUI-User-Jwt", sign_token(name=None))) == ForwardedUser("b5d012b2", "")


def test_no_user_header_names_nobody() -> None:
    """Open WebUI fetches documents so."""
    assert read() is None
    assert read(("X-OpenWebUI-User-Email", "ada@example.test"), trust=True) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"secret": SECRET.upper()},
        {"secret": "", "algorithm": "none"},
        {"algorithm": "HS512"},
        {"iss": "evil"},
        {"iss": None},
        {"aud": "another-tool-server"},
        {"sub": None},
        {"sub": ""},
        {"sub": " x"},
        {"sub": "a\nb"},
        {"sub": "x" * 81},
        {"exp": None},
        {"iat": None},
    ],
    ids=str,
)
def test_a_token_that_open_webui_did_not_make_so_is_refused(wrong: dict[str, Any]) -> None:
    """Among them the classics: no signature, another algorithm, another secret, another audience."""
    assert reason(("X-OpenWebUI-User-Jwt", sign_token(**wrong))) == "invalid"


def test_a_token_of_the_future_is_refused() -> None:
    """It was made by another clock, or by somebody who wants it to last."""
    now = int(time.time())
    assert reason(("X-OpenWebUI-User-Jwt", sign_token(iat=now + 3600, exp=now + 7200))) == "invalid"


@pytest.mark.parametrize("text", ["not a token", "", "x" * 10_000, "a.b.c"], ids=len)
def test_what_is_no_token_is_refused(text: str) -> None:
    """Whatever stands in the header."""
    assert reason(("X-OpenWebUI-User-Jwt", text)) == "invalid"


def test_a_changed_signature_is_refused() -> None:
    """One letter more is another signature."""
    assert reason(("X-OpenWebUI-User-Jwt", sign_token() + "x")) == "invalid"


def test_an_expired_token_is_refused_and_said_to_be() -> None:
    """Mostly two clocks disagree; whoever reads it must think of that."""
    late = int(time.time()) - CLOCK_SKEW_S - 5
    assert reason(("X-OpenWebUI-User-Jwt", sign_token(exp=late, iat=late - 300))) == "expired"
    assert read(("X-OpenWebUI-User-Jwt", sign_token(exp=int(time.time()) - 5)))


def test_two_tokens_are_no_token() -> None:
    """Which one counts would be decided by whatever stands between."""
    both = (("X-OpenWebUI-User-Jwt", sign_token()), ("x-openwebui-user-jwt", sign_token(sub="other")))
    assert reason(*both) == "invalid"


def test_without_a_secret_no_token_is_believed() -> None:
    """A signature that nobody checks is none."""
    assert reason(("X-OpenWebUI-User-Jwt", sign_token()), secret=None) == "no_secret"
    assert reason(("X-OpenWebUI-User-Jwt", sign_token()), secret=None, trust=True) == "no_secret"


def test_plain_headers_count_only_where_that_was_switched_on() -> None:
    """Anybody with the key could write them."""
    plain = (("X-OpenWebUI-User-Id", "b5d012b2"), ("X-OpenWebUI-User-Name", "Ad%C3%A1 Admin"))
    assert reason(*plain) == "plain_headers_not_trusted"
    assert read(*plain, trust=True) == ForwardedUser("b5d012b2", "Adá Admin")
    assert reason(("X-OpenWebUI-User-Id", "a"), ("X-OpenWebUI-User-Id", "b"), trust=True) == "invalid"


def test_a_bad_token_is_not_made_good_by_plain_headers() -> None:
    """Else whoever cannot forge the one would send the other."""
    pairs = (("X-OpenWebUI-User-Jwt", "junk"), ("X-OpenWebUI-User-Id", "b5d012b2"))
    assert reason(*pairs, trust=True) == "invalid"


def test_a_name_is_shown_without_what_does_not_print() -> None:
    """It stands on pages and in terminals."""
    named = read(("X-OpenWebUI-User-Jwt", sign_token(name="A\u202eda\x1b[2J" + "x" * 200)))
    assert named is not None
    assert named.display_name == ("Ada[2J" + "x" * 200)[:80]
