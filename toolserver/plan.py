"""Request plans: everything a page needs to build one operation's request.

Receives an operation, the names of its arguments and its base URL; gives a `RequestPlan`. The page keeps
plans it has accepted and executes them (`static/request.js`), so a plan is complete, plain JSON and holds no
secret.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolserver.body import Body, BodyField
from toolserver.definition import Binding
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation import Operation, Parameter, SecurityScheme, unsendable_reason

PLAN_VERSION = 1


@dataclass(frozen=True, slots=True)
class PlannedParameter:
    """A parameter and the argument that carries its value."""

    argument: str
    parameter: Parameter

    def to_json(self) -> JsonObject:
        """Content-typed parameters have no style, as in the specification."""
        parameter = self.parameter
        planned: JsonObject = {
            "argument": self.argument,
            "in": parameter.location,
            "name": parameter.name,
            "required": parameter.required,
        }
        if parameter.default is not None:
            planned["default"] = parameter.default
        if parameter.content_type is not None:
            planned["content_type"] = parameter.content_type
            if parameter.fields:
                planned["fields"] = _rules_json(parameter.fields)
            return planned
        return {
            **planned,
            "style": parameter.style,
            "explode": parameter.explode,
            "allow_reserved": parameter.allow_reserved,
        }


@dataclass(frozen=True, slots=True)
class PlannedBody:
    """A body made of one argument, or of one property per argument."""

    body: Body
    argument: str | None
    """The argument that is the whole body; None when `properties` make it."""
    properties: tuple[tuple[str, str], ...]
    """Argument and property name."""
    additional: bool
    """Arguments that nothing declares become properties too."""

    def to_json(self) -> JsonObject:
        """Either `argument` (and `fields`), or `properties` and `additional`; JSON bodies have no `kind`."""
        body = self.body
        planned: JsonObject = {} if body.kind == "json" else {"kind": body.kind}
        planned |= {"content_type": body.content_type, "required": body.required}
        if self.argument is not None:
            planned["argument"] = self.argument
            if body.fields:
                planned["fields"] = _rules_json(body.fields)
        else:
            planned["properties"] = [
                {"argument": argument, "name": name, **_rule_json(body.fields, name)}
                for argument, name in self.properties
            ]
            planned["additional"] = self.additional
        if body.xml is not None:
            planned["xml"] = body.xml
        return planned


def _rule_json(fields: Mapping[str, BodyField], name: str) -> JsonObject:
    return fields[name].to_json() if name in fields else {}


def _rules_json(fields: Mapping[str, BodyField]) -> list[JsonValue]:
    return [{"name": name, **rule} for name, entry in fields.items() if (rule := entry.to_json())]


@dataclass(frozen=True, slots=True)
class Unsendable:
    """A parameter that no argument can fill, because a browser does not let a page send it."""

    parameter: Parameter
    reason: str

    def to_json(self) -> JsonObject:
        """Named as in the document."""
        parameter = self.parameter
        return {
            "in": parameter.location,
            "name": parameter.name,
            "required": parameter.required,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class RequestPlan:
    """One operation's request, but for its arguments and credentials."""

    method: str
    base_url: str
    """Absolute, without a trailing slash; "" while it is unknown."""
    path: str
    parameters: tuple[PlannedParameter, ...]
    body: PlannedBody | None
    accept: str
    security: tuple[tuple[SecurityScheme, ...], ...]
    safe: bool
    idempotent: bool
    unsendable: tuple[Unsendable, ...]

    def to_json(self) -> JsonObject:
        """The plan as the page reads it; key order is fixed, so equal plans are equal bytes."""
        return {
            "version": PLAN_VERSION,
            "method": self.method,
            "base_url": self.base_url,
            "path": self.path,
            "parameters": [parameter.to_json() for parameter in self.parameters],
            "body": self.body.to_json() if self.body is not None else None,
            "accept": self.accept,
            "security": [[_scheme_json(scheme) for scheme in together] for together in self.security],
            "safe": self.safe,
            "idempotent": self.idempotent,
            "unsendable": [parameter.to_json() for parameter in self.unsendable],
        }


def compile_plan(
    operation: Operation, bindings: Iterable[Binding], *, body_additional: bool, base_url: str
) -> RequestPlan:
    """The plan of `operation`; `bindings` name the arguments, in any order."""
    arguments = {(binding.location, binding.name): binding.argument for binding in bindings}
    parameters: list[PlannedParameter] = []
    unsendable: list[Unsendable] = []
    for parameter in operation.parameters:
        reason = unsendable_reason(parameter)
        argument = arguments.get((parameter.location, parameter.name))
        if reason is not None:
            unsendable.append(Unsendable(parameter, reason))
        elif argument is not None:
            parameters.append(PlannedParameter(argument, parameter))
    return RequestPlan(
        method=operation.method,
        base_url=base_url,
        path=_without_fragment(operation.path),
        parameters=tuple(parameters),
        body=_plan_body(operation, arguments, body_additional),
        accept=operation.accept,
        security=_sendable_security(operation.security),
        safe=operation.safe,
        idempotent=operation.idempotent,
        unsendable=tuple(unsendable),
    )


def _plan_body(
    operation: Operation, arguments: dict[tuple[str, str], str], additional: bool
) -> PlannedBody | None:
    body = operation.body
    if body is None:
        return None
    properties = [
        (argument, name) for (location, name), argument in arguments.items() if location == "body_property"
    ]
    return PlannedBody(body, arguments.get(("body", "")), tuple(properties), additional)


def _without_fragment(path: str) -> str:
    """Some documents tell paths apart by a fragment ("/{Bucket}#acl"), which a request never carries."""
    return re.sub(r"#.*\Z", "", path, flags=re.DOTALL) if "#" in path else path


def _sendable_security(
    security: tuple[tuple[SecurityScheme, ...], ...],
) -> tuple[tuple[SecurityScheme, ...], ...]:
    """Without mutualTLS: the browser itself presents certificates, and a page has nothing to add."""
    return tuple(tuple(scheme for scheme in together if scheme.type != "mutualTLS") for together in security)


def _scheme_json(scheme: SecurityScheme) -> JsonObject:
    planned: JsonObject = {"scheme": scheme.scheme, "type": scheme.type}
    if scheme.type == "apiKey":
        return {**planned, "in": scheme.location, "name": scheme.name}
    if scheme.type == "http":
        return {**planned, "http_scheme": scheme.http_scheme}
    return planned
