"""Documents that vendors publish: each is read, compiled and carried without loss."""

import json
import random
import re
from dataclasses import dataclass

import pytest

from tests.real_documents.corpus import Corpus
from tests.real_documents.documents import RealDocument
from tests.support.documents.compiled import read_compiled
from tests.support.documents.mutation import mutated
from tests.support.documents.strict_rules import problems_of
from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject, array_at, object_at, text_at
from toolserver.openapi.document import parse_document, read_value
from toolserver.schema.strict import strict_schema
from toolserver.tool.compile import CompiledDocument, DocumentTools
from toolserver.tool.compiled_lines import compiled_to_lines

pytestmark = pytest.mark.timeout(
    300
)  # 5,600 operations compile in seconds, but in minutes under branch coverage

SOURCE_URL = "https://docs.example/specs/openapi.json"
SKIPPED = {
    ("connexion-simple-openapi", "TRACE"): "A browser cannot send TRACE requests.",
    (
        "connexion-simple-swagger",
        "GET",
    ): "A browser cannot send a body with GET requests, and the operation requires one.",
}
"""By document and method, why an operation does not become a tool."""


@dataclass(frozen=True)
class Real:
    """A real document and what became of it."""

    document: RealDocument
    tools: DocumentTools

    @property
    def compiled(self) -> CompiledDocument:
        """What is known of it at once."""
        return self.tools.compiled


@pytest.fixture(scope="module")
def real_documents(corpus: Corpus) -> list[Real]:
    """Every document; a failure here names it."""
    return [
        Real(document, DocumentTools(parse_document(path.read_text(encoding="utf-8")), source_url=SOURCE_URL))
        for document, path in corpus.find().items()
    ]


@pytest.fixture(scope="module")
def small_documents(corpus: Corpus) -> list[str]:
    """As JSON; large ones take too long to break."""
    files = [path for document, path in corpus.find().items() if document.size < 200_000]
    return [json.dumps(read_value(path.read_text(encoding="utf-8"))) for path in files]


def test_no_operation_is_lost(real_documents: list[Real]) -> None:
    """Whoever counts the operations of a document must find each as a tool or with a reason."""
    counted = {
        real.document.name: len(real.compiled.operations) + len(real.compiled.skipped)
        for real in real_documents
    }
    assert counted == {real.document.name: real.document.operations for real in real_documents}


def test_only_what_a_browser_cannot_send_is_skipped(real_documents: list[Real]) -> None:
    """The corpus has no other reason to lose a tool; a new one here is a defect of the reader."""
    skipped = {
        (real.document.name, entry.method): entry.reason
        for real in real_documents
        for entry in real.compiled.skipped
    }
    here = {real.document.name for real in real_documents}
    assert skipped == {(name, method): reason for (name, method), reason in SKIPPED.items() if name in here}


def test_names_are_legal_and_unique_in_every_document(real_documents: list[Real]) -> None:
    """More than a thousand ids of this corpus are not; one illegal name makes a provider refuse all tools."""
    for real in real_documents:
        names = [operation.suggested_name for operation in real.compiled.operations]
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)
        assert len(set(names)) == len(names)


def test_every_path_expression_has_an_argument(real_documents: list[Real]) -> None:
    """Without it the operation could never be called: 92 to 2,698 tools of other converters are such."""
    for real in real_documents:
        for operation in real.compiled.operations:
            plan = json.loads(operation.plan_json)
            planned = {parameter["name"] for parameter in plan["parameters"] if parameter["in"] == "path"}
            assert planned == set(re.findall(r"\{([^{}]+)\}", operation.path)), operation.key
            properties = json.loads(real.tools.schema_of(operation.key).schema_json)["properties"]
            assert {parameter["argument"] for parameter in plan["parameters"]} <= properties.keys()


def test_compiled_documents_survive_their_journey_as_lines(real_documents: list[Real]) -> None:
    """Worker process and event loop must see the same bytes, whatever characters vendors use."""
    for real in real_documents:
        assert read_compiled(compiled_to_lines(real.compiled)) == real.compiled


def test_every_real_document_gets_a_base_url(real_documents: list[Real]) -> None:
    """With the address it came from, none of them needs a question to the user."""
    assert [real.document.name for real in real_documents if not real.compiled.base_url] == []


def test_every_body_of_a_swagger_document_is_sent(corpus: Corpus, real_documents: list[Real]) -> None:
    """All other converters lose them (0 of 2,708 operations): here each has its fields and its type."""
    files = corpus.find()
    expected: dict[str, int] = {}
    found: dict[str, int] = {}
    for real in real_documents:
        if real.document.family == "2.0":
            plans = [json.loads(operation.plan_json) for operation in real.compiled.operations]
            found[real.document.name] = sum(plan["body"] is not None for plan in plans)
            text = files[real.document].read_text(encoding="utf-8")
            expected[real.document.name] = bodies_in(parse_document(text).written)
    assert found == expected


def bodies_in(root: JsonObject) -> int:
    """Operations with body or form parameters of a Swagger document, but those of GET."""
    count = 0
    for item in object_at(root, "paths").values():
        for method, node in item.items() if isinstance(item, dict) else ():
            entries = array_at(node, "parameters") if isinstance(node, dict) else []
            places = {text_at(entry, "in") for entry in entries if isinstance(entry, dict)}
            count += method != "get" and bool(places & {"body", "formData"})
    return count


@pytest.mark.parametrize("seed", range(40))
def test_a_real_document_broken_at_random_gives_tools_or_a_reason(
    small_documents: list[str], seed: int
) -> None:
    """Every change is one that people and generators make; none may crash or hang the reader."""
    source = random.Random(seed)
    broken = mutated(source.choice(small_documents), source, count=source.choice([1, 3, 10, 30]))
    try:
        tools = DocumentTools(parse_document(broken), source_url=SOURCE_URL)
    except DocumentError:
        return
    for operation in tools.compiled.operations[:50]:
        tools.schema_of(operation.key)
    assert all(skipped.reason for skipped in tools.compiled.skipped)


def test_every_tool_is_strict_within_the_rules_or_says_why(real_documents: list[Real]) -> None:
    """Nine of ten tools can be strict; one schema outside the rules makes a provider refuse them all."""
    strict = 0
    for real in real_documents:
        for operation in real.compiled.operations:
            made = strict_schema(real.tools.schema_of(operation.key).schema_json)
            assert made.is_strict or made.reason.endswith("."), operation.key
            if made.is_strict:
                assert problems_of(json.loads(made.schema_json)) == [], operation.key
                strict += 1
    assert strict > 0.8 * sum(len(real.compiled.operations) for real in real_documents)
