"""The tools of real documents in the dialects of providers: each is taken, and a model reads the same."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from bridge.models.agent.fitted_request import fit_request
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.tools.catalog_tools import define_function
from bridge.settings.chat.provider_rules import Dialect, ProviderRules, rules_in_dialect
from tests.real_documents.corpus import Corpus
from tests.support.models.schema_judge import RULES, find_lost_facts, find_tool_refusals, read_rules
from toolserver import DocumentTools, parse_document

FEW = ("petstore-v3.yaml", "readme-3.1-train-travel.json", "owui-server-git.json")
OPERATIONS = 60
"""Tried of one document; more of the same document find the same."""

DIALECTS = sorted(file.stem for file in RULES.glob("*.toml"))
each_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def rules_in(dialect: Any) -> ProviderRules:
    return rules_in_dialect(dialect)


def tools_of(files: Iterable[Path], rules: ProviderRules) -> Iterator[tuple[str, Any]]:
    """The tools as a turn defines them for the provider, each with its place."""
    for file in files:
        tools = DocumentTools(parse_document(file.read_bytes()), source_url="https://api.example.com/")
        for operation in tools.compiled.operations[:OPERATIONS]:
            schema = tools.schema_of(operation.key).schema_json
            description = operation.description
            tool = define_function(operation.suggested_name, description, schema, rules.strictness)
            yield f"{file.name} {operation.key}", tool


def judge(files: Iterable[Path], dialect: str) -> int:
    """How many tools there were; fails with what a provider would refuse, and with facts that are gone."""
    found, problems, rules = 0, list[str](), rules_in(dialect)
    for place, tool in tools_of(files, rules):
        found += 1
        sent: Any = fit_request(ModelRequest("m", (), tools=(tool,)), rules).tools[0]
        problems += [f"{place}: {each}" for each in find_tool_refusals(sent, read_rules(dialect))]
        problems += [f"{place}: {each}" for each in find_lost_facts(tool["parameters"], sent["parameters"])]
        problems += [f"{place}: {each}" for each in find_lost_words(tool["description"], sent["description"])]
    assert problems == []
    return found


def find_lost_words(before: str, after: str) -> Iterator[str]:
    """The summary of a tool, if it is gone from its description, which must begin with it, cut or not."""
    summary = before.split("\n", 1)[0]
    if len(summary) < 500 and not after.startswith(summary):
        yield f"summary: {summary}"


def test_there_are_rules_of_every_dialect_that_has_any() -> None:
    """Finding W-4: a dialect without rules written down before it is only ours."""
    assert {*DIALECTS} == {*get_args(Dialect)} - {"plain"}


@each_dialect
def test_a_provider_takes_every_tool_and_reads_all_of_it(corpus: Corpus, dialect: str) -> None:
    """Finding O-4, W-4: one tool that is refused fails the whole request."""
    assert judge(corpus.find(*FEW).values(), dialect) > 20


@pytest.mark.slow
@each_dialect
def test_a_provider_takes_every_tool_of_all_real_documents(corpus: Corpus, dialect: str) -> None:
    """Finding O-4: 7,779 of 16,640 tools carried something that Gemini refuses."""
    assert judge(corpus.find().values(), dialect) > 1_000


@each_dialect
@pytest.mark.parametrize("name", ["9" + "x" * 63, "2fa", "-x"])
def test_a_name_keeps_its_length_and_form(dialect: str, name: str) -> None:
    """Finding W-17: a name of 64 characters that begins with a digit must not become one of 65."""
    tool: Any = {"type": "function", "name": name, "description": "d", "parameters": {"type": "object"}}
    [sent] = fit_request(ModelRequest("m", (), tools=(tool,)), rules_in(dialect)).tools
    assert [*find_tool_refusals(sent, read_rules(dialect))] == []
