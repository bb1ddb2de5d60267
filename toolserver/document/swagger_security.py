"""Security definitions of Swagger 2.0 as security schemes of OpenAPI 3.

Receives the root of a document; gives the schemes by name. Knows names of flows, not how tokens are got.
"""

from toolserver.json_types import JsonObject, JsonValue, object_at, text_at

_FLOWS = {
    "implicit": "implicit",
    "password": "password",
    "application": "clientCredentials",
    "accessCode": "authorizationCode",
}


def security_schemes_of(root: JsonObject) -> JsonObject:
    """Every definition; what is broken stays as it is, for the reader of schemes to name."""
    return {name: _scheme(node) for name, node in object_at(root, "securityDefinitions").items()}


def _scheme(node: JsonValue) -> JsonValue:
    if not isinstance(node, dict):
        return node
    if node.get("type") == "basic":
        return {"type": "http", "scheme": "basic", "description": text_at(node, "description")}
    if node.get("type") != "oauth2":
        return node
    flow: JsonObject = {key: node[key] for key in ("authorizationUrl", "tokenUrl", "scopes") if key in node}
    named = _FLOWS.get(text_at(node, "flow"))
    return {
        "type": "oauth2",
        "description": text_at(node, "description"),
        "flows": {named: flow} if named else {},
    }
