"""What headers tell a caller."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolserver.answer.response_headers import (
    DROPPED,
    MAX_TOLD_BYTES,
    filename_of,
    headers_line,
    select_headers,
    telling_headers,
)


@pytest.mark.parametrize(
    ("disposition", "name"),
    [
        ('attachment; filename="report.csv"', "report.csv"),
        ("attachment; filename=report.csv; size=3", "report.csv"),
        ("attachment; filename=\"x.csv\"; filename*=UTF-8''na%C3%AFve%20plan.csv", "naïve plan.csv"),
        ("attachment; filename*=iso-8859-1'en'%A3.txt", "£.txt"),
        ("attachment; filename*=martian''a.txt", "a.txt"),
        ('attachment; filename="a \\"b\\".txt"', 'a "b".txt'),
        ('attachment; filename="..\\\\..\\\\/etc/passwd"', "passwd"),
        ('attachment; filename="a\tb"', "ab"),
        ('attachment; filename=".."', ""),
        ("attachment", ""),
        ("", ""),
    ],
)
def test_a_file_name_is_read_without_folders_and_control_characters(disposition: str, name: str) -> None:
    """The API chooses it; it ends up in a header, on a page and on a disk."""
    assert filename_of({"content-disposition": disposition}) == name


def test_a_long_name_is_cut() -> None:
    """File systems take 255 bytes."""
    assert len(filename_of({"content-disposition": f'attachment; filename="{"x" * 900}"'})) == 200


def test_of_the_headers_only_what_says_something_is_told() -> None:
    """For HEAD they are the answer; `date` and `vary` never are."""
    headers = {
        "content-type": "text/csv",
        "content-length": "70",
        "etag": '"1"',
        "vary": "Origin",
        "x-a": "y" * 900,
    }
    told = select_headers(headers)
    assert told == {name: headers[name] for name in ("content-type", "content-length", "etag", "x-a")}
    assert (
        select_headers({"content-type": "text/csv", "content-length": "0", "cache-control": "no-store"}) == {}
    )
    told = select_headers({f"x-{number}": "1" for number in range(99)})
    assert len(told) == 31
    assert told["x-tool-bridge-dropped"].startswith("x-30, x-31, ")


def test_beside_a_body_it_is_told_how_to_go_on() -> None:
    """Finding O-8, W-27: without the next page, the total or the job to poll a model takes a part for all."""
    headers = {
        "content-type": "application/json",
        "etag": '"7"',
        "x-request-id": "r1",
        "x-total-count": "57",
        "link": '<https://a.example/?page=2>; rel="next"',
        "retry-after": "5",
        "set-cookie": "sid=1",
        "location": "/jobs/1",
        "last-modified": "yesterday",
    }
    told = telling_headers(headers)
    assert list(told) == ["location", "retry-after", "link", "x-total-count", "etag"]
    assert told == {name: headers[name] for name in told}


@pytest.mark.parametrize(
    "name",
    [
        *("x-total", "x-total-pages", "x-wp-total", "x-wp-totalpages", "x-next-page", "x-page", "x-per-page"),
        *("x-pagination", "x-next-cursor", "x-ms-continuation", "x-ms-continuationtoken", "content-range"),
        *("operation-location", "azure-asyncoperation", "content-location", "total-count"),
    ],
)
def test_pages_and_jobs_are_known_under_many_names(name: str) -> None:
    """Finding O-8: GitLab, WordPress, ASP.NET and Azure each have names of their own for the same."""
    assert telling_headers({name: "3"}) == {name: "3"}


@pytest.mark.parametrize(
    "name",
    [
        *("set-cookie", "date", "vary", "server", "cache-control", "www-authenticate", "authorization"),
        *(
            "x-request-id",
            "x-powered-by",
            "x-nextjs-cache",
            "x-totality",
            "x-auth-token",
            "x-" + "page-" * 20_000,
        ),
    ],
)
def test_other_headers_are_not_told_beside_a_body(name: str) -> None:
    """Each costs a model tokens with every answer; a cookie is nobody's business."""
    assert telling_headers({name: "3"}) == {}


def test_what_has_no_room_is_left_out_whole_and_named() -> None:
    """Finding W-27: half a link leads elsewhere, and what is missing in silence is taken for not there."""
    headers = {"etag": '"1"', "link": "<" + "l" * 3000 + ">", "location": "/x", "x-page": "p" * 3000}
    told = telling_headers(headers)
    assert told == {"location": "/x", "link": headers["link"], "etag": '"1"', DROPPED: "x-page"}


@given(
    st.dictionaries(
        st.sampled_from(["link", "location", "etag", "retry-after", *(f"x-page-{n}" for n in range(40))]),
        st.text(max_size=600),
    )
)
def test_the_line_is_short_and_ascii_whatever_an_api_sends(headers: dict[str, str]) -> None:
    """Finding W-27: it is the value of a header; a line break in it would begin another one."""
    told = telling_headers(headers)
    line = headers_line(told)
    assert line.isascii()
    assert line.isprintable()
    assert len(line) <= MAX_TOLD_BYTES
    assert json.loads(line) == told
    assert told.keys() - {DROPPED} <= headers.keys()
    assert (DROPPED in told) == (len(told.keys() - {DROPPED}) < len(headers))
