"""Requests made in six ways are valid by the original documents, but for what `judges.toml` excuses.

Each excuse is a rule with the smallest document that needs it, and says what the second judge finds: "valid"
where openapi-core is wrong, else what is wrong where the document allows nothing better or the tool tells it.
`make test` tries a few documents, `make test-all` all of OpenAPI 3; Swagger 2.0 openapi-core does not judge.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NotRequired, TypedDict, cast

import pytest

from tests.real_documents.corpus import Corpus
from tests.support.documents.original_server import read_original
from tests.support.documents.six_ways import TriedDocument, Verdict
from tests.support.documents.vectors import NODE
from toolserver.json_types import JsonObject

RULES = Path(__file__).with_name("judges.toml")
MOST_RULES = 20
SHARE = 0.999
"""Of requests that must be valid: the issue's figure."""

FEW = ("cafe-3.2.yaml", "petstore-v3.yaml", "readme-3.1-train-travel.json", "owui-server-git.json")
OPERATIONS = 40
"""Tried of one document; more of the same document find the same."""

pytestmark = pytest.mark.skipif(not NODE.exists(), reason="needs Node, which `make test` installs")


class Rule(TypedDict):
    """Complaints of openapi-core that are excused."""

    because: str
    says: str
    """A pattern of the complaint."""
    second: str
    """"valid", or a pattern of what the second judge has against the values."""
    only: NotRequired[str]
    """A pattern of the operation's key, where the complaint alone could hide a mistake."""
    told: NotRequired[str]
    """A pattern of a warning or text by which the tool tells of it."""
    document: str
    """The smallest document, in JSON."""
    key: str
    arguments: str


def rules() -> list[Rule]:
    return cast("list[Rule]", tomllib.loads(RULES.read_text(encoding="utf-8"))["rule"])


def excuse_of(verdict: Verdict) -> Rule | None:
    return next((rule for rule in rules() if excuses(rule, verdict)), None)


def excuses(rule: Rule, verdict: Verdict) -> bool:
    return (
        _agrees(rule["second"], verdict.second)
        and re.search(rule["says"], verdict.complaint, re.DOTALL) is not None
        and re.search(rule.get("only", ""), verdict.call.key) is not None
        and any(re.search(rule.get("told", ""), text) for text in verdict.call.told)
    )


def _agrees(expected: str, second: str) -> bool:
    return not second if expected == "valid" else bool(second) and re.search(expected, second) is not None


def verdicts_of(files: Iterable[Path]) -> Iterator[tuple[str, Verdict]]:
    for file in files:
        original = read_original(file)
        if "openapi" in original:
            tried = TriedDocument(original)
            for verdict in tried.judge([*tried.list_calls(OPERATIONS)]):
                yield file.name, verdict


def check(found: Iterable[tuple[str, Verdict]]) -> None:
    judged, wrong = 0, list[str]()
    for name, verdict in found:
        judged += 1
        if verdict.complaint and excuse_of(verdict) is None:
            row = f"{name} {verdict.call.key} ({verdict.call.way}): {verdict.complaint}"
            wrong.append(f"{row}\n    second judge: {verdict.second or 'valid'}")
    assert judged > 0
    assert 1 - len(wrong) / judged >= SHARE, f"{len(wrong)} of {judged}:\n" + "\n".join(wrong)


def test_requests_of_a_few_documents_are_valid(corpus: Corpus) -> None:
    """What is lost or misspelt between schema and wire makes an API answer about something else."""
    check(verdicts_of(corpus.find(*FEW).values()))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_requests_of_all_documents_are_valid(corpus: Corpus) -> None:
    """The kinds of mistakes are many, and each document has its own."""
    check(verdicts_of(corpus.find().values()))


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule["because"][:50]) for rule in rules()])
def test_each_excuse_is_needed_by_its_smallest_document(rule: Rule) -> None:
    """A rule that no document needs any more hides the next mistake; both judges must still say the same."""
    tried = TriedDocument(json.loads(rule["document"]))
    call = tried.make_call(rule["key"], cast(JsonObject, json.loads(rule["arguments"])))
    (verdict,) = tried.judge([call])
    assert excuses(rule, verdict), (verdict.complaint, verdict.second, call.told)


def test_the_excuses_are_few_and_say_why() -> None:
    """Each lets something through; twenty are what one person can keep in mind."""
    assert len(rules()) <= MOST_RULES
    for rule in rules():
        assert rule["because"].endswith("."), rule["because"]
