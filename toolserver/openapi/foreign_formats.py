"""Names the formats that people bring in the place of an OpenAPI document, with the way out of each.

Receives the beginning of a text, or the root of a parsed one, that has no version of OpenAPI or Swagger;
gives a sentence for whoever brought it. Reads nothing of what a format describes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at

SNIFFED_CHARS = 4_000
"""Characters of a text in which its format is looked for. Chosen."""

_IN_THE_PAGE = (
    "Add it in the bridge page: it becomes a document there, which you can copy as well, and the secrets in "
    "it stay in your browser."
)
_AS_CURL = "Copy its requests as cURL and add those in the bridge page."
_AS_POSTMAN = (
    "Export it as a Postman collection and add that in the bridge page, or copy its requests as cURL."
)
_CONVERT = "Look for an OpenAPI document of the same API, or convert it with api-spec-converter."
_ONE_POST = "Its operations are POST requests to one address: describe them in a small OpenAPI document."
_MCP_ADDRESS = (
    "Add the address of the MCP server itself; one that a command starts needs a proxy such as MCPO."
)


@dataclass(frozen=True, slots=True)
class _Format:
    name: str
    way_out: str


_INSOMNIA = _Format("an export of Insomnia", f"Export it as HAR, or an OpenAPI design as such. {_AS_CURL}")
_BRUNO = _Format("a collection of Bruno", _AS_POSTMAN)
_GRAPHQL = _Format("a GraphQL schema", _ONE_POST)
_GRPC = _Format(
    "a description of gRPC services", "A page cannot call gRPC: add the OpenAPI document of its HTTP gateway."
)
_SMITHY = _Format("a Smithy model", "Write OpenAPI with smithy-openapi, a plugin of its build, and add that.")

# Possessive: a pattern that went back over comments would take exponential time for a hostile text.
_MARKUP_COMMENTS = r"(?:<\?[^>]*>\s*|<!--.*?-->\s*)*+"
_SCHEMA_COMMENTS = r"(?:#[^\n]*\n|//[^\n]*\n|\s)*+"
_HTTP_METHOD = r"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)"

_TEXTS: tuple[tuple[str, _Format], ...] = (
    (r"PK\x03\x04|\x1f\S\x08|%PDF-", _Format("an archive or a PDF", "Choose the document that is in it.")),
    (
        _MARKUP_COMMENTS + r"(?i:<!doctype\s+html)|" + _MARKUP_COMMENTS + r"<html",
        _Format(
            "a web page",
            "If it is about an API, enter its address in the bridge page, which looks for the document.",
        ),
    ),
    (
        _MARKUP_COMMENTS + r"<(?:\w+:)?(?:definitions|description)\b[^>]*wsdl",
        _Format(
            "a WSDL of a SOAP service",
            "Put a gateway with JSON before it, and add the OpenAPI document of that.",
        ),
    ),
    (_MARKUP_COMMENTS + r"<(?:\w+:)?application\b[^>]*wadl", _Format("a WADL", _CONVERT)),
    (
        _MARKUP_COMMENTS + r"<(?:edmx:)?Edmx\b",
        _Format("OData metadata (CSDL)", "Convert it with OASIS's odata-openapi, and add the result."),
    ),
    (
        _MARKUP_COMMENTS + r"<[A-Za-z][\w:.-]*[\s/>]",
        _Format("XML", "Look for its API's document in JSON or YAML."),
    ),
    (r"#%RAML", _Format("RAML", _CONVERT)),
    (r"FORMAT:\s*1A", _Format("API Blueprint", _CONVERT)),
    (
        r"import\s+[\"']@(?:typespec|azure-tools)/|using\s+TypeSpec\b",
        _Format("TypeSpec", "Write OpenAPI with `tsp compile . --emit @typespec/openapi3`, and add that."),
    ),
    (_SCHEMA_COMMENTS + r"\$version:\s*\"[12]|" + _SCHEMA_COMMENTS + r"namespace\s+[\w.]+\s*\n", _SMITHY),
    (
        _SCHEMA_COMMENTS + r"(?:namespace\s+(?:\*|\w+)\s+[\w.]+|include\s+\"[^\"]+\.thrift\")",
        _Format("Thrift", "A page cannot call it: add the OpenAPI document of its HTTP gateway."),
    ),
    (_SCHEMA_COMMENTS + r"(?:syntax\s*=\s*[\"']proto[23]|edition\s*=\s*[\"']\d{4}|package\s+[\w.]+;)", _GRPC),
    (
        r"(?:#[^\n]*\n|\"\"\".*?\"\"\"|\s)*+(?:schema\s*\{|(?:extend\s+)?(?:type|interface|input|enum)\s+\w+[^:{\n]*\{"
        r"|union\s+\w+\s*=|scalar\s+\w+\s*(?:@|\n|$)|directive\s+@)",
        _GRAPHQL,
    ),
    (r"(?:meta|vars|auth)\s*\{\s*\n", _BRUNO),
    (r"(?:[$%>]\s+)?curl(?:\.exe)?\s", _Format("a curl command", _IN_THE_PAGE)),
    (
        r"(?i:\$session\s*=|(?:\$\w+\s*=\s*)?Invoke-(?:WebRequest|RestMethod)\s)|(?:await\s+)?fetch\(\s*[\"'`]"
        r"|(?:\$\s+)?wget\s",
        _Format("a request as a command", "Copy it as cURL and add that in the bridge page."),
    ),
    (
        rf"(?:(?:#|//|@)[^\n]*\n|\s)*+{_HTTP_METHOD}\s+(?:https?:|\{{\{{)",
        _Format("a file of HTTP requests", _AS_CURL),
    ),
)
_COMPILED = tuple((re.compile(begin, re.DOTALL), known) for begin, known in _TEXTS)


def _has(*keys: str) -> Callable[[JsonObject], bool]:
    return lambda root: any(key in root for key in keys)


def _has_object(*keys: str) -> Callable[[JsonObject], bool]:
    return lambda root: any(isinstance(root.get(key), dict) for key in keys)


def _says(key: str, pattern: str) -> Callable[[JsonObject], bool]:
    found = re.compile(pattern)
    return lambda root: found.match(text_at(root, key)) is not None


def _any(*tests: Callable[[JsonObject], bool]) -> Callable[[JsonObject], bool]:
    return lambda root: any(test(root) for test in tests)


def _is_postman(root: JsonObject) -> bool:
    return (isinstance(root.get("item"), list) and "info" in root) or "info" in object_at(root, "collection")


def _is_client_configuration(root: JsonObject) -> bool:
    servers = object_at(root, "mcpServers") or object_at(root, "servers")
    return any(
        isinstance(server, dict) and ("command" in server or "url" in server) for server in servers.values()
    )


def _is_answer_of_mcp(root: JsonObject) -> bool:
    tools = array_at(root, "tools") or array_at(object_at(root, "result"), "tools")
    return any(isinstance(tool, dict) and "inputSchema" in tool for tool in tools)


_ROOTS: tuple[tuple[Callable[[JsonObject], bool], _Format], ...] = (
    (
        _has("asyncapi"),
        _Format(
            "an AsyncAPI document", "It describes messages; requests over HTTP need an OpenAPI document."
        ),
    ),
    (
        _has("arazzo"),
        _Format("an Arazzo workflow", "Add the documents that it names under sourceDescriptions."),
    ),
    (
        _has("overlay"),
        _Format(
            "an Overlay",
            "Apply it to the document that it changes, for example with openapi-format, and add the result.",
        ),
    ),
    (_has("openrpc"), _Format("an OpenRPC document", _ONE_POST)),
    (_says("kind", "discovery#"), _Format("a Google discovery document", _CONVERT)),
    (_has("smithy"), _SMITHY),
    (_any(_has("__schema"), lambda root: "__schema" in object_at(root, "data")), _GRAPHQL),
    (
        _any(_has("__export_format"), _says("_type", "export$"), _says("type", r"\w+\.insomnia\.rest/")),
        _INSOMNIA,
    ),
    (
        _any(
            _has("brunoConfig", "opencollection"),
            lambda root: root.get("type") == "collection" and "version" in root,
        ),
        _BRUNO,
    ),
    (_is_postman, _Format("a Postman collection", _IN_THE_PAGE)),
    (
        _has("_postman_variable_scope", "_postman_exported_at"),
        _Format(
            "an environment of Postman", "Export the collection itself (v2.1) and add it in the bridge page."
        ),
    ),
    (lambda root: "entries" in object_at(root, "log"), _Format("a HAR file", _IN_THE_PAGE)),
    (
        lambda root: "clientName" in root or {"folders", "requests"} <= root.keys(),
        _Format("a collection of requests", _AS_POSTMAN),
    ),
    (_is_client_configuration, _Format("a configuration of MCP clients", _MCP_ADDRESS)),
    (_is_answer_of_mcp, _Format("a list of MCP tools", _MCP_ADDRESS)),
    (_has("name_for_model"), _Format("an ai-plugin.json", "Add the address that it has under api.url.")),
    (
        _has("urls", "configUrl"),
        _Format("the configuration of Swagger UI", "Add the address of one of the documents that it lists."),
    ),
    (
        _any(_has("linkset"), lambda root: "apis" in root and "specificationVersion" in root),
        _Format("a catalog of APIs", "Add the address of one of the documents that it names."),
    ),
    (
        _any(_says("apiVersion", "backstage"), lambda root: "kind" in root and "apiVersion" in root),
        _Format("an entry of Backstage or Kubernetes", "Add the document that it holds or describes."),
    ),
    (
        _any(_has("AWSTemplateFormatVersion"), _has_object("Resources")),
        _Format("a template of AWS", "Export the OpenAPI document of the API from the API Gateway."),
    ),
    (
        _says("$schema", r"https?://json-schema\.org"),
        _Format("a JSON Schema", "It describes values; the API that takes them needs an OpenAPI document."),
    ),
)


def name_text(text: str) -> str:
    """The sentence on a text by its beginning; "" for a format that is not known."""
    start = text[:SNIFFED_CHARS].lstrip(" \t\r\n")
    return next((_sentence(known) for begin, known in _COMPILED if begin.match(start)), "")


def name_root(root: JsonValue) -> str:
    """The sentence on a parsed text; of an array its first item counts. "" for a format that is not known."""
    first = root[0] if isinstance(root, list) and root else root
    if not isinstance(first, dict):
        return ""
    return next((_sentence(known) for is_it, known in _ROOTS if is_it(first)), "")


def _sentence(known: _Format) -> str:
    return f"This is {known.name}, not an OpenAPI document. {known.way_out}"
