"""A whole document compiled."""

import gc
import json
import tracemalloc
from collections.abc import Callable

import pytest

from tests.support.documents.openapi import document_with
from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject, JsonValue
from toolserver.openapi.document import DocumentLimits, parse_document
from toolserver.operation.operation import SecurityScheme, Skipped
from toolserver.tool.compile import CompiledDocument, DocumentTools, compile_document

PATHS: JsonObject = {
    "/pets/{id}": {
        "get": {
            "operationId": "getPet",
            "summary": "One pet",
            "parameters": [{"name": "id", "in": "path"}],
            "tags": ["pets"],
        },
        "trace": {},
    },
    "/up": {"servers": [{"url": "https://up.example:8443/"}], "post": {"description": "größer\u2028"}},
}
SERVERS: list[JsonValue] = [{"url": "https://api.example/v1/"}]


def compiled(
    paths: JsonValue = None, *, source_url: str | None = None, base_url: str | None = None, **root: JsonValue
) -> CompiledDocument:
    return compile_document(
        document_with(PATHS if paths is None else paths, root), source_url=source_url, base_url=base_url
    )


def bases_of(document: CompiledDocument) -> list[str]:
    return [json.loads(operation.plan_json)["base_url"] for operation in document.operations]


def test_every_operation_becomes_a_tool_or_a_reason() -> None:
    """What the page, the advertisement and the store read; the whole of it at a glance."""
    document = compiled(servers=SERVERS, components={"securitySchemes": {"tls": {"type": "mutualTLS"}}})
    get, up = document.operations
    assert (get.key, get.method, get.path, get.operation_id) == (
        "GET /pets/{id}",
        "GET",
        "/pets/{id}",
        "getPet",
    )
    assert (get.suggested_name, get.tags, get.summary, get.safe) == ("getPet", ("pets",), "One pet", True)
    assert get.description.startswith("One pet")
    assert (up.suggested_name, up.operation_id, up.safe, up.idempotent) == ("post_up", None, False, False)
    assert document.skipped == (Skipped("TRACE", "/pets/{id}", "A browser cannot send TRACE requests."),)
    assert document.security_schemes == (SecurityScheme("tls", "mutualTLS", None, None, None, ""),)
    assert (document.title, document.version_text, document.openapi) == ("T", "1", "3.1.0")
    assert (document.base_url, document.origins) == (
        "https://api.example/v1",
        ("https://api.example", "https://up.example:8443"),
    )
    assert bases_of(document) == ["https://api.example/v1", "https://up.example:8443"]


def test_relative_servers_are_resolved_against_where_the_document_was_found() -> None:
    """13 of 176 real documents name their server by path alone, 24 name none."""
    paths: JsonObject = {"/a": {"get": {"servers": [{"url": "v2"}]}, "post": {}}}
    document = compiled(paths, source_url="http://localhost:8000/x/openapi.json", servers=[{"url": "/api"}])
    assert bases_of(document) == ["http://localhost:8000/x/v2", "http://localhost:8000/api"]
    assert document.warnings == ()


@pytest.mark.parametrize(
    ("servers", "said"), [([], "names no server"), ([{"url": "/api"}], "names its server only as '/api'")]
)
def test_a_base_url_that_cannot_be_known_is_asked_for(servers: JsonValue, said: str) -> None:
    """The operations stay visible; the user reads what to do."""
    document = compiled(servers=servers)
    assert (document.base_url, document.operations[0].origin) == ("", "")
    assert document.origins == ("https://up.example:8443",)
    assert document.warnings == (
        f"The document {said}; enter the API's base URL, such as https://api.example.com.",
    )


def test_a_given_base_url_replaces_the_documents_servers_but_not_an_operations_own() -> None:
    """Another host for uploads stays another host; a relative one follows the base URL."""
    paths: JsonObject = {**PATHS, "/rel": {"get": {"servers": [{"url": "/v2"}]}}}
    document = compiled(
        paths, base_url="http://10.0.0.5:80/v9/", source_url="https://docs.example/", servers=SERVERS
    )
    assert bases_of(document) == ["http://10.0.0.5/v9", "https://up.example:8443", "http://10.0.0.5/v2"]


def test_a_password_in_a_server_s_address_is_told_and_never_used() -> None:
    """A page refuses such a base URL; who put a secret there reads where it belongs."""
    said = "A server's URL holds a user name or password, which is not used; save it as a credential."
    with_login: JsonValue = [{"url": "https://user:pw@a.example/v1"}]
    document = compiled(servers=with_login)
    assert (document.base_url, document.warnings) == ("https://a.example/v1", (said,))
    own = compiled({"/a": {"get": {"servers": with_login}}}, servers=SERVERS)
    assert own.operations[0].warnings == (said,)
    assert b"pw" not in own.operations[0].plan_json
    entered = compiled(base_url="https://user:pw@a.example/v1")
    assert (entered.base_url, entered.warnings) == ("https://a.example/v1", (said,))


def test_a_base_url_that_is_no_address_is_refused() -> None:
    """It comes from a form; the answer must say so rather than make tools that cannot run."""
    with pytest.raises(DocumentError) as failure:
        compiled(base_url="localhost:8000")
    assert failure.value.code == "invalid_base_url"


def test_defaults_of_server_variables_are_pointed_out() -> None:
    """A default "your-tenant" is a placeholder as often as a value; calls to it fail without saying why."""
    server: JsonValue = {"url": "https://{tenant}.api.example", "variables": {"tenant": {"default": "you"}}}
    document = compiled(servers=[server])
    assert document.base_url == "https://you.api.example"
    assert document.warnings == (
        "The base URL takes defaults for 'tenant'; enter another base URL if they are not yours.",
    )


def test_an_operation_whose_own_server_is_no_address_says_so() -> None:
    """Sending it to the document's server would call a different API."""
    paths: JsonObject = {"/a": {"get": {"servers": [{"url": "wss://a.example"}]}}}
    document = compiled(paths, servers=SERVERS)
    assert document.operations[0].warnings == (
        "Its own server 'wss://a.example' is not an address that can be called.",
    )
    assert bases_of(document) == [""]


@pytest.mark.parametrize("url", ["../rel", "/v2", "v2"])
def test_a_relative_server_of_a_document_without_an_address_is_told(url: str) -> None:
    """Finding W-35: nothing was said, and after *All* the call was refused with advice that did not help."""
    paths: JsonObject = {"/a": {"get": {}, "servers": [{"url": url}]}, "/b": {"get": {}}}
    document = compiled(paths, servers=SERVERS)
    assert bases_of(document)[0] == ""
    assert document.operations[0].warnings == (
        f"Its own server '{url}' is relative to the document's address, which is unknown. "
        "Enter the API's base URL, from which it leads on.",
    )
    assert document.operations[1].warnings == ()
    for known in ({"source_url": "https://docs.example/x/"}, {"base_url": "https://docs.example/x/"}):
        document = compiled(paths, servers=SERVERS, **known)
        assert bases_of(document)[0].startswith("https://docs.example/")
        assert document.operations[0].warnings == ()


def test_where_nothing_has_an_address_it_is_told_once() -> None:
    """Finding W-35: the document as a whole asks for the base URL, from which all relative servers lead."""
    paths: JsonObject = {f"/{name}": {"get": {"servers": [{"url": "../rel"}]}} for name in "abc"}
    document = compiled(paths)
    assert document.warnings == (
        "The document names no server; enter the API's base URL, such as https://api.example.com.",
    )
    assert [operation.warnings for operation in document.operations] == [()] * 3


def test_an_own_server_without_a_value_for_its_variable_is_told() -> None:
    """Finding O-9: the address was "https://.a.example", and its origin was offered for acceptance."""
    own: JsonObject = {"servers": [{"url": "https://{region}.a.example"}]}
    paths: JsonObject = {"/a": {"get": own}, "/b": {"get": {}, **own}}
    document = compiled(paths, servers=SERVERS, base_url="https://mine.example")
    assert bases_of(document) == ["", ""]
    assert document.operations[0].warnings == (
        "The server 'https://{region}.a.example' is left out: nothing gives 'region' a value.",
        "Its own server 'https://{region}.a.example' is not an address that can be called.",
    )
    region: JsonObject = {"region": {"default": "eu"}}
    described: JsonValue = [{"url": "https://{region}.example", "variables": region}]
    document = compiled(paths, servers=described, base_url="https://mine.example")
    assert bases_of(document) == ["https://eu.a.example", "https://eu.a.example"]
    assert document.operations[0].warnings == ()


def test_a_server_without_a_value_for_its_variable_is_asked_for() -> None:
    """Finding W-34: the address is unknown; a default would be an invention."""
    servers: JsonValue = [{"url": "https://{tenant}.example.com"}]
    document = compiled(servers=servers)
    assert document.base_url == ""
    assert document.warnings == (
        "The server 'https://{tenant}.example.com' is left out: nothing gives 'tenant' a value.",
        "The document names its server only as 'https://{tenant}.example.com'; "
        "enter the API's base URL, such as https://api.example.com.",
    )
    assert compiled(servers=servers, base_url="https://t.example.com").base_url == "https://t.example.com"
    swagger: JsonObject = {"swagger": "2.0", "host": "{tenant}.example.com", "paths": {"/a": {"get": {}}}}
    found = compile_document(parse_document(json.dumps(swagger)), source_url=None)
    assert found.base_url == ""
    assert "nothing gives 'tenant' a value" in found.warnings[0]


def test_what_a_browser_cannot_send_is_said() -> None:
    """The tool stays: some APIs call parameters required that they do not check."""
    node: JsonObject = {
        "parameters": [
            {"name": "Host", "in": "header"},
            {"name": "session", "in": "cookie", "required": True},
        ],
        "security": [{"cookie": []}],
    }
    schemes: JsonObject = {"securitySchemes": {"cookie": {"type": "apiKey", "in": "cookie", "name": "sid"}}}
    document = document_with({"/a": {"get": node}}, servers=SERVERS, components=schemes)
    tools = DocumentTools(document, source_url=None)
    operation = tools.compiled.operations[0]
    assert operation.warnings == (
        "The optional header parameter 'Host' is left out. A browser sets this header itself.",
        "The required cookie parameter 'session' cannot be sent, so the API will probably refuse."
        " A browser sends its own cookies and lets no page set them.",
        "Its key is a cookie, which only reaches the API if the browser is signed in there.",
    )
    assert json.loads(tools.schema_of("GET /a").schema_json)["properties"] == {}


def test_secrets_that_overwrite_each_other_are_pointed_out() -> None:
    """No request can carry both, so one is enough; whether it is enough for the API, it has to say."""
    both: JsonValue = [{"basic": [], "oauth": []}]
    schemes: JsonObject = {"basic": {"type": "http", "scheme": "basic"}, "oauth": {"type": "oauth2"}}
    document = compiled({"/a": {"get": {"security": both}}}, components={"securitySchemes": schemes})
    assert document.operations[0].warnings == (
        "'basic' and 'oauth' both go to the header 'authorization', which has one value."
        " The one you save is sent; if you save both, 'basic'.",
    )


def test_a_schema_is_made_when_it_is_asked_for() -> None:
    """Thousands of operations are named at once, and most are never called."""
    tools = DocumentTools(document_with(PATHS), source_url=None)
    schema = tools.schema_of("GET /pets/{id}")
    assert list(json.loads(schema.schema_json)["properties"]) == ["id"]
    assert tools.schema_of("GET /pets/{id}") == schema
    with pytest.raises(KeyError):
        tools.schema_of("GET /nowhere")


def test_schemas_beyond_the_limit_of_a_document_name_their_arguments_only() -> None:
    """A small document can refer to one large schema thousands of times; all of it has to fit in memory."""
    body: JsonObject = {"content": {"application/json": {"schema": {"properties": {"x": {"enum": ["v"]}}}}}}
    paths: JsonObject = {f"/{letter}": {"post": {"requestBody": body}} for letter in "ab"}
    tools = DocumentTools(
        document_with(paths, limits=DocumentLimits(max_compiled_bytes=2_000)), source_url=None
    )
    while b"enum" in (schema := tools.schema_of("POST /a").schema_json):
        pass
    assert json.loads(schema)["properties"] == {"x": {"type": "string"}}


def digests(**changes: JsonValue) -> str:
    node: JsonObject = {"parameters": [{"name": "a", "in": "query"}], "description": "D", **changes}
    return compiled({"/a": {"get": node}}, servers=SERVERS).operations[0].digest


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", "E"),
        ("summary", "S"),
        ("parameters", [{"name": "a", "in": "query", "required": True}]),
        ("parameters", [{"name": "a", "in": "header"}]),
        ("servers", [{"url": "https://evil.example"}]),
    ],
)
def test_the_digest_changes_with_what_the_user_accepted(field: str, value: JsonValue) -> None:
    """Ruling 19: origin, method, path, parameters, security and description are pinned."""
    assert digests(**{field: value}) != digests()


def test_the_digest_stays_when_nothing_pinned_changes() -> None:
    """A user is not asked again for a response that got a new example."""
    assert digests(responses={"200": {"description": "ok"}}, **{"x-note": 1}) == digests()


def test_tools_that_together_grow_beyond_the_limit_refuse_the_document() -> None:
    """One long description under a shared path item is repeated by every path that refers to it."""
    paths: JsonObject = {"/0": {"get": {"description": "x" * 10_000}}}
    paths |= {f"/{index}": {"$ref": "#/paths/~10"} for index in range(1, 100)}
    document = document_with(paths, limits=DocumentLimits(max_compiled_bytes=500_000))
    with pytest.raises(DocumentError) as failure:
        compile_document(document, source_url=None)
    assert failure.value.code == "too_large"


def test_a_document_with_all_its_schemas_takes_three_times_its_parsed_form_at_most() -> None:
    """Small bytes as the fast writer gives them hold 4 KiB each."""

    def details(number: int) -> JsonValue:
        names = [f"field_{number}_{index}" for index in range(8)]
        text = "What stands in this field of the record, in the words of whoever wrote it."
        return {name: {"type": "string", "description": f"{name}: {text}"} for name in names}

    paths: JsonObject = {
        f"/records/{number}": {
            "post": {
                "parameters": [{"name": f"q{number}", "in": "query", "schema": {"type": "string"}}],
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"type": "object", "properties": details(number)}}
                    }
                },
            }
        }
        for number in range(150)
    }
    text = json.dumps({"openapi": "3.1.0", "info": {"title": "Records", "version": "1"}, "paths": paths})

    def with_schemas() -> DocumentTools:
        tools = DocumentTools(parse_document(text), source_url=None)
        for operation in tools.compiled.operations:
            tools.schema_of(operation.key)
        return tools

    with_schemas()  # fills caches of the process, which are not the document's
    assert memory_of(with_schemas) <= 3 * memory_of(lambda: json.loads(text))


def memory_of(make: Callable[[], object]) -> int:
    """Bytes that Python holds for what `make` gives, whatever earlier tests have left behind."""
    gc.collect()  # empties the lists of freed objects, whose memory would be used and not counted
    tracemalloc.start()
    try:
        made = make()
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        del made
    finally:
        tracemalloc.stop()
    return held


def test_a_server_that_only_lacks_its_host_is_not_called_wrong() -> None:
    """Kubernetes writes `schemes` in 1,123 operations and no host; the document's own warning asks for it."""
    node: JsonObject = {"schemes": ["https"], "responses": {}}
    text = json.dumps({"swagger": "2.0", "info": {}, "paths": {"/a": {"get": node}}})
    document = compile_document(parse_document(text), source_url=None)
    assert document.operations[0].warnings == ()
    assert [warning for warning in document.warnings if "base URL" in warning]
    named = compile_document(parse_document(text), source_url=None, base_url="http://api.example")
    assert bases_of(named) == ["https://api.example"]


def test_a_header_that_every_browser_sends_is_not_missed() -> None:
    """430 operations of real documents require User-Agent, which no page can set and every request has."""
    parameters: JsonValue = [
        {"name": name, "in": "header", "required": True} for name in ("User-Agent", "Content-Length", "Date")
    ]
    document = compiled({"/a": {"post": {"parameters": parameters}}}, servers=SERVERS)
    assert document.operations[0].warnings == (
        "The required header parameter 'Date' cannot be sent, so the API will probably refuse."
        " A browser sets this header itself.",
    )
