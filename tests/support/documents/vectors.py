"""Rows of `tests/vectors` as jobs for the request builder.

A row is another tool's document, arguments and request. Here each becomes a plan, compiled from the document
by `toolserver`, and the arguments that plan asks for; one Node process builds all requests. To judge them is
the business of vector_judge.
"""

import base64
import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias, cast

from toolserver.errors import DocumentError
from toolserver.openapi.document import parse_document
from toolserver.tool.compile import compile_document

Row: TypeAlias = Mapping[str, object]
Json: TypeAlias = dict[str, object]

ROOT = Path(__file__).parents[3]
VECTORS = ROOT / "tests/vectors"
NODE = ROOT / ".venv/bin/node"
BUILDER = ROOT / "tests/page/support/build_requests.js"

ORIGIN = "https://example.com"
"""Where documents without an address of their own are said to lie; oas-to-har assumes the same."""

LATEST = {"3.0": "3.0.4", "3.1": "3.1.2", "3.2": "3.2.0"}


@dataclass(frozen=True, slots=True)
class Built:
    """What became of one row: a request, or the reason why there is none."""

    method: str = ""
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None
    """As text, bytes read as UTF-8 with surrogate escapes."""
    cookies: tuple[str, ...] = ()
    """Names of what the page reported as cookies it cannot send."""
    refused: str = ""
    plan: Json = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Job:
    """One call of `buildRequest`."""

    plan: Json
    args: Json
    options: Json


def read_rows(name: str) -> list[Row]:
    return cast("list[Row]", json.loads((VECTORS / name).read_text(encoding="utf-8")))


def compiled_job(row: Row) -> Job | str:
    """The job of a row of request_vectors.json, or why its operation is no tool."""
    plan = plan_of(document_of(row), row)
    if isinstance(plan, str):
        return plan
    options: Json = {"boundary": "BOUNDARY", "credentials": credentials_of(row)}
    if address := address_of(row):
        options["baseUrl"] = address
    return Job(plan, arguments_of(row, plan), options)


def document_of(row: Row) -> Json:
    """The row's document, completed with the version that its tool leaves out."""
    spec = cast("Json", row["spec"])
    if "openapi" in spec or "swagger" in spec:
        return spec
    is_swagger = {"host", "basePath", "schemes"} & spec.keys() or "test/execute" in str(row["source"])
    return {"swagger": "2.0", **spec} if is_swagger else {"openapi": LATEST["3.1"], **spec}


def base_url_of(row: Row) -> str:
    """What a row of the kind "base-url" asks for."""
    text = json.dumps({"paths": {}, **document_of(row)})
    source = cast("str | None", option(row, "contextUrl"))
    return compile_document(parse_document(text), source_url=source).base_url


def plan_of(document: Json, row: Row) -> Json | str:
    text = json.dumps(document)
    try:
        compiled = compile_document(parse_document(text), source_url=source_url_of(document))
    except DocumentError as error:
        return error.message
    key = f"{str(row['method']).upper()} {row['path']}"
    for operation in compiled.operations:
        if operation.key == key:
            return cast("Json", json.loads(operation.plan_json))
    reasons = [skipped.reason for skipped in compiled.skipped]
    return f"no tool for {key}: {reasons}"


def source_url_of(document: Json) -> str:
    """swagger-js takes http for a document of version 2.0 that was never fetched."""
    address = f"{ORIGIN}/openapi.json"
    return address.replace("https:", "http:") if "swagger" in document else address


def option(row: Row, name: str) -> object:
    return cast("Json", row.get("options") or {}).get(name)


def group(row: Row, name: str) -> object:
    return cast("Json", row.get("params") or {}).get(name)


def address_of(row: Row) -> str:
    """The base URL a user would set: the one the row names, or a server with its variables filled in."""
    if address := option(row, "base_url"):
        return str(address)
    chosen = cast("Json | None", group(row, "server"))
    if chosen is None or not chosen.get("variables"):
        return ""
    spec = cast("Json", row["spec"])
    item = cast("Json", cast("Json", spec["paths"])[str(row["path"])])
    operation = cast("Json", item[str(row["method"])])
    servers = cast("list[Json]", operation.get("servers") or item.get("servers") or spec["servers"])
    url = str(servers[cast("int", chosen["selected"])]["url"])
    for name, value in cast("Json", chosen["variables"]).items():
        url = url.replace(f"{{{name}}}", str(value))
    return url


def credentials_of(row: Row) -> Json:
    """As the page stores them, from the forms of swagger-js and oas-to-har."""
    securities = cast("Json", option(row, "securities") or {})
    given = {**cast("Json", securities.get("authorized") or {}), **cast("Json", option(row, "auth") or {})}
    return {scheme: credential_of(scheme, value, row) for scheme, value in given.items()}


def credential_of(scheme: str, value: object, row: Row) -> Json:
    if not isinstance(value, dict):
        return {"value": value}
    known = cast("Json", value)
    if "pass" in known:
        return {"username": known.get("user", ""), "password": known["pass"]}
    if "token" in known:
        spec = cast("Json", row["spec"])
        schemes = cast("dict[str, Json]", cast("Json", spec.get("components") or {}).get("securitySchemes"))
        name = str(schemes[scheme].get("x-tokenName") or "access_token")
        return {"value": cast("Json", known["token"])[name]}
    return known


def arguments_of(row: Row, plan: Json) -> Json:
    """The row's values under the names of the plan's arguments."""
    arguments: Json = {}
    loose = cast("Json", row.get("unmatched_params") or {})
    for parameter in cast("list[Json]", plan["parameters"]):
        name, location = str(parameter["name"]), str(parameter["in"])
        values = cast("Json", group(row, location) or {})
        if name in values:
            arguments[str(parameter["argument"])] = values[name]
        for spelled in (f"{name}__{location}", name):  # what FastMCP's tests call by hand
            if spelled in loose:
                arguments.setdefault(str(parameter["argument"]), loose[spelled])
    if plan["body"] is not None:
        arguments.update(body_arguments(row, cast("Json", plan["body"])))
    return arguments


def body_arguments(row: Row, body: Json) -> Json:
    value = next((group(row, name) for name in ("body", "formData") if group(row, name) is not None), None)
    if value is None:
        return {}
    if "argument" in body:
        whole = next(iter(cast("Json", value).values())) if is_named(row, value) else value
        return {str(body["argument"]): whole}
    if not isinstance(value, dict):
        return {"body": value}
    arguments = {
        str(member["name"]): str(member["argument"]) for member in cast("list[Json]", body["properties"])
    }
    return {arguments.get(name, name): member for name, member in cast("Json", value).items()}


def is_named(row: Row, value: object) -> bool:
    """Whether the body is one argument under a name of its own: FastMCP's, or the body parameter's of 2.0."""
    if "flat_params" in row:
        return len(cast("Json", value)) == 1 and not cast("Json", value).keys() <= property_names(row["spec"])
    operation = cast("dict[str, dict[str, Json]]", cast("Json", row["spec"])["paths"])[str(row["path"])]
    parameters = cast("list[Json]", operation[str(row["method"])].get("parameters") or [])
    names = [entry.get("name") for entry in parameters if entry.get("in") == "body"]
    return isinstance(value, dict) and list(cast("Json", value)) == names


def property_names(node: object) -> set[str]:
    """Of every schema in a document."""
    if isinstance(node, list):
        return set[str]().union(*map(property_names, cast("list[object]", node)))
    if not isinstance(node, dict):
        return set()
    members = cast("Json", node)
    own = members.get("properties")
    names = set(cast("Json", own)) if isinstance(own, dict) else set[str]()
    return names.union(*map(property_names, members.values()))


def build_all(jobs: Iterable[Job]) -> list[Built]:
    """The requests of all jobs, in order, from one Node process."""
    jobs = list(jobs)
    lines = [json.dumps({"plan": job.plan, "args": job.args, "options": job.options}) for job in jobs]
    ended = subprocess.run(
        [NODE, BUILDER],
        input="\n".join(lines),
        encoding="utf-8",
        capture_output=True,
        check=False,
        timeout=60,
    )
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    answers = [cast("Json", json.loads(line)) for line in ended.stdout.splitlines()]
    return [built(job, answer) for job, answer in zip(jobs, answers, strict=True)]


def built(job: Job, answer: Json) -> Built:
    if "error" in answer:
        error = cast("Json", answer["error"])
        return Built(refused=f"{error['code']}: {error['message']}", plan=job.plan)
    request = cast("Json", answer["request"])
    body = cast("str | None", request.get("body"))
    if "body_base64" in request:
        body = base64.b64decode(str(request["body_base64"])).decode("utf-8", "surrogateescape")
    unsendable = cast("list[Json]", request["unsendable"])
    headers = cast("list[list[str]]", request["headers"])
    return Built(
        method=str(request["method"]),
        url=str(request["url"]),
        headers=tuple((name, text) for name, text in headers),
        body=body,
        cookies=tuple(str(entry["name"]) for entry in unsendable if entry["in"] in ("cookie", "security")),
        plan=job.plan,
    )
