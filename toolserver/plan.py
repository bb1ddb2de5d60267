"""Request plans: everything a page needs to build one operation's request.

Receives an operation, the names of its arguments and its base URL; gives the plan as plain JSON. The page
keeps plans it has accepted and executes them (`static/request.js`), so a plan is complete and holds no
secret.
"""

import re
from collections.abc import Mapping

from toolserver.argument_names import WHOLE, Arguments
from toolserver.body import Body, BodyField
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation import Operation, Parameter, SecurityScheme, unsendable_reason

PLAN_VERSION = 1


def compile_plan(
    operation: Operation, arguments: Arguments, *, body_additional: bool, base_url: str
) -> JsonObject:
    """The plan of `operation` as the page reads it; key order is fixed, so equal plans are equal bytes.

    `base_url` is absolute, without a trailing slash; "" while it is unknown. `body_additional`: arguments
    that nothing declares become properties of the body too.
    """
    parameters: list[JsonValue] = []
    unsendable: list[JsonValue] = []
    for parameter in operation.parameters:
        argument = arguments.get((parameter.location, parameter.name))
        if argument is not None:
            parameters.append(_plan_parameter(parameter, argument))
        elif (reason := unsendable_reason(parameter)) is not None:
            unsendable.append(_left_out(parameter, reason))
    body = operation.body
    return {
        "version": PLAN_VERSION,
        "method": operation.method,
        "base_url": base_url,
        "path": _without_fragment(operation.path),
        "parameters": parameters,
        "body": _plan_body(body, arguments, body_additional) if body is not None else None,
        "accept": operation.accept,
        "security": [_plan_security(together) for together in operation.security],
        "safe": operation.safe,
        "idempotent": operation.idempotent,
        "unsendable": unsendable,
    }


def _plan_parameter(parameter: Parameter, argument: str) -> JsonObject:
    """Content-typed parameters have no style, as in the specification."""
    if parameter.content_type is None and parameter.default is None:
        return {
            "argument": argument,
            "in": parameter.location,
            "name": parameter.name,
            "required": parameter.required,
            "style": parameter.style,
            "explode": parameter.explode,
            "allow_reserved": parameter.allow_reserved,
        }
    planned: JsonObject = {
        "argument": argument,
        "in": parameter.location,
        "name": parameter.name,
        "required": parameter.required,
    }
    if parameter.default is not None:
        planned["default"] = parameter.default
    if parameter.content_type is None:
        rule: JsonObject = {"style": parameter.style, "explode": parameter.explode}
        return {**planned, **rule, "allow_reserved": parameter.allow_reserved}
    planned["content_type"] = parameter.content_type
    if parameter.fields:
        planned["fields"] = _rules(parameter.fields)
    return planned


def _left_out(parameter: Parameter, reason: str) -> JsonObject:
    """A parameter that no argument can fill, because a browser does not let a page send it."""
    return {
        "in": parameter.location,
        "name": parameter.name,
        "required": parameter.required,
        "reason": reason,
    }


def _plan_body(body: Body, arguments: Arguments, additional: bool) -> JsonObject:
    """Either one `argument` (and `fields`), or `properties` and `additional`; JSON bodies have no `kind`."""
    planned: JsonObject = {} if body.kind == "json" else {"kind": body.kind}
    planned["content_type"] = body.content_type
    planned["required"] = body.required
    if WHOLE in arguments:
        planned["argument"] = arguments[WHOLE]
        if body.fields:
            planned["fields"] = _rules(body.fields)
    else:
        planned["properties"] = [
            {"argument": argument, "name": name, **body.fields[name].to_json()}
            if name in body.fields
            else {"argument": argument, "name": name}
            for (location, name), argument in arguments.items()
            if location == "body_property"
        ]
        planned["additional"] = additional
    if body.xml is not None:
        planned["xml"] = body.xml
    return planned


def _rules(fields: Mapping[str, BodyField]) -> list[JsonValue]:
    return [{"name": name, **rule} for name, entry in fields.items() if (rule := entry.to_json())]


def _without_fragment(path: str) -> str:
    """Some documents tell paths apart by a fragment ("/{Bucket}#acl"), which a request never carries."""
    return re.sub(r"#.*\Z", "", path, flags=re.DOTALL) if "#" in path else path


def _plan_security(together: tuple[SecurityScheme, ...]) -> list[JsonValue]:
    """Without mutualTLS: the browser itself presents certificates, and a page has nothing to add."""
    return [_plan_scheme(scheme) for scheme in together if scheme.type != "mutualTLS"]


def _plan_scheme(scheme: SecurityScheme) -> JsonObject:
    if scheme.type == "apiKey":
        return {"scheme": scheme.scheme, "type": "apiKey", "in": scheme.location, "name": scheme.name}
    if scheme.type == "http":
        return {"scheme": scheme.scheme, "type": "http", "http_scheme": scheme.http_scheme}
    return {"scheme": scheme.scheme, "type": scheme.type}
