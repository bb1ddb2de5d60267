"""Schemas for readers of keywords tell all that the others tell, on real documents."""

from tests.real_documents.corpus import Corpus
from tests.support.documents.facts import lost_facts
from toolserver.json_types import JsonObject, load_json
from toolserver.openapi.document import parse_document
from toolserver.schema.compact import compact_schema
from toolserver.tool.compile import DocumentTools

MOST = 0.9
"""Share of the characters that the short schemas of these documents may take of the others'."""


def read(schema_json: bytes) -> JsonObject:
    schema = load_json(schema_json.decode())
    assert isinstance(schema, dict)
    return schema


def test_no_fact_is_lost_and_a_tenth_of_the_tokens_is_saved(corpus: Corpus) -> None:
    """Names, types, values, bounds, defaults, what is required, and every word of a description."""
    files = corpus.find(
        "docusign-esignature-v2.json", "gitea.json", "openai.json", "mistral.yaml", "figma.yaml"
    )
    sizes = [0, 0]
    for file in files.values():
        tools = DocumentTools(parse_document(file.read_text("utf-8")), source_url=None)
        for operation in tools.compiled.operations:
            whole = tools.schema_of(operation.key).schema_json
            short = compact_schema(whole)
            sizes = [sizes[0] + len(whole), sizes[1] + len(short)]
            assert lost_facts(read(whole), read(short)) == [], operation.key
    assert sizes[1] <= MOST * sizes[0]
