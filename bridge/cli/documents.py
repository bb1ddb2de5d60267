"""`tool-bridge check`, `plan` and `tools --spec`: the tools of a document, without a running bridge."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
from msgspec import structs

from bridge.cli.overlay_changes import list_changes
from bridge.cli.reference_rules import reference_rules
from bridge.cli.terminal import GREEN, RED, YELLOW, paint, printable, showing_progress
from bridge.documents.fetch import read_document_file
from bridge.documents.sources import read_document
from bridge.errors import BridgeError
from bridge.models.agent.dialect_changes import describe_change, find_changes
from bridge.settings.chat.provider_rules import Dialect, rules_in_dialect
from toolserver.errors import DocumentError
from toolserver.json_types import JsonObject
from toolserver.openapi.bundle import Bundle, bundle_document
from toolserver.openapi.overlay import parse_edited_document
from toolserver.schema.strict import strict_schema
from toolserver.tool.compile import CompiledDocument, CompiledOperation, DocumentTools
from toolserver.tool.definition import ToolSchema


def check(options: argparse.Namespace) -> int:
    """Print the tools of a document and the skipped operations.

    Status 1 without any tool, and with `--strict` if an operation is skipped or has a warning.
    """
    document = _read(options)
    if document is None:
        return 2
    schemas = build_schemas(document)
    compiled = with_schema_warnings(document.compiled, schemas)
    edited = _changes_of(document, schemas)
    fitted = find_changed_tools(compiled, schemas, options.dialect) if options.dialect else None
    if options.json:
        asked = {"changes": edited, "dialect_changes": fitted}
        found = {name: changes for name, changes in asked.items() if changes is not None}
        _print_json(build_report(compiled) | found)
    else:
        _print_report(compiled, edited or {})
        if fitted is not None:
            _print_changes(fitted, options.dialect, len(compiled.operations))
    is_flawed = bool(compiled.skipped) or any(operation.warnings for operation in compiled.operations)
    return 1 if not compiled.operations or (options.strict and is_flawed) else 0


def plan(options: argparse.Namespace) -> int:
    """Print the request plan of every tool as JSON."""
    document = _read(options)
    if document is None:
        return 2
    compiled = document.compiled
    plans = {operation.suggested_name: orjson.loads(operation.plan_json) for operation in compiled.operations}
    _print_json({"plans": plans})
    return 0


def tools(options: argparse.Namespace) -> int:
    """Print the tool definitions of a document."""
    document = _read(options)
    if document is None:
        return 2
    definitions = (
        describe_tool(operation, document.schema_of(operation.key).schema_json, as_function=options.strict)
        for operation in document.compiled.operations
    )
    if options.json or options.strict:
        _print_json({"tools": list(definitions)})
        return 0
    for operation in document.compiled.operations:
        first_line = operation.description.partition("\n")[0]
        print(f"{operation.suggested_name}  {first_line}")
    return 0


def describe_tool(operation: CompiledOperation, schema_json: bytes, *, as_function: bool) -> dict[str, Any]:
    """Return a tool as a model reads it, and whether strict function calling supports it, or why not.

    `as_function`: in the form of OpenAI's Responses API, with the strict schema where there is one.
    """
    strict = strict_schema(schema_json)
    printed = strict.schema_json if as_function and strict.is_strict else schema_json
    fields: dict[str, Any] = {"type": "function"} if as_function else {}
    fields |= {
        "name": operation.suggested_name,
        "description": operation.description,
        "parameters": json.loads(printed),
        "strict": strict.is_strict,
    }
    return fields if strict.is_strict else {**fields, "strict_reason": strict.reason}


def build_schemas(document: DocumentTools) -> dict[str, ToolSchema]:
    """Return the schemas of all operations by key, each built once: together they have a limit."""
    schemas: dict[str, ToolSchema] = {}
    with showing_progress("Compiling schemas") as progress:
        for operation in document.compiled.operations:
            schemas[operation.key] = document.schema_of(operation.key)
            progress.set_done(len(schemas), len(document.compiled.operations))
    return schemas


def with_schema_warnings(compiled: CompiledDocument, schemas: Mapping[str, ToolSchema]) -> CompiledDocument:
    """Add the warnings that are only known once the schemas are built."""
    operations = tuple(
        structs.replace(operation, warnings=(*operation.warnings, *schemas[operation.key].warnings))
        for operation in compiled.operations
    )
    return replace(compiled, operations=operations)


def build_report(compiled: CompiledDocument) -> dict[str, Any]:
    """Return the report of `check --json`."""
    return {
        "title": compiled.title,
        "version": compiled.version_text,
        "tools": [
            {
                "name": operation.suggested_name,
                "operation_id": operation.operation_id,
                "method": operation.method,
                "path": operation.path,
                "warnings": list(operation.warnings),
            }
            for operation in compiled.operations
        ],
        "skipped": [{"method": s.method, "path": s.path, "reason": s.reason} for s in compiled.skipped],
        "document_warnings": list(compiled.warnings),
    }


def find_changed_tools(
    compiled: CompiledDocument, schemas: Mapping[str, ToolSchema], dialect: Dialect
) -> dict[str, list[str]]:
    """Return the tools that a provider of this dialect does not take as they are, with what changes."""
    rules = rules_in_dialect(dialect)
    found: dict[str, list[str]] = {}
    for operation in compiled.operations:
        tool: JsonObject = {
            "type": "function",
            "name": operation.suggested_name,
            "description": operation.description,
            "parameters": orjson.loads(schemas[operation.key].schema_json),
        }
        if changes := find_changes(tool, rules):
            found[operation.suggested_name] = [*map(describe_change, changes)]
    return found


def _read(options: argparse.Namespace) -> DocumentTools | None:
    try:
        with showing_progress(f"Reading {options.spec}"):
            found = asyncio.run(read_document(options.spec, reference_rules(options), bundle_here))
            overlays = [read_document_file(path) for path in options.overlay]
            document = parse_edited_document(found.text, overlays)
            return DocumentTools(document, source_url=found.source_url)
    except BridgeError as error:
        print(f"tool-bridge: {error.error.message}", file=sys.stderr)
    except DocumentError as error:
        where = f" ({error.pointer})" if error.pointer else ""
        print(f"tool-bridge: {options.spec}: {error.message}{where} [{error.code}]", file=sys.stderr)
    return None


async def bundle_here(
    text: str, *, source_url: str | None, texts: Mapping[str, str], left_out: Mapping[str, str]
) -> Bundle:
    """`bundle_document` in this process, which ends with the command."""
    return bundle_document(text, source_url=source_url, texts=texts, omitted=left_out)


def _changes_of(document: DocumentTools, schemas: Mapping[str, ToolSchema]) -> dict[str, list[str]] | None:
    """What overlays change, by operation; None: there are none, or nothing could be used without them."""
    try:
        before = document.before_edits(source_url=None)
    except DocumentError:
        return None
    return None if before is None else list_changes(before, document.compiled, schemas)


def _print_report(compiled: CompiledDocument, changes: Mapping[str, Sequence[str]]) -> None:
    source = "MCP" if compiled.kind == "mcp" else "OpenAPI"
    print(printable(f"{compiled.title} {compiled.version_text} ({source} {compiled.openapi})"))
    print(f"Requests go to {compiled.base_url or '(unknown: the document names no full address)'}\n")
    count = len(compiled.operations)
    print(_paint(f"{count} tool" if count == 1 else f"{count} tools", GREEN if count else RED))
    for operation in compiled.operations:
        print(printable(f"  {operation.suggested_name}  {operation.method} {operation.path}"))
        for change in changes.get(operation.key, ()):
            print(printable(f"      ~ {change}"))
        for warning in operation.warnings:
            print(_paint(f"      ! {warning}", YELLOW))
    print("\n" + _paint(f"{len(compiled.skipped)} skipped", RED if compiled.skipped else GREEN))
    for skipped in compiled.skipped:
        print(printable(f"  {skipped.method} {skipped.path}: {skipped.reason}"))
    known = {operation.key for operation in compiled.operations}
    for key in (key for key in changes if key not in known):
        print(printable(f"  ~ {key}: {' '.join(changes[key])}"))
    for warning in compiled.warnings:
        print(_paint(f"! {warning}", YELLOW))


def _print_changes(changes: Mapping[str, Sequence[str]], dialect: Dialect, count: int) -> None:
    print("\n" + _paint(f"{len(changes)} of {count} tools change for {dialect}", GREEN))
    for name, told in changes.items():
        print(printable(f"  {name}: {'; '.join(told)}"))


def _paint(text: str, style: str) -> str:
    return paint(printable(text), style, sys.stdout)


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False))
