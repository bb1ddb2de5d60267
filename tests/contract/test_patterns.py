"""Patterns in advertised schemas, read by the engines of those who compile schemas."""

import json
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest

from tests.support.documents.patterns import REWRITTEN, UNCHANGED, WITHOUT_FORM
from tests.support.documents.schemas import flat
from toolserver.json_types import JsonObject
from toolserver.schema.pattern import portable_pattern

NODE = Path(__file__).parents[2] / ".venv/bin/node"
READ = """
const [patterns, texts] = JSON.parse(require("fs").readFileSync(0));
const found = ([pattern, flag]) => texts.map((text) => new RegExp(pattern, flag).test(text));
console.log(JSON.stringify(patterns.map(found)));
"""
TEXTS = ["", "a", "word", "ab-@", "2026-11", "555-1234", "{", "a{", "]", "[]", "&", ".", "-", "_", "\t", "é"]
SCHEMAS: list[JsonObject] = [
    {"type": "string", "pattern": pattern}
    for pattern in [*UNCHANGED, *REWRITTEN, *(one for several in WITHOUT_FORM.values() for one in several)]
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_caller_in_python_compiles_every_schema(schema: JsonObject) -> None:
    """`jsonschema` executes patterns with `re`; one that raises there fails the whole tool."""
    keyed: JsonObject = {"type": "object", "patternProperties": {str(schema["pattern"]): {"type": "integer"}}}
    for advertised, value in ((flat(schema), "text"), (flat(keyed), {"key": 1})):
        validator = jsonschema.Draft202012Validator(advertised)
        validator.check_schema(advertised)
        validator.is_valid(value)  # pyright: ignore[reportUnknownMemberType] - its stubs are partial


def test_a_caller_in_javascript_compiles_them_and_finds_the_same_texts() -> None:
    """Ajv compiles with the flag `u`, which refuses much that authors write; meanings must not change."""
    portable = {pattern: str(portable_pattern(pattern)) for pattern in (*UNCHANGED, *REWRITTEN)}
    not_javascript = {pattern for pattern in REWRITTEN if "(?P<" in pattern or r"\A" in pattern}
    found = matches([(pattern, "u") for pattern in portable.values()])
    assert found == [
        [re.search(pattern, text, re.ASCII) is not None for text in TEXTS] for pattern in portable.values()
    ]
    original = matches([(pattern, "") for pattern in portable if pattern not in not_javascript])
    assert original == [
        texts for pattern, texts in zip(portable, found, strict=True) if pattern not in not_javascript
    ]


def matches(patterns: list[tuple[str, str]]) -> list[list[bool]]:
    """For each pattern with its flags, which of the texts Node finds it in."""
    given = json.dumps([patterns, TEXTS])
    done = subprocess.run(
        [NODE, "-e", READ], input=given, capture_output=True, check=True, text=True, encoding="utf-8"
    )
    read: list[list[bool]] = json.loads(done.stdout)
    return read
