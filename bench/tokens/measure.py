"""Tokens of tools, and tokens for each fact that they tell: as written, compact, and as FastMCP writes them.

On the real documents that are here. `FASTMCP_PYTHON` names a Python that has FastMCP; without it nothing is
compared. Compared are the operations of which both make a tool, in the same run.
"""

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import cast

import orjson

from bench.measure import percentile
from bench.report import print_table
from bench.tokens.facts import Schema, TooMany, facts_of
from tests.real_documents.documents import ROOT, find_documents
from tests.support.documents.facts import descriptions_of, lost_facts
from toolserver.json_types import JsonObject, load_json
from toolserver.openapi.document import parse_document
from toolserver.schema.compact import compact_schema
from toolserver.tool.compile import DocumentTools
from toolserver.tool.selection import CHARS_PER_TOKEN

VARIABLE = "FASTMCP_PYTHON"
_FASTMCP_TOOLS = ROOT / "tests" / "clients" / "programs" / "fastmcp_tools.py"


@dataclass(frozen=True, slots=True)
class _Told:
    """One tool as its reader gets it."""

    chars: int
    facts: int


def measure_tokens() -> dict[str, object]:
    """Measure all documents, print two tables and give all figures."""
    written: list[_Told] = []
    compact: list[_Told] = []
    ours: list[_Told] = []
    theirs: list[_Told] = []
    lost: list[str] = []
    documents = 0
    for document, file in find_documents().items():
        text = file.read_text("utf-8")
        tools, compacted, losses = _ours(text)
        written += tools.values()
        compact += compacted.values()
        lost += [f"{document.name}: {loss}" for loss in losses]
        others = _fastmcp(text)
        both = compacted.keys() & others.keys()
        documents += bool(both)
        ours += [compacted[key] for key in both]
        theirs += [others[key] for key in both]
    rows = [_row("as written", written), _row("compact", compact)]
    head = ["tools", "count", "tokens", "median", "p95", "facts", "tokens a fact"]
    print_table(f"Tokens of tools; {len(lost)} facts lost by the compact ones", head, rows)
    for loss in lost[:20]:
        print(loss)
    if theirs:
        rows += [_row("compact, of both", ours), _row("FastMCP, of both", theirs)]
        print_table(f"Beside FastMCP, {documents} documents of which both make tools", head, rows[2:])
    else:
        print(f"FastMCP: not run, {VARIABLE} names no Python that has it")
    return {"lost": len(lost), "tokens": {str(name): figures for name, *figures in rows}}


def _row(name: str, told: Sequence[_Told]) -> list[object]:
    tokens = sorted(each.chars / CHARS_PER_TOKEN for each in told)
    facts = sum(each.facts for each in told)
    return [
        name,
        len(told),
        sum(tokens),
        median(tokens),
        percentile(tokens, 0.95),
        facts,
        sum(tokens) / facts,
    ]


def _told(name: str, description: str, schema_json: bytes, facts: int) -> _Told:
    return _Told(len(name) + len(description) + len(schema_json.decode()), facts + bool(description))


def _count_ours(compact: JsonObject) -> int:
    """The facts of a compact schema; what it refers to counts where it would stand."""
    others = [kind for _, kind, _ in facts_of(dict(compact)) if kind != "description"]
    return len(others) + len(descriptions_of(compact))


def _ours(text: str) -> tuple[dict[str, _Told], dict[str, _Told], list[str]]:
    made = DocumentTools(parse_document(text), source_url=None)
    written: dict[str, _Told] = {}
    compact: dict[str, _Told] = {}
    lost: list[str] = []
    for operation in made.compiled.operations:
        whole = made.schema_of(operation.key).schema_json
        short = compact_schema(whole)
        before, after = _read(whole), _read(short)
        lost += lost_facts(before, after)
        name, description = operation.suggested_name, operation.description
        try:
            facts = _count_ours(after)
        except TooMany:
            continue
        written[operation.key] = _told(name, description, whole, facts)
        compact[operation.key] = _told(name, description, short, facts)
    return written, compact, lost


def _read(schema_json: bytes) -> JsonObject:
    schema = load_json(schema_json.decode())
    return schema if isinstance(schema, dict) else {}


def _fastmcp(text: str) -> dict[str, _Told]:
    """The tools of FastMCP by method and path; none where it is not there or cannot read the document."""
    python = os.environ.get(VARIABLE)
    if not python:
        return {}
    document = json.dumps(parse_document(text).written)
    command = [python, str(_FASTMCP_TOOLS)]
    ran = subprocess.run(command, input=document, capture_output=True, text=True, check=False)
    if ran.returncode:
        return {}
    found: dict[str, _Told] = {}
    for tool in cast(list[Mapping[str, object]], json.loads(ran.stdout)):
        schema = cast(Schema, tool["schema"])
        try:
            facts = len(facts_of(schema))
        except TooMany:
            continue
        name, description = str(tool["name"]), str(tool["description"])
        found[str(tool["key"])] = _told(name, description, orjson.dumps(schema), facts)
    return found
