"""What openapi-core says about a whole document: a report for its author, never a gate."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from openapi_spec_validator import OpenAPIV2SpecValidator, OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from toolserver.document.document import parse_document, pointer_token

MAX_PROBLEMS = 50
"""Problems listed; a document with more has one cause for most of them."""

PROBLEM_CHARS = 500

_VALIDATORS = {"2.0": OpenAPIV2SpecValidator, "3.0": OpenAPIV30SpecValidator}


def validate_document(text: str) -> list[str]:
    """Problems of a document that parses, at most `MAX_PROBLEMS`, each with the place it stands at.

    Takes seconds for megabytes: run it away from the event loop.
    """
    document = parse_document(text)
    validator = _VALIDATORS.get(document.version, OpenAPIV31SpecValidator)
    problems: list[str] = []
    try:
        for error in islice(validator(document.written).iter_errors(), MAX_PROBLEMS):
            problems.append(f"{_place(error.absolute_path)}: {error.message}"[:PROBLEM_CHARS])
    except Exception as error:  # a boundary: where the validator itself stumbles, the document has a problem
        problems.append(f"The validator cannot go on: {type(error).__name__}: {error}"[:PROBLEM_CHARS])
    return problems


def _place(path: Iterable[str | int]) -> str:
    return "#/" + "/".join(pointer_token(str(part)) for part in path)
