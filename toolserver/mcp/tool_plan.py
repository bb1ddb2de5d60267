"""Plans the call of one tool of an MCP server.

The plan is that of a `POST` to the endpoint whose body holds the arguments, so that the page builds, shows
and guards it as every other request; `kind` says that this body goes into a `tools/call`. The whole
definition is part of it: what a user accepts is what the page holds against the server later.
"""

from urllib.parse import urlsplit

from toolserver.json_types import JsonObject, dump_json
from toolserver.operation.argument_names import Arguments
from toolserver.operation.operation import Operation
from toolserver.operation.request_plan import PLAN_VERSION, plan_body
from toolserver.operation.withheld import amend_plan

_BRACES = str.maketrans({"{": "%7B", "}": "%7D"})
"""In the path of a plan they would be expressions."""


def write_call_plan(
    operation: Operation,
    definition: JsonObject,
    arguments: Arguments,
    *,
    body_additional: bool,
    base_url: str,
    rest: str,
) -> bytes:
    """The plan as compact JSON. `rest` is what follows `base_url` in the endpoint (`rest_of_endpoint`)."""
    body = operation.body
    plan_json = dump_json(
        {
            "version": PLAN_VERSION,
            "kind": "mcp",
            "method": "POST",
            "base_url": base_url,
            "path": rest,
            "tool": definition,
            "parameters": [],
            "body": None if body is None else plan_body(body, arguments, body_additional),
            "accept": operation.accept,
            "security": [],
            "safe": operation.safe,
            "idempotent": operation.idempotent,
            "unsendable": [],
            **({"approval": operation.edit.approval} if operation.edit.approval else {}),
        }
    )
    return amend_plan(plan_json, operation.withheld) if operation.withheld is not None else plan_json


def rest_of_endpoint(endpoint: str) -> str:
    """The slash at the end of an endpoint's path, and its query; a base URL has neither."""
    try:
        parts = urlsplit(endpoint)
    except ValueError:
        return ""
    slash = "/" if parts.path.endswith("/") else ""
    query = f"?{parts.query}" if parts.query else ""
    return f"{slash}{query}".translate(_BRACES)
