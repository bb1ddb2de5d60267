"""Calls of every tool of a document in six ways, built by the page's own code and judged twice.

openapi-core judges what would arrive against the original document. Of each complaint a second judge says
whether the values were valid. A call that the bridge or the page refuses is no request.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

from tests.support.documents.argument_samples import NoSample
from tests.support.documents.argument_ways import WAYS, arguments_by
from tests.support.documents.original_server import OriginalServer, Recorded
from tests.support.documents.second_judge import SecondJudge
from tests.support.documents.vectors import Built, Job, build_all
from toolserver.arguments.arguments import ArgumentValidator
from toolserver.errors import ArgumentError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import parse_document
from toolserver.openapi.security import SecurityScheme
from toolserver.operation.request_plan import optional_body_arguments
from toolserver.tool.compile import CompiledOperation, DocumentTools

SOURCE_URL = "https://documents.example/openapi.json"
_UNSENDABLE = ("cannot be sent", "Its key is a cookie")
"""What the product itself says of an operation that no page can call."""


class Call(NamedTuple):
    """Arguments of one tool."""

    key: str
    arguments: JsonObject
    plan: dict[str, Any]
    told: tuple[str, ...]
    """Warnings, description and schema of the tool."""
    way: str = ""


class Verdict(NamedTuple):
    """One request that was judged."""

    call: Call
    complaint: str
    """Of openapi-core; "" when the request is right."""
    second: str
    """Of the second judge, who is asked of complaints only."""


class TriedDocument:
    """A document of OpenAPI 3 and the two who judge requests by it."""

    def __init__(self, original: Mapping[str, Any]) -> None:
        self._tools = DocumentTools(parse_document(json.dumps(original)), source_url=SOURCE_URL)
        self._first = OriginalServer(original, SOURCE_URL)
        self._second = SecondJudge(original)
        self._credentials = {
            scheme.scheme: _credential_of(scheme) for scheme in self._tools.compiled.security_schemes
        }

    def list_calls(self, most: int) -> Iterator[Call]:
        """Different calls of at most `most` operations, spread over the document."""
        operations = self._tools.compiled.operations
        step = max(1.0, len(operations) / most)
        for number in range(min(most, len(operations))):
            operation = operations[int(number * step)]
            if not any(words in warning for warning in operation.warnings for words in _UNSENDABLE):
                yield from self._calls_of(operation)

    def make_call(self, key: str, arguments: JsonObject) -> Call:
        """A call of the operation of that key."""
        operation = next(each for each in self._tools.compiled.operations if each.key == key)
        schema = self._tools.schema_of(key)
        told = (*operation.warnings, *schema.warnings, operation.description, schema.schema_json.decode())
        return Call(key, arguments, json.loads(operation.plan_json), told)

    def _calls_of(self, operation: CompiledOperation) -> Iterator[Call]:
        schema_json = self._tools.schema_of(operation.key).schema_json
        validator = ArgumentValidator(
            schema_json,
            takes_more=operation.takes_more,
            optional_body=optional_body_arguments(operation.plan_json),
        )
        call = self.make_call(operation.key, {})
        in_path = {entry["argument"] for entry in call.plan["parameters"] if entry["in"] == "path"}
        made: list[JsonObject] = []
        for way in WAYS:
            try:
                arguments = validator.validate_arguments(arguments_by(way, json.loads(schema_json), in_path))
            except (NoSample, ArgumentError):
                continue
            if arguments not in made:
                made.append(arguments)
                yield call._replace(arguments=arguments, way=way)

    def judge(self, calls: Sequence[Call]) -> Iterator[Verdict]:
        """The verdicts about all calls that become requests."""
        options: dict[str, object] = {"boundary": "BOUNDARY", "credentials": self._credentials}
        jobs = [Job(call.plan, cast("dict[str, object]", call.arguments), options) for call in calls]
        for call, built in zip(calls, build_all(jobs), strict=True):
            if built.refused:
                continue
            complaint = self._first.complaint(*_arrived(built))
            yield Verdict(call, complaint, self._ask_second(call) if complaint else "")

    def _ask_second(self, call: Call) -> str:
        method, _, path = call.key.partition(" ")
        return "; ".join(self._second.list_complaints(path, method, _values_of(call)))


def _credential_of(scheme: SecurityScheme) -> dict[str, str]:
    if scheme.type == "http" and scheme.http_scheme == "basic":
        return {"username": "ann", "password": "secret"}
    return {"value": f"key-of-{scheme.scheme}"}


def _arrived(built: Built) -> tuple[Recorded, str]:
    parts = urlsplit(built.url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    body = (built.body or "").encode("utf-8", "surrogateescape")
    return Recorded(built.method, target, built.headers, body), f"{parts.scheme}://{parts.netloc}"


def _without_files(value: JsonValue, names: set[str]) -> JsonValue:
    if not isinstance(value, dict):
        return value
    return {name: "file" if name in names else each for name, each in value.items()}


def _values_of(call: Call) -> dict[tuple[str, str], Any]:
    """What the caller gave, by place and name; a file is any text."""
    given = call.arguments
    values: dict[tuple[str, str], Any] = {
        (entry["in"], entry["name"]): given[entry["argument"]]
        for entry in call.plan["parameters"]
        if entry["argument"] in given
    }
    body = call.plan["body"]
    if body is None:
        return values
    if "argument" in body:
        if body["argument"] in given and body.get("kind") != "binary":
            files = {rule["name"] for rule in body.get("fields", ()) if rule.get("file")}
            values["body", body["content_type"]] = _without_files(given[body["argument"]], files)
        return values
    fields = {
        entry["name"]: "file" if entry.get("file") else given[entry["argument"]]
        for entry in body["properties"]
        if entry["argument"] in given
    }
    if fields or body["required"]:
        values["body", body["content_type"]] = fields
    return values
