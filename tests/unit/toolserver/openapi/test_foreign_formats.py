"""Formats that are no OpenAPI document: each is named, with the way out."""

import json
import time

import pytest

from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject
from toolserver.openapi.document import parse_document
from toolserver.openapi.foreign_formats import SNIFFED_CHARS, name_text
from toolserver.openapi.source_text import decode_file

_WSDL = '<?xml version="1.0"?>\n<!-- a -->\n<wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/">'

TEXTS = {
    "<!DOCTYPE html>\n<html lang='en'></html>": "web page.*enter its address",
    "<!-- saved -->\n<html></html>": "web page",
    _WSDL: "WSDL.*gateway",
    '<application xmlns="http://wadl.dev.java.net/2009/02">': "WADL.*api-spec-converter",
    '<edmx:Edmx Version="4.0">': "OData.*odata-openapi",
    "<soapui-project name='x'>": "XML.*in JSON or YAML",
    "#%RAML 1.0\ntitle: Pets\n/pets:\n  get:\n": "RAML.*api-spec-converter",
    "FORMAT: 1A\n\n# Pets [/pets]\n\n+ Response 200\n": "API Blueprint.*api-spec-converter",
    'import "@typespec/http";\nusing TypeSpec.Http;\nop list(): string[];': "TypeSpec.*tsp compile",
    '$version: "2"\nnamespace example.pets\n\nservice Pets {}': "Smithy.*smithy-openapi",
    "// Pets\nnamespace java example.pets\nservice Pets {}": "Thrift.*gateway",
    '// Pets\nsyntax = "proto3";\nservice Pets {}': "gRPC.*HTTP gateway",
    '"""Pets"""\ntype Query {\n  pets(first: Int): [Pet!]!\n}': "GraphQL.*POST requests to one address",
    "# Pets\nschema { query: Query }": "GraphQL",
    "meta {\n  name: Pets\n}\nget {\n  url: https://a.example\n}": "Bruno.*Postman collection",
    "opencollection: 1.0.0\ninfo:\n  name: Pets": "Bruno",
    "curl -s https://a.example/pets | jq .": "curl command.*bridge page.*stay in your browser",
    'curl ^"https://a.example/pets^"': "curl command",
    "Invoke-WebRequest -Uri https://a.example": "request as a command.*cURL",
    'await fetch("https://a.example/pets", {});': "request as a command",
    "### Pets\nGET https://a.example/pets\nAccept: text/plain": "file of HTTP requests.*cURL",
    "type: collection.insomnia.rest/5.0\nname: Pets": "Insomnia.*HAR",
    "PK\x03\x04\x14": "archive.*Choose the document",
    "%PDF-1.7\n": "PDF",
}

ROOTS = {
    '{"asyncapi": "3.0.0", "channels": {}}': "AsyncAPI.*OpenAPI document",
    '{"arazzo": "1.0.1", "sourceDescriptions": []}': "Arazzo.*sourceDescriptions",
    '{"overlay": "1.0.0", "actions": []}': "Overlay.*Apply it",
    '{"openrpc": "1.3.2", "methods": []}': "OpenRPC.*POST requests to one address",
    '{"kind": "discovery#restDescription", "resources": {}}': "Google discovery.*api-spec-converter",
    '{"smithy": "2.0", "shapes": {}}': "Smithy",
    '{"data": {"__schema": {"types": []}}}': "GraphQL",
    '{"__schema": {"types": []}}': "GraphQL",
    '{"_type": "export", "__export_format": 4, "resources": []}': "Insomnia",
    '{"version": "1", "name": "Pets", "type": "collection"}': "Bruno",
    '{"info": {"name": "Pets"}, "item": []}': "Postman collection.*bridge page.*stay in your browser",
    '{"collection": {"info": {"name": "Pets"}, "item": []}}': "Postman collection",
    '{"_postman_variable_scope": "environment", "values": []}': "environment of Postman.*collection itself",
    '{"log": {"version": "1.2", "entries": []}}': "HAR file.*bridge page",
    '[{"v": 2, "name": "Pets", "folders": [], "requests": []}]': "collection of requests",
    '{"clientName": "Thunder Client", "requests": []}': "collection of requests",
    '{"mcpServers": {"pets": {"command": "npx"}}}': "MCP clients.*address of the MCP server.*MCPO",
    '{"servers": {"pets": {"url": "https://a.example/mcp"}}}': "MCP clients",
    '{"jsonrpc": "2.0", "result": {"tools": [{"name": "a", "inputSchema": {}}]}}': "list of MCP tools",
    '{"schema_version": "v1", "name_for_model": "pets", "api": {"url": "x"}}': "ai-plugin.json.*api.url",
    '{"configUrl": "/v3/api-docs/swagger-config", "urls": [{"url": "/v3/api-docs/a"}]}': "Swagger UI.*one of",
    '{"linkset": [{"anchor": "https://a.example"}]}': "catalog of APIs",
    "apiVersion: backstage.io/v1alpha1\nkind: API": "Backstage.*document that it holds",
    "AWSTemplateFormatVersion: '2010-09-09'\nResources: {}": "template of AWS.*API Gateway",
    '{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}': "JSON Schema.*values",
}


@pytest.mark.parametrize(("text", "words"), [*TEXTS.items(), *ROOTS.items()])
def test_a_foreign_format_is_named_with_its_way_out(text: str, words: str) -> None:
    """Finding O-14: "it has no version" is true, and helps nobody who does not know what they have."""
    with pytest.raises(DocumentError, match=f"(?s)^This is .*{words}") as caught:
        parse_document(text)
    assert caught.value.code in ("not_a_document", "not_json_or_yaml")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04\x14\x00\xff", "an archive or a PDF"),
        (b"\x1f\x8b\x08\x00\xff", "an archive or a PDF"),
        (b"%PDF-1.7\n\xff", "an archive or a PDF"),
        ("#%RAML 1.0\ntitle: Größe".encode("latin-1"), "RAML"),
    ],
)
def test_a_file_that_is_no_text_is_named_as_well(content: bytes, words: str) -> None:
    """Finding O-14: whoever gives `check` a zip was told to save it as UTF-8."""
    with pytest.raises(DocumentError, match=f"This is {words}"):
        decode_file(content)


@pytest.mark.parametrize(
    "text",
    [
        "just words",
        "{}",
        "[1, 2]",
        "- a\n- b",
        "type: object\n",
        "namespace: {}",
        "a < b",
        "kind: Pet",
        "[[]]",
    ],
)
def test_what_nobody_knows_is_given_no_name(text: str) -> None:
    """A wrong name would send its reader the wrong way."""
    with pytest.raises(DocumentError, match=r"not an OpenAPI document: |neither JSON nor YAML"):
        parse_document(text)


@pytest.mark.parametrize("key", ["asyncapi", "item", "log", "urls", "linkset", "apiVersion", "mcpServers"])
def test_a_document_is_read_whatever_else_stands_in_it(key: str) -> None:
    """Extensions of others stand at the root, with and without `x-`."""
    entries: JsonObject = {"entries": []}
    document: JsonObject = {"openapi": "3.1.0", "info": {"title": "Pets"}, "paths": {}, key: entries}
    assert parse_document(json.dumps(document)).title == "Pets"


@pytest.mark.parametrize(
    "piece", ["<!--a-->", "<?a?>", "# a\n", "// a\n", '""""""', " ", "### \n", "\n", "<!--"]
)
def test_no_text_is_looked_at_for_long(piece: str) -> None:
    """Finding O-14: whoever brings a text chooses it, and patterns that go back take exponential time."""
    begin = time.process_time()
    name_text(piece * SNIFFED_CHARS + "!")
    assert time.process_time() - begin < 0.5
