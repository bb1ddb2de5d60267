"""The documentation speaks of what exists."""

import posixpath
import re
from itertools import chain
from pathlib import PurePosixPath

from bridge.errors import ErrorCode
from tests.house.source import ROOT, files, refuse, text_of

OUR_FOLDERS = [
    "bridge",
    "toolserver",
    "static",
    "tests",
    "docs",
    "examples",
    "deploy",
    "bench",
    "make",
    ".ci",
]
QUOTED_PATH = re.compile(rf"`((?:{'|'.join(map(re.escape, OUR_FOLDERS))})/[^`\s]*)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)#\s:]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
RULING = re.compile(r"^\*\*(\d+)\. ", re.MULTILINE)
NAMED_RULING = re.compile(r"\brulings? (\d+)", re.IGNORECASE)
PLACEHOLDER = re.compile(r"[<>{}…$]")


def test_every_path_that_the_docs_name_exists() -> None:
    """Pages that describe an older tree send a reader to files that are gone."""
    refuse(
        f"{page}: {path}"
        for page in files(".md")
        for path in QUOTED_PATH.findall(text_of(page))
        if not PLACEHOLDER.search(path) and not exists(path)
    )


def test_the_table_of_places_has_what_newcomers_did_not_find() -> None:
    """The house report, section 1: of 25 everyday changes these were looked for in another file."""
    table = text_of("CONTRIBUTING.md")
    for subject, path, name in (
        ("a metric", "bridge/metrics/metric_definitions.py", "class Instruments"),
        ("the title of a new conversation", "bridge/models/conversations/conversation.py", "def title_of("),
        ("another kind of credential", "static/request/credential_placement.js", "function placeSecrets("),
    ):
        assert re.search(rf"^\| {subject} \| .*`{re.escape(path)}`", table, re.MULTILINE), subject
        assert name in text_of(path), path


def test_every_link_between_pages_leads_somewhere() -> None:
    """A dead link in the first tutorial is where a newcomer stops."""
    refuse(
        f"{page}: {target}"
        for page in files(".md")
        for target in LINK.findall(text_of(page))
        if "://" not in target
        and not target.startswith(("mailto:", "/"))
        and not (ROOT / PurePosixPath(page).parent / target).exists()
    )


def test_every_link_to_a_heading_leads_to_one() -> None:
    """A heading that is reworded leaves links to it at the top of a long page."""
    refuse(
        f"{page}: {target}#{anchor}"
        for page in files(".md")
        for target, anchor in ANCHOR.findall(text_of(page))
        if not target or target.endswith(".md")
        if anchor not in anchors_of(posixpath.join(posixpath.dirname(page), target) if target else page)
    )


ERROR_ROW = re.compile(r"^\| \[`(\w+)`\]\(#\w+\) \| (.*) \|$", re.MULTILINE)


def test_every_error_code_is_documented() -> None:
    """A code is all that a program sees of an error; its meaning has to be written down."""
    name = "docs/reference/errors.md"
    page = text_of(name) if name in files(".md") else ""
    refuse(f"{name} lacks `{code.value}`" for code in ErrorCode if f"`{code.value}`" not in page)


def test_every_error_code_has_its_status_and_its_blame_in_the_overview() -> None:
    """Whoever reads the table must find there what the bridge does."""
    overview = dict(ERROR_ROW.findall(text_of("docs/reference/errors.md")))
    expected = {code.value: f"{code.facts.http_status} {code.facts.blame}" for code in ErrorCode}
    rows = {code: f"{row.split(' | ')[0]} {row.split(' | ')[-1]}" for code, row in overview.items()}
    assert rows == expected


def test_every_ruling_that_the_code_names_is_written_down() -> None:
    """A comment that gives a number instead of a reason is worth what stands under the number."""
    written = set(RULING.findall(text_of("docs/explanation/rulings.md")))
    refuse(
        f"{name}: ruling {number}"
        for name in files(".py", ".js", under=("bridge/", "toolserver/", "static/", "tests/"))
        for number in NAMED_RULING.findall(text_of(name))
        if number not in written
    )


def anchors_of(page: str) -> set[str]:
    """The headings of a page as GitHub names them in links."""
    headings = HEADING.findall(text_of(posixpath.normpath(page)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def exists(path: str) -> bool:
    """True for a file, a folder, or a pattern such as `tests/page/*.test.js` that some file fits."""
    plain = path.split("::", maxsplit=1)[0].rstrip("/")
    return any(True for _ in chain([ROOT / plain] if (ROOT / plain).exists() else [], ROOT.glob(plain)))
