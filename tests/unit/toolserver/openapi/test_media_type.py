"""Choices among media types."""

import pytest

from toolserver.openapi.media_type import accept_of, base_type, body_kind, choose_json, is_json, sent_type


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["multipart/form-data", "application/json"], "application/json"),
        (["application/vnd.x+json", "application/json; charset=utf-8"], "application/json; charset=utf-8"),
        (["text/plain", "Application/VND.x+JSON"], "Application/VND.x+JSON"),
        (["*/*", "text/json"], "text/json"),
        (["text/plain", "application/*"], "application/*"),
        (["*/*"], "*/*"),
        (["application/x-ndjson", "application/jsonl", "text/plain", "text/*"], None),
        ([], None),
    ],
)
def test_json_is_found_whatever_it_is_called(offered: list[str], chosen: str | None) -> None:
    """The key must come back as written, because it leads to the schema."""
    assert choose_json(offered) == chosen


def test_only_single_json_values_count_as_json() -> None:
    """Line-wise JSON is not one value, and a range is no type."""
    assert [
        is_json(name) for name in ("application/json;v=1", "a/b+json", "application/x-ndjson", "*/*")
    ] == [
        True,
        True,
        False,
        False,
    ]
    assert base_type(" Text/JSON ; x") == "text/json"


def test_a_range_is_sent_as_json_and_a_type_as_written() -> None:
    """Content-Type must be a type; parameters such as a version belong to it."""
    assert sent_type("*/*", "json") == "application/json"
    assert sent_type("application/json; version=2", "json") == "application/json; version=2"


@pytest.mark.parametrize(
    ("keys", "accept"),
    [
        ([], ""),
        (["text/html", "application/json; charset=utf-8"], "application/json"),
        (["image/png", "application/hal+json"], "application/hal+json"),
        (["image/png", "image/jpeg", "image/png "], "image/png, image/jpeg"),
        (["*/*"], ""),
        (["text/csv", "*/*"], ""),
        (["application/*+json"], ""),
        (["json", "text/csv"], "text/csv"),
        (["text/csv", "application/" + "x" * 120, "text/xml"], "text/csv, text/xml"),
    ],
)
def test_accept_asks_for_json_or_for_what_there_is(keys: list[str], accept: str) -> None:
    """A browser sends */* by itself; more than 128 characters would cost a preflight."""
    assert accept_of(keys) == accept


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("application/json; charset=utf-8", "json"),
        ("application/problem+json", "json"),
        ("*/*", "json"),
        ("application/x-www-form-urlencoded", "form"),
        ("multipart/mixed", "multipart"),
        ("image/svg+xml", "xml"),
        ("TEXT/XML", "xml"),
        ("application/jsonl", "sequence"),
        ("application/geo+json-seq", "sequence"),
        ("text/event-stream", "text"),
        ("application/vnd.oai.openapi+yaml", "text"),
        ("application/octet-stream", "binary"),
        ("image/*", "binary"),
    ],
)
def test_the_name_of_a_type_says_how_it_is_written(media_type: str, kind: str) -> None:
    """Suffixes say what vendors' names do not (RFC 6839)."""
    assert body_kind(media_type) == kind
