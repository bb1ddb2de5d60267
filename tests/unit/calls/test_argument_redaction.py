"""What may be kept of arguments: everything but what their names say is secret."""

import json

import pytest

from bridge.calls.argument_redaction import (
    STORED_ARGUMENTS_CHARS,
    has_redactions,
    redact_arguments,
)
from toolserver.secret_names import is_secret_name

CANARY = "c4nary-value"


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "newPassword",
        "user_passwd",
        "api_key",
        "X-API-Key",
        "apiKey",
        "Authorization",
        "access_token",
        "refreshToken",
        "client_secret",
        "private-key",
        "awsSecretAccessKey",
        "credentials",
        "Cookie",
        "pin",
        "CVV",
    ],
)
def test_the_value_of_a_secret_name_is_not_kept(name: str) -> None:
    """Wherever it stands, and whatever it is: text, number, list or object."""
    for value in (CANARY, [CANARY], {"x": CANARY}):
        for arguments in ({name: value}, {"body": {"user": [{name: value}]}}):
            kept = redact_arguments(json.dumps(arguments))
            assert kept is not None
            assert CANARY not in kept
            assert has_redactions(kept)
    assert redact_arguments(json.dumps({name: 12345678})) == f'{{"{name}":"[secret]"}}'


@pytest.mark.parametrize(
    "name", ["max_tokens", "page_token", "nextPageToken", "key", "author", "pinned", "keyword", "passenger"]
)
def test_what_only_sounds_like_a_secret_is_kept(name: str) -> None:
    """A journal full of holes is worth nothing, and such a call could not be made again."""
    assert not is_secret_name(name)
    text = json.dumps({name: CANARY})
    assert redact_arguments(text) == text


@pytest.mark.parametrize(
    "text",
    [
        '{"p\\u0061ssword": "c4nary-value"}',
        '{"password": "c4nary-value", "password": null}',
        '{"a": {"token": "c4nary-value"}, "a": 1}',
        '{"PASSWORD" : "c4nary-value"}',
    ],
)
def test_no_way_of_writing_a_name_gets_past(text: str) -> None:
    """Escapes, equal keys of which the last counts, capitals."""
    assert CANARY not in (redact_arguments(text) or "")


def test_arguments_without_secrets_are_kept_to_the_letter() -> None:
    """A call that is made again by its id must not lose a digit; that there is no secret is no secret."""
    for text in (
        '{"id": 123456789012345678901234567890, "price": 1.10}',
        '{"key": 1e5, "password": null, "token": "", "secret": true}',
    ):
        assert redact_arguments(text) == text
        assert not has_redactions(text)


@pytest.mark.parametrize(
    "text",
    ["x" * (STORED_ARGUMENTS_CHARS + 1), '{"password": ' + "[" * 30_000, '{"token": 1' + "0" * 5000 + "}"],
)
def test_what_cannot_be_looked_through_is_not_kept(text: str) -> None:
    """Too long, too deep or no number: nothing fails for it."""
    assert redact_arguments(text) is None
