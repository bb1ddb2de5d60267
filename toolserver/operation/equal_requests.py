"""Finds operations whose requests are told apart by nothing but their arguments. Pure.

What follows `#` in a path never leaves a browser, and templates that differ in names alone are one address.
Some APIs have a required parameter of one value that tells such operations apart (`X-Amz-Target`): those are
well described.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TypeAlias

from toolserver.errors import ReferenceFailed, quote_text
from toolserver.json_types import dump_json
from toolserver.openapi.document import Document
from toolserver.operation.operation import Operation, Parameter

_MAX_GROUPS = 10
_MAX_NAMED = 3
_EXPRESSION = re.compile(r"\{[^{}]*\}")

_Marks: TypeAlias = frozenset[tuple[tuple[str, str], bytes]]


def describe_equal_requests(operations: Iterable[Operation], document: Document) -> Iterator[str]:
    """Return a sentence for each group of such operations, at most `_MAX_GROUPS`."""
    alike: dict[tuple[str, str], list[Operation]] = defaultdict(list)
    for operation in operations:
        path = operation.path.partition("#")[0]
        alike[operation.method, _EXPRESSION.sub("{}", path) if "{" in path else path].append(operation)
    shared = (group for group in alike.values() if len(group) > 1)
    equal = chain.from_iterable(_equal_among(group, document) for group in shared)
    return map(_sentence, islice(equal, _MAX_GROUPS))


def _equal_among(group: list[Operation], document: Document) -> Iterator[list[Operation]]:
    equal: dict[tuple[object, _Marks], list[Operation]] = defaultdict(list)
    for operation in group:
        servers = tuple([server.url for server in operation.servers])
        equal[servers, _marks_of(operation, document)].append(operation)
    return (found for found in equal.values() if len(found) > 1)


def _marks_of(operation: Operation, document: Document) -> _Marks:
    """The required parameters that can have one value only, with it."""
    required = [parameter for parameter in operation.parameters if parameter.sending.required]
    values = [(parameter.sending.identity, _only_value(parameter, document)) for parameter in required]
    return frozenset((identity, value) for identity, value in values if value is not None)


def _only_value(parameter: Parameter, document: Document) -> bytes | None:
    try:
        schema = document.follow_refs(parameter.describe_parameter(document).schema)
    except ReferenceFailed:  # which its operation tells
        return None
    if not isinstance(schema, dict):
        return None
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    return dump_json(values) if isinstance(values, list) and len(values) == 1 else None


def _sentence(equal: list[Operation]) -> str:
    first = equal[0]
    named = [quote_text(operation.key) for operation in equal[:_MAX_NAMED]]
    more = f", and {len(equal) - _MAX_NAMED} more" if len(equal) > _MAX_NAMED else ""
    path = quote_text(first.path.partition("#")[0])
    return (
        f"{', '.join(named)}{more} all send {first.method} {path}: nothing but their arguments tells the API "
        "which one is meant."
    )
