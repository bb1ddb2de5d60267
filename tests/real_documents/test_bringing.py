"""`make documents` against a loopback server: what it keeps, what it refuses, and what it says."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.real_documents.bringing import bring, bring_missing
from tests.real_documents.documents import (
    HERE,
    cache_folder,
    document_places,
    read_manifest,
)
from tests.real_documents.published import CONTENT, PACKAGE, Publisher, document, publishing


@pytest.fixture
def publisher() -> Iterator[Publisher]:
    with publishing() as running:
        yield running


@pytest.fixture
def registry(publisher: Publisher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Publisher:
    """The same, as npm's registry."""
    monkeypatch.setenv("npm_config_registry", publisher.address)
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "npm"))
    return publisher


def test_a_document_is_brought_and_said(
    publisher: Publisher, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Finding house-H3: anyone who clones the repository can run the proof on what vendors publish."""
    shop = publisher.publish_file("shop.yaml")
    assert bring_missing([shop], [tmp_path], tmp_path) == 0
    assert shop.find_among([tmp_path]) == tmp_path / "shop.yaml"
    said = capsys.readouterr()
    assert (said.out.splitlines(), said.err) == (
        [
            f"shop.yaml: {len(CONTENT)} bytes, licence MIT",
            "Of 1 real documents 0 were here, 1 were brought; 0 failed.",
        ],
        "",
    )


def test_other_bytes_than_the_manifest_states_are_refused_by_name(
    publisher: Publisher, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A proof on another document than the recorded one proves nothing; the others come all the same."""
    other = publisher.publish_file("other.yaml", CONTENT.replace(b"Shop", b"Ship"))
    longer = publisher.publish_file("longer.yaml", CONTENT + b"# more\n" * 100)
    shop = publisher.publish_file("shop.yaml")
    assert bring_missing([other, longer, shop], [tmp_path], tmp_path) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["shop.yaml"]
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"other.yaml could not be had: {other.url}: its SHA-256 is ")
    assert second.startswith(f"longer.yaml could not be had: {longer.url}: it has ")


def test_a_transfer_that_breaks_off_leaves_no_half_file(publisher: Publisher, tmp_path: Path) -> None:
    """A program that does not look at the digest would read half a document."""
    shop = publisher.publish_file("shop.yaml")
    publisher.breaks_off.add("/shop.yaml")
    folder = tmp_path / "cache"
    ((_, reason),) = bring([shop], folder)
    assert reason == f"{shop.url}: it has 10 bytes instead of {len(CONTENT)}"
    assert not folder.exists()


def test_a_document_that_is_gone_is_said(publisher: Publisher, tmp_path: Path) -> None:
    """Publishers delete repositories; the address tells which one."""
    gone = document("gone.yaml", url=f"{publisher.address}/gone.yaml")
    unreachable = document("away.yaml", url="http://127.0.0.1:9/away.yaml")
    (_, first), (_, second) = bring([gone, unreachable], tmp_path)
    assert first == f"{gone.url}: HTTP Error 404: Not Found"
    assert second.startswith(f"{unreachable.url}: <urlopen error")


def test_a_document_that_is_here_and_right_is_not_brought_again(publisher: Publisher, tmp_path: Path) -> None:
    """Of 29 MB, a second run loads nothing; but what lies there and is wrong is replaced."""
    right, wrong = publisher.publish_file("right.yaml"), publisher.publish_file("wrong.yaml")
    (tmp_path / "right.yaml").write_bytes(CONTENT)
    (tmp_path / "wrong.yaml").write_bytes(CONTENT[:-1])
    assert bring_missing([right, wrong], [tmp_path], tmp_path) == 0
    assert publisher.asked == ["/wrong.yaml"]
    assert (tmp_path / "wrong.yaml").read_bytes() == CONTENT


def test_several_bring_the_same_document_at_a_time(publisher: Publisher, tmp_path: Path) -> None:
    """Two checkouts share the cache: a file is there whole or not at all, and nothing is left beside it."""
    shop = publisher.publish_file("shop.yaml")
    with ThreadPoolExecutor(8) as pool:
        runs = [pool.submit(bring_missing, [shop], [tmp_path], tmp_path) for _ in range(24)]
    assert [run.result() for run in runs] == [0] * 24
    assert [file.name for file in tmp_path.iterdir()] == ["shop.yaml"]
    assert shop.find_among([tmp_path])


def test_documents_of_a_package_come_by_one_transfer_of_npm(registry: Publisher, tmp_path: Path) -> None:
    """It knows the registry, the proxy and the login of a machine; 30 documents are in two packages."""
    documents = registry.publish_package({"3.1/json/a.yaml": CONTENT, "b.yaml": CONTENT, "c.yaml": b"?"})
    missing = document("d.yaml", package=PACKAGE, member="d.yaml")
    reasons = [reason for _, reason in bring([*documents, missing], tmp_path / "cache")]
    assert reasons == [
        "",
        "",
        f"c.yaml of {PACKAGE}: it has 1 bytes instead of {len(CONTENT)}",
        f"there is no d.yaml of {PACKAGE}",
    ]
    assert sorted(file.name for file in (tmp_path / "cache").iterdir()) == ["a.yaml", "b.yaml"]
    assert registry.asked.count("/sample-documents.tgz") == 1


def test_what_npm_says_of_a_package_that_is_gone_is_told(registry: Publisher, tmp_path: Path) -> None:
    """Each document of it is named, with the first that npm says."""
    del registry
    wanted = [document(name, package=PACKAGE, member=name) for name in ("a.yaml", "b.yaml")]
    assert [reason.partition("\n")[0] for _, reason in bring(wanted, tmp_path)] == [
        f"npm pack {PACKAGE}: npm error code E404"
    ] * 2


def test_documents_are_looked_for_where_the_variable_says_beside_the_repository_and_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user who has them names the folder; all others bring them once for all checkouts."""
    monkeypatch.setenv("REAL_DOCUMENTS", str(tmp_path / "mine"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    own, named, beside, cache = document_places()
    assert (own, named, cache) == (HERE / "generated", tmp_path / "mine", cache_folder())
    assert cache == tmp_path / "tool-bridge-documents"
    assert beside.parts[-3:] == ("shared", "specs", "files")


def test_every_document_of_the_manifest_says_where_its_bytes_come_from() -> None:
    """A source that moves brings other bytes some day: each is a commit, or a version of a package."""
    for each in read_manifest():
        sources = [each.url, each.package, each.generated]
        assert sum(map(bool, sources)) == 1, each.file
        assert bool(each.package) == bool(each.member), each.file
        if each.url:
            assert any(len(part) == 40 for part in each.url.split("/")), each.file
        if each.package:
            assert each.package.rpartition("@")[2][0].isdigit(), each.file
        assert each.licence, each.file


def test_what_the_repository_has_is_what_its_manifest_says() -> None:
    """Line endings that git changed, or a mended typing error, would make them other documents."""
    own = HERE / "generated"
    listed = {each.file for each in read_manifest() if each.find_among([own])}
    assert {file.name for file in own.iterdir()} == listed
