"""What headers tell a caller."""

import pytest

from toolserver.call.response_headers import filename_of, select_headers


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
    assert told == {
        **{name: headers[name] for name in ("content-type", "content-length", "etag")},
        "x-a": "y" * 500,
    }
    assert (
        select_headers({"content-type": "text/csv", "content-length": "0", "cache-control": "no-store"}) == {}
    )
    assert len(select_headers({f"x-{number}": "1" for number in range(99)})) == 30
