"""The tools of real documents in the dialects of providers: each is taken, and a model reads the same."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge.models.agent.schema_dialect import fit_schema
from bridge.settings.chat.provider_rules import GEMINI_SCHEMAS
from tests.real_documents.corpus import Corpus
from tests.support.models.schema_judge import find_lost_facts, find_refusals, read_rules
from toolserver import DocumentTools, parse_document

FEW = ("petstore-v3.yaml", "readme-3.1-train-travel.json", "owui-server-git.json")
OPERATIONS = 60
"""Tried of one document; more of the same document find the same."""

GEMINI = read_rules("gemini")


def schemas_of(files: Iterable[Path]) -> Iterator[tuple[str, Any]]:
    """Schemas of tools, each with its name."""
    for file in files:
        tools = DocumentTools(parse_document(file.read_bytes()), source_url="https://api.example.com/")
        for operation in tools.compiled.operations[:OPERATIONS]:
            yield f"{file.name} {operation.key}", json.loads(tools.schema_of(operation.key).schema_json)


def judge(files: Iterable[Path]) -> int:
    """How many tools there were; fails with what a provider would refuse, and with facts that are gone."""
    found, problems = 0, list[str]()
    for name, schema in schemas_of(files):
        found += 1
        fitted = fit_schema(schema, GEMINI_SCHEMAS)
        problems += [
            f"{name}: {each}" for each in (*find_refusals(fitted, GEMINI), *find_lost_facts(schema, fitted))
        ]
    assert problems == []
    return found


def test_gemini_takes_every_tool_and_reads_all_of_it(corpus: Corpus) -> None:
    """Finding O-4: one tool that is refused fails the whole request."""
    assert judge(corpus.find(*FEW).values()) > 20


@pytest.mark.slow
def test_gemini_takes_every_tool_of_all_real_documents(corpus: Corpus) -> None:
    """Finding O-4: 7,779 of 16,640 tools carried something that Gemini refuses."""
    assert judge(corpus.find().values()) > 1_000
