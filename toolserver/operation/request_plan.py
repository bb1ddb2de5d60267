"""Request plans: everything that a page needs to build one operation's request.

Receives an operation, the names of its arguments and its base URL; gives the plan as JSON. The page stores
the plans that were accepted and executes them (`static/request.js`), so a plan is complete and contains no
secret.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

import orjson

from toolserver.json_types import JsonObject, JsonValue, dump_json, trim_bytes
from toolserver.openapi.security import Requirements
from toolserver.operation.argument_names import COMPLETE_BODY, Arguments
from toolserver.operation.body import Body
from toolserver.operation.body_field import rules_of
from toolserver.operation.operation import Operation, Parameter, SecurityScheme
from toolserver.operation.parameter_list import write_parameters
from toolserver.operation.withheld import amend_plan

PLAN_VERSION = 1
"""Of a plan without edits of arguments; see `EDITED_VERSION` for one with them."""


@dataclass(slots=True)
class PlanWriter:
    """Writes the plans of one document; parts that many plans share are written once."""

    _requirements: dict[int, tuple[Requirements, bytes]] = field(
        default_factory=dict[int, tuple[Requirements, bytes]]
    )
    """By identity of the requirements, each stored with them so that the identity is not reused."""
    _alike: dict[tuple[object, ...], tuple[Operation, Arguments, bytes]] = field(
        default_factory=dict[tuple[object, ...], tuple[Operation, Arguments, bytes]]
    )
    """Parameters and bodies by what they are made of; objects by identity, likewise."""

    def write_plan(
        self, operation: Operation, arguments: Arguments, body_additional: bool, base_url: str
    ) -> bytes:
        """The plan of `operation` as compact JSON; the key order is fixed, so equal plans are equal bytes.

        `base_url` is absolute, without a trailing slash; "" while it is unknown. `body_additional`:
        undeclared arguments become properties of the body, too.
        """
        body = operation.body
        path = operation.template or operation.path
        plan_json = b"".join(
            (
                _head(operation.method, base_url),
                dump_json(_without_fragment(path) if "#" in path else path),
                b',"parameters":[',
                operation.sendings.planned + b'],"body":null'
                if body is None and arguments is operation.sendings.arguments
                else self._filled(operation, arguments, body_additional),
                _accept(operation.accept),
                self._security(operation.security),
                _SAFETY[operation.safe, operation.idempotent],
                dump_json([_unsendable_entry(parameter) for parameter in operation.unsendable])
                if operation.unsendable
                else b"[]",
                b',"approval":%b}' % dump_json(operation.edit.approval) if operation.edit.approval else b"}",
            )
        )
        return amend_plan(plan_json, operation.withheld) if operation.withheld is not None else plan_json

    def _filled(self, operation: Operation, arguments: Arguments, additional: bool) -> bytes:
        """What arguments fill: parameters and body, written once for all operations that are called alike."""
        body = operation.body
        types = (body.content_type, body.content_types) if body else ()
        parts = (
            (*types, body.kind, body.required, id(body.fields), id(body.parts), id(body.xml)) if body else ()
        )
        key = (id(operation.sendings), id(arguments), additional, *parts)
        found = self._alike.get(key)
        if found is None:
            sendings = operation.sendings
            if sendings.arguments.items() <= arguments.items():  # no name clashes with one of the body
                parameters = sendings.planned
            else:
                parameters = write_parameters(operation.sendable_parameters(), arguments)
            planned = b"null" if body is None else dump_json(plan_body(body, arguments, additional))
            written = b'%b],"body":%b' % (parameters, planned)
            found = self._alike[key] = operation, arguments, written
        return found[2]

    def _security(self, requirements: Requirements) -> bytes:
        found = self._requirements.get(id(requirements))
        if found is None:
            written = trim_bytes(dump_json([_plan_security(together) for together in requirements]))
            found = self._requirements[id(requirements)] = requirements, written
        return found[1]


_SAFETY = {
    (safe, idempotent): b',"safe":%b,"idempotent":%b,"unsendable":' % (dump_json(safe), dump_json(idempotent))
    for safe in (False, True)
    for idempotent in (False, True)
}


@lru_cache(maxsize=1_000)
def _head(method: str, base_url: str) -> bytes:
    version = dump_json(PLAN_VERSION)
    parts = version, dump_json(method), dump_json(base_url)
    return b'{"version":%b,"method":%b,"base_url":%b,"path":' % parts


@lru_cache(maxsize=1_000)
def _accept(accept: str) -> bytes:
    return b',"accept":%b,"security":' % dump_json(accept)


def _unsendable_entry(parameter: Parameter) -> JsonObject:
    """The entry of a parameter that no argument can fill, because a browser does not let pages send it."""
    sending = parameter.sending
    return {
        "in": sending.location,
        "name": sending.name,
        "required": sending.required,
        "reason": sending.unsendable,
    }


def plan_body(body: Body, arguments: Arguments, additional: bool) -> JsonObject:
    """The part of a plan for a body: one `argument` (and `fields`), or `properties` and `additional`.

    JSON bodies have no `kind`.
    """
    planned: JsonObject = {} if body.kind == "json" else {"kind": body.kind}
    planned["content_type"] = body.content_type
    if body.content_types:
        planned["content_types"] = list(body.content_types)
    planned["required"] = body.required
    if COMPLETE_BODY in arguments:
        planned["argument"] = arguments[COMPLETE_BODY]
        if body.fields:
            planned["fields"] = rules_of(body.fields)
    else:
        fields = body.fields
        planned["properties"] = [
            {"argument": argument, "name": name, **fields[name].to_json()}
            if name in fields
            else {"argument": argument, "name": name}
            for (location, name), argument in arguments.items()
            if location == "body_property"
        ]
        planned["additional"] = additional
    if body.parts is not None:
        planned["parts"] = body.parts.to_json()
    if body.xml is not None:
        planned["xml"] = body.xml
    return planned


def optional_body_arguments(plan_json: bytes) -> frozenset[str]:
    """The arguments that are properties of a body which may be left out as a whole."""
    body = orjson.loads(plan_json)["body"]
    if body is None or body["required"]:
        return frozenset()
    return frozenset(entry["argument"] for entry in body.get("properties", ()))


def _without_fragment(path: str) -> str:
    """The path without its fragment ("/{Bucket}#acl" in some documents), which a request never carries."""
    return re.sub(r"#.*\Z", "", path, flags=re.DOTALL)


def _plan_security(together: tuple[SecurityScheme, ...]) -> list[JsonValue]:
    """The schemes without mutualTLS: the browser presents certificates itself, and a page cannot add any."""
    return [_plan_scheme(scheme) for scheme in together if scheme.type != "mutualTLS"]


def _plan_scheme(scheme: SecurityScheme) -> JsonObject:
    if scheme.type == "apiKey":
        return {"scheme": scheme.scheme, "type": "apiKey", "in": scheme.location, "name": scheme.name}
    if scheme.type == "http":
        return {"scheme": scheme.scheme, "type": "http", "http_scheme": scheme.http_scheme}
    return {"scheme": scheme.scheme, "type": scheme.type}
