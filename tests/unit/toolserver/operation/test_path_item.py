"""Which paths become operations."""

import pytest

from tests.support.documents.openapi import document_with
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation.operation import Skipped, read_operations


def skipped_of(paths: JsonValue) -> list[Skipped]:
    return list(read_operations(document_with(paths, {})).skipped)


def test_paths_without_a_slash_are_skipped_and_extensions_are_no_paths() -> None:
    """Joining "pets" to a base URL would call another host's path; `x-` fields are anybody's."""
    assert skipped_of({"pets": {"get": {}, "summary": "x"}, "x-note": "free"}) == [
        Skipped("GET", "pets", 'The path does not begin with "/".')
    ]


def test_a_path_that_no_database_can_look_up_is_skipped() -> None:
    """PostgreSQL's indexes take 2,704 bytes; what is skipped is said, and the others work."""
    longest, longer = "/" + "ä" * 999 + "x", "/" + "ä" * 1000
    listed = read_operations(document_with({longest: {"get": {}}, longer: {"get": {}}}, {}))
    assert [operation.path for operation in listed.operations] == [longest]
    (skipped,) = listed.skipped
    assert (skipped.path, skipped.reason) == (f"{longer[:200]}…", "The path is longer than 2,000 bytes.")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (
            "/../../admin/{id}",
            'The path holds the segment "..": a browser would send the request to another path.',
        ),
        ("/a/./b", 'The path holds the segment ".": a browser would send the request to another path.'),
        ("/a/%2e%2E/b", 'The path holds the segment "..": a browser would send the request to another path.'),
        ("/a/.%252e/b", 'The path holds the segment "..": a browser would send the request to another path.'),
        ("/a%2f..%5Cb", 'The path holds the segment "..": a browser would send the request to another path.'),
        ("/a/..?x=1", 'The path holds the segment "..": a browser would send the request to another path.'),
        ("//evil.example/x", 'The path begins with "//", behind which a browser reads the name of a host.'),
        ("/\\evil.example/x", 'The path holds a backslash, which a browser reads as "/".'),
        ("/a\r\nHost: evil", "The path holds a control character."),
        ("/a\tb", "The path holds a control character."),
    ],
)
def test_a_path_that_leads_elsewhere_is_skipped(path: str, reason: str) -> None:
    """A browser resolves it: `https://a.example/tenant/../../admin` is outside of the tenant's base path."""
    (skipped,) = skipped_of({path: {"get": {}}})
    assert skipped.reason == reason
    assert skipped.path.isprintable()


@pytest.mark.parametrize(
    "path",
    [
        "/a..b/...",
        "/.well-known/x",
        "/a/{..}",
        "/x?next=/../y",
        "/a//b",
        "/files/{a/../b}",
        "/a%20b",
        "/a b#../c",
    ],
)
def test_a_path_that_only_looks_like_that_stays(path: str) -> None:
    """Dots belong to names, and what stands in braces or behind "?" and "#" is no segment."""
    assert skipped_of({path: {"get": {}}}) == []


def test_operations_and_skipped_ones_stay_in_document_order_however_they_fail() -> None:
    """They are read many at a time, step by step, and each step may end the reading of some."""
    lost: JsonValue = {"$ref": "#/lost"}
    kinds: list[JsonObject] = [
        {"get": {}},
        {"trace": {}},
        {"post": {"parameters": [lost]}},
        {"post": {"requestBody": lost}},
        {"get": {"requestBody": {"required": True, "content": {"application/json": {}}}}},
    ]
    paths: JsonObject = {f"/{number}": kinds[number % len(kinds)] for number in range(503)}
    listed = read_operations(document_with(paths, {}))
    usable = [f"/{number}" for number in range(0, 503, len(kinds))]
    assert [operation.path for operation in listed.operations] == usable
    assert [skipped.path for skipped in listed.skipped] == [path for path in paths if path not in usable]
