"""Where an edit made in the page finds the tools of documents that vendors publish."""

import json
import os

import jsonpath
import pytest

from tests.real_documents.corpus import Corpus
from tests.support.examples import WIDE
from toolserver.json_types import JsonObject
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import DocumentTools

pytestmark = pytest.mark.timeout(300)

MOST_BYTES = 1_600_000 if os.environ.get(WIDE) else 400_000
"""Of a document, in `make test-all` and at each change; larger ones have no other forms."""


def targets_of(tools: DocumentTools) -> set[str]:
    """The JSONPaths of all operations, arguments and defaults."""
    found: set[str] = set()
    for operation in tools.compiled.operations:
        places = json.loads(tools.places_of(operation.key))
        found.add(places["target"])
        for argument in places["arguments"]:
            found |= {argument["target"], argument["default"]["target"]}
    return found - {""}


@pytest.mark.wide
def test_each_target_selects_one_node(corpus: Corpus) -> None:
    """Issue 41: an edit that finds nothing or two nodes would change nothing, or another tool."""
    selected: dict[str, int] = {}
    paths = jsonpath.JSONPathEnvironment(strict=True)
    for document, path in corpus.find().items():
        if document.size > MOST_BYTES:
            continue
        parsed = parse_document(path.read_bytes())
        root: JsonObject = parsed.written
        for target in targets_of(DocumentTools(parsed, source_url=None)):
            found = len(paths.findall(target, root))
            if found != 1:
                selected[f"{document.name} {target}"] = found
    assert selected == {}
