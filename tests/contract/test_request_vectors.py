"""Rows of other tools and of the specifications' tables, from document to request, by the page's own code.

The judge is the latest patch of each document's own version line. `vector_deviations.toml` lists the rows it
overrules, each with the clause and with what differs; everything else about such a row must still be right.
"""

import tomllib
from pathlib import Path
from typing import TypedDict, cast

import pytest

from tests.support.documents.style_rows import style_row
from tests.support.documents.vector_judge import differences
from tests.support.documents.vectors import (
    NODE,
    Built,
    Job,
    Json,
    Row,
    base_url_of,
    build_all,
    compiled_job,
    read_rows,
)

DEVIATIONS = Path(__file__).with_name("vector_deviations.toml")

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="needs Node, which `make test` installs")


class Deviation(TypedDict):
    """Rows that the specification overrules."""

    clause: str
    because: str
    differs: dict[str, list[str]]
    """By what differs, the rows."""


def deviations() -> list[Deviation]:
    return cast("list[Deviation]", tomllib.loads(DEVIATIONS.read_text(encoding="utf-8"))["deviation"])


def allowed(prefix: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for deviation in deviations():
        for facet, rows in deviation["differs"].items():
            for row in rows:
                if row.startswith(prefix):
                    found.setdefault(row, set()).add(facet)
    return found


def test_requests_of_other_tools_are_built_alike_but_for_the_listed_deviations() -> None:
    """Every row that the specification does not overrule is a request some user of another tool relies on."""
    rows = [row for row in read_rows("request_vectors.json") if row["kind"] == "request"]
    found = {
        str(row["id"]): differences(row, built) for row, built in zip(rows, all_built(rows), strict=True)
    }
    bases = [row for row in read_rows("request_vectors.json") if row["kind"] == "base-url"]
    for row in bases:
        expected = cast("Json", row["expected"])["base_url"]
        found[str(row["id"])] = set() if base_url_of(row) == expected else {"base url"}
    assert {row: facets for row, facets in found.items() if facets} == allowed("req-")


def test_the_tables_of_the_specifications_are_met_but_for_the_listed_deviations() -> None:
    """W-27: the tables are the specification: whoever differs is read wrongly by conforming servers."""
    rows = [built for row in read_rows("style_vectors.json") for built in style_row(row)]
    found: dict[str, set[str]] = {}
    for row, built in zip(rows, all_built(rows), strict=True):
        if facets := differences(row, built):
            found.setdefault(str(row["id"]), set()).update(facets)
    assert found == allowed("style-")


def test_every_deviation_names_a_clause_and_no_row_twice() -> None:
    """A deviation without its clause is only an opinion, and a row in two groups hides one of the reasons."""
    for deviation in deviations():
        assert "§" in deviation["clause"], deviation
        assert deviation["because"].endswith("."), deviation
    pairs = [
        (row, facet)
        for deviation in deviations()
        for facet, rows in deviation["differs"].items()
        for row in rows
    ]
    assert len(set(pairs)) == len(pairs)


def all_built(rows: list[Row]) -> list[Built]:
    jobs = [compiled_job(row) for row in rows]
    requests = iter(build_all(job for job in jobs if isinstance(job, Job)))
    return [next(requests) if isinstance(job, Job) else Built(refused=job) for job in jobs]
