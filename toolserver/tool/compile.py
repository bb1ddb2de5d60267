"""Compiles a document: one record per operation, ready to be stored, advertised and sent to a page.

Receives a `Document` and the address it came from; gives a `CompiledDocument`. The only module that knows
operations, definitions, names and plans together.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from msgspec import Struct

from toolserver.errors import DocumentError, quote_text
from toolserver.json_types import dump_json, text_at
from toolserver.mcp.tool_list import read_tools, schemas_of
from toolserver.mcp.tool_plan import rest_of_endpoint, write_call_plan
from toolserver.openapi.document import MCP, Document
from toolserver.openapi.security import Requirements, Scopes, clash_of
from toolserver.openapi.servers import (
    ServerUrl,
    absolute_url,
    choose_base_url,
    read_servers,
    without_login,
)
from toolserver.operation.argument_names import COMPLETE_BODY, Arguments
from toolserver.operation.equal_requests import describe_equal_requests
from toolserver.operation.operation import (
    Operation,
    OperationList,
    SecurityScheme,
    Skipped,
    read_operations,
)
from toolserver.operation.request_plan import PlanWriter
from toolserver.tool.addresses import Addresses
from toolserver.tool.answer_shape import AnswerShapes
from toolserver.tool.arrangement import arrange_operations
from toolserver.tool.definition import Definitions, Outline, SeparateDefinitions, ToolSchema
from toolserver.tool.edit_places import describe_places
from toolserver.tool.edited_examples import describe_misfits
from toolserver.tool.naming import describe_taken_names, suggest_names
from toolserver.tool.originals import Original, Originals, read_originals
from toolserver.tool.responses import describe_responses

SourceKind = Literal["openapi", "mcp"]


class CompiledOperation(Struct, gc=False, array_like=True):
    """One operation as a tool: treat as read-only."""

    key: str
    """"GET /pets/{id}": its identity inside the document; of an MCP tool "CALL" and its name."""
    method: str
    path: str
    operation_id: str | None
    suggested_name: str
    """Fits every provider and is unique within the document; `naming.NameAssignment` makes it final."""
    tags: tuple[str, ...]
    summary: str
    description: str
    """The whole text that a model reads, summary first."""
    safe: bool
    idempotent: bool
    takes_more: bool
    """Whether undeclared arguments become properties of the body; in other operations they go nowhere."""
    plan_json: bytes
    """The request plan, compact."""
    digest: str
    """Hex SHA-256 of plan, description, the query of answers, and edits without a target: what a user
    accepts."""
    origin: str
    """Origin of the plan's base URL; "" while that is unknown."""
    warnings: tuple[str, ...]
    scopes: Scopes = ()
    """What it needs of each OAuth scheme; no part of the plan."""
    is_renamed: bool = False
    """Whether its author or an edit chose the name, which then replaces one that was given before."""
    always_asks: bool = False
    """Whether each call waits for its user, whatever was allowed."""
    answer: str = ""
    """The shape of its answer in one line, see `answer_shape`; "" while that is unknown."""
    result_select: str = ""
    """JMESPath that queries the answers of calls that bring none; "": nothing does."""
    examples: tuple[bytes, ...] = ()
    """Arguments of calls that models are shown, each as JSON; whether they fit is not checked."""
    original: Original | None = None
    """What it was before the edits of its document; None: the same, or it did not exist."""


@dataclass(frozen=True, slots=True)
class CompiledDocument:
    """A document's tools and everything that was reported about it."""

    kind: SourceKind
    """What the tools come from: an OpenAPI document, or a tool list."""
    title: str
    version_text: str
    """`info.version`."""
    description: str
    digest: str
    """Digest of the document's text."""
    openapi: str
    """The version as written, such as "3.1.0"; of a tool list the protocol version."""
    base_url: str
    """Base URL of operations without servers of their own; "" while it is unknown."""
    origins: tuple[str, ...]
    """Every origin that some operation is sent to, in order of appearance."""
    operations: tuple[CompiledOperation, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    security_schemes: tuple[SecurityScheme, ...]


class _Source(NamedTuple):
    """What is compiled of a document, by its kind."""

    kind: SourceKind
    listed: OperationList
    definitions: Definitions | SeparateDefinitions
    write_plan: Callable[[Operation, Arguments, bool, str], bytes]
    """Takes an operation, its arguments, whether its body takes more, and its base URL."""
    answer_of: Callable[[Operation], str]
    """Gives the shape of an operation's answer."""


def _read_source(document: Document) -> _Source:
    source = _read_tool_list(document) if document.version == MCP else _read_openapi(document)
    return source._replace(listed=arrange_operations(source.listed))


def _read_openapi(document: Document) -> _Source:
    definitions = Definitions(document)
    answers = AnswerShapes(document)

    def answer_of(operation: Operation) -> str:
        return answers.line_of(operation.path, operation.method)

    return _Source("openapi", read_operations(document), definitions, PlanWriter().write_plan, answer_of)


def _read_tool_list(document: Document) -> _Source:
    listed, tools = read_tools(document)
    rest = rest_of_endpoint(text_at(document.written, "endpoint"))

    def write_plan(operation: Operation, arguments: Arguments, body_additional: bool, base_url: str) -> bytes:
        return write_call_plan(
            operation,
            tools[operation.key].definition,
            arguments,
            body_additional=body_additional,
            base_url=base_url,
            rest=rest,
        )

    answers = AnswerShapes(document)

    def answer_of(operation: Operation) -> str:
        schema = tools[operation.key].answer
        return "" if schema is None else answers.line_of_root(schema)

    separate = SeparateDefinitions(schemas_of(document, tools))
    return _Source("mcp", listed, separate, write_plan, answer_of)


class DocumentTools:
    """A document's operations as tools: compiled immediately, their schemas on request."""

    def __init__(self, document: Document, *, source_url: str | None, base_url: str | None = None) -> None:
        """Compiles every operation, or skips it with a reason.

        `source_url` is where the document came from; relative servers are resolved against it. `base_url`
        replaces the document's servers, but not those that an operation or path names itself.

        Raises:
            DocumentError: too_many_operations, too_large (the tools together), invalid_base_url.
        """
        source = _read_source(document)
        self._document = document
        self._definitions = source.definitions
        self._operations = {operation.key: operation for operation in source.listed.operations}
        self._remaining_schema_bytes = document.limits.max_compiled_bytes
        self.compiled = _compile(document, source, source_url, base_url)
        self._last_step = source.definitions.steps.taken + document.limits.max_schema_steps

    def before_edits(self, *, source_url: str | None) -> "DocumentTools | None":
        """The tools of the document as its author gave it; None: nothing edits it.

        Raises:
            DocumentError: only its edits make a document of it that can be used.
        """
        document = self._document.before_edits()
        return None if document is None else DocumentTools(document, source_url=source_url)

    def schema_of(self, key: str, *, bare: str = "") -> ToolSchema:
        """The argument schema of one operation; `bare`: why only the types of its arguments are told.

        Once the schemas requested so far reach `DocumentLimits.max_compiled_bytes` or `max_schema_steps`
        together, further ones only tell the types of their arguments. None of it is part of a digest.

        Raises:
            KeyError: there is no such operation.
        """
        operation = self._operations[key]
        schema = self._definitions.build_schema(operation, bare=bare or self._why_bare())
        self._remaining_schema_bytes -= len(schema.schema_json)
        misfits = describe_misfits(schema.schema_json, operation.edit.examples)
        return schema._replace(warnings=(*misfits, *schema.warnings)) if misfits else schema

    def _why_bare(self) -> str:
        limits, named = self._document.limits, quote_text(self.compiled.title)
        if self._remaining_schema_bytes <= 0:
            return f"The schemas of {named} are larger than {limits.max_compiled_bytes:,} bytes together."
        if self._definitions.steps.taken > self._last_step:
            return f"The schemas of {named} take more than {limits.max_schema_steps:,} steps together."
        return ""

    def responses_of(self, key: str) -> bytes:
        """What the document says about the responses of one operation, as JSON; see `describe_responses`.

        Raises:
            KeyError: there is no such operation.
        """
        operation = self._operations[key]
        return dump_json(describe_responses(self._document, operation.path, operation.method))

    def places_of(self, key: str) -> bytes:
        """Where an edit finds one operation and its arguments, as JSON; see `describe_places`.

        Raises:
            KeyError: there is no such operation.
        """
        operation = self._operations[key]
        (outline,) = self._definitions.outline_operations((operation,))
        return dump_json(describe_places(self._document, operation, outline.arguments))


def compile_document(
    document: Document, *, source_url: str | None, base_url: str | None = None
) -> CompiledDocument:
    """The part of `DocumentTools` that is compiled immediately."""
    return DocumentTools(document, source_url=source_url, base_url=base_url).compiled


def _compile(
    document: Document, source: _Source, source_url: str | None, base_url: str | None
) -> CompiledDocument:
    listed = source.listed
    addresses, warnings = _find_addresses(document, source_url, base_url)
    compiler = _Compiler(
        source,
        addresses,
        document,
    )
    operations = compiler.compile(listed.operations)
    return CompiledDocument(
        kind=source.kind,
        title=document.title,
        version_text=document.version_text,
        description=document.description,
        digest=document.digest,
        openapi=document.openapi,
        base_url=addresses.root,
        origins=tuple(dict.fromkeys(filter(None, addresses.origins.values()))),
        operations=operations,
        skipped=listed.skipped,
        warnings=(
            *document.warnings,
            *listed.warnings,
            *describe_equal_requests(listed.operations, document),
            *warnings,
        ),
        security_schemes=listed.security_schemes,
    )


def _size_of(operation: Operation, outline: Outline, plan_json: bytes) -> int:
    texts = (plan_json, outline.description, operation.summary, operation.operation_id or "")
    return sum(map(len, texts)) + sum(map(len, operation.tags))


def _too_large(max_bytes: int) -> DocumentError:
    return DocumentError("too_large", f"The document's tools together are larger than {max_bytes:,} bytes.")


def _find_addresses(
    document: Document, source_url: str | None, base_url: str | None
) -> tuple[Addresses, list[str]]:
    if base_url:
        root = absolute_url(base_url, None)
        if not root:
            raise DocumentError(
                "invalid_base_url", f"The base URL {quote_text(base_url)} is not an http or https address."
            )
        return Addresses(root, root), _login_warnings((without_login(ServerUrl(base_url, "")),))
    servers = read_servers(document.root)
    root = choose_base_url(servers, source_url)
    about = [*_login_warnings(servers), *_server_problems(servers)]
    if root:
        chosen = [server for server in servers if absolute_url(server.url, source_url) == root]
        return Addresses(root, source_url), [*about, *_default_warnings(chosen)]
    named = f"names its server only as {quote_text(servers[0].url)}" if servers else "names no server"
    advice = "enter the API's base URL, such as https://api.example.com"
    return Addresses("", source_url), [*about, f"The document {named}; {advice}."]


def _login_warnings(servers: tuple[ServerUrl, ...]) -> list[str]:
    if not any(server.had_login for server in servers):
        return []
    return ["A server's URL holds a user name or password, which is not used; save it as a credential."]


def _server_problems(servers: tuple[ServerUrl, ...]) -> list[str]:
    problems = dict.fromkeys(problem for server in servers for problem in server.problems)
    for server in servers:
        if server.unknown:
            named = ", ".join(quote_text(name) for name in server.unknown)
            problems[f"The server {quote_text(server.url)} is left out: nothing gives {named} a value."] = (
                None
            )
    return list(problems)


def _default_warnings(servers: Sequence[ServerUrl]) -> list[str]:
    """Warns about defaults: one such as "your-tenant" is a placeholder as often as a value."""
    variables = servers[0].variables if servers else ()
    if not variables:
        return []
    named = ", ".join(quote_text(name) for name in variables)
    return [f"The base URL takes defaults for {named}; enter another base URL if they are not yours."]


@dataclass(slots=True)
class _Compiler:
    """Compiles the operations of one document: each step for all of them, then the next.

    Compiling one operation after the other takes a tenth longer: a step that is repeated stays in the
    processor's caches.
    """

    source: _Source
    addresses: Addresses
    document: Document
    _about_security: dict[int, tuple[Requirements, tuple[str, ...]]] = field(
        default_factory=dict[int, tuple[Requirements, tuple[str, ...]]]
    )
    """Warnings by identity of requirements, each stored with them so that the identity is not reused."""
    _about_names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Warnings about names that edits chose, by key of the operation."""
    _originals: Originals = field(default_factory=Originals)

    def compile(self, operations: Sequence[Operation]) -> tuple[CompiledOperation, ...]:
        names = suggest_names(operations)
        self._about_names = describe_taken_names(operations)
        outlines = self.source.definitions.outline_operations(operations)
        self._originals = read_originals(self.document, operations)
        places = [self.addresses.of(operation.servers) for operation in operations]
        plans = self._plans(operations, outlines, places)
        origins = [origin for _, origin in places]
        return tuple(map(self._compiled, operations, names, outlines, plans, origins))

    def _plans(
        self,
        operations: Sequence[Operation],
        outlines: Sequence[Outline],
        places: Sequence[tuple[str, str]],
    ) -> list[bytes]:
        """The plans of all operations; raises before everything together becomes too large."""
        max_bytes = self.document.limits.max_compiled_bytes
        write_plan, remaining = self.source.write_plan, max_bytes
        plans: list[bytes] = []
        for operation, outline, (base_url, _) in zip(operations, outlines, places, strict=True):
            plan_json = write_plan(operation, outline.arguments, outline.body_additional, base_url)
            plans.append(plan_json)
            remaining -= _size_of(operation, outline, plan_json)
            if remaining < 0:
                raise _too_large(max_bytes)
        return plans

    def _compiled(
        self, operation: Operation, name: str, outline: Outline, plan_json: bytes, origin: str
    ) -> CompiledOperation:
        description = outline.description.encode("utf-8", "replace")
        idle = [edit for edit in self.document.idle_edits if edit.concerns(operation.path, operation.method)]
        select = operation.edit.result_select
        selected = (b"result_select " + select.encode("utf-8", "replace"),) if select else ()
        accepted = (plan_json, description, *selected, *(edit.digest.encode() for edit in idle))
        return CompiledOperation(
            operation.key,
            operation.method,
            operation.path,
            operation.operation_id,
            name,
            operation.tags,
            operation.summary,
            outline.description,
            operation.safe,
            operation.idempotent,
            outline.body_additional and COMPLETE_BODY not in outline.arguments,
            plan_json,
            hashlib.sha256(b"\n".join(accepted)).hexdigest(),
            origin,
            (*(edit.text for edit in idle), *self._warnings(operation, outline)),
            operation.scopes,
            bool(operation.edit.name),
            operation.edit.approval == "ask",
            self.source.answer_of(operation),
            operation.edit.result_select,
            tuple(map(dump_json, operation.edit.examples)),
            self._originals.find(operation.key, name, outline.description),
        )

    def _warnings(self, operation: Operation, outline: Outline) -> tuple[str, ...]:
        of_security = self._of_security(operation.security)
        if operation.key in self._about_names:
            of_security = (self._about_names[operation.key], *of_security)
        if not (operation.warnings or outline.warnings or operation.servers or operation.unsendable):
            return of_security
        warnings = [*operation.warnings, *outline.warnings, *_login_warnings(operation.servers)]
        warnings += _server_problems(operation.servers)
        if self.addresses.are_unusable(operation.servers):
            url = quote_text(operation.servers[0].url)
            named = ", ".join(map(quote_text, operation.servers[0].variables))
            with_default = f", with the default of {named}," if named else ""
            warnings.append(f"Its own server {url}{with_default} is not an address that can be called.")
        elif self.addresses.are_relative_to_nothing(operation.servers):
            url = quote_text(operation.servers[0].url)
            advice = "Enter the API's base URL, from which it leads on"
            warnings.append(
                f"Its own server {url} is relative to the document's address, which is unknown. {advice}."
            )
        for parameter in operation.unsendable:
            sending = parameter.sending
            if sending.required and not sending.is_sent_by_browser:
                what = f"{sending.location} parameter {quote_text(sending.name)}"
                refused = "cannot be sent, so the API will probably refuse."
                warnings.append(f"The required {what} {refused} {sending.unsendable}")
        return (*warnings, *of_security)

    def _of_security(self, requirements: Requirements) -> tuple[str, ...]:
        found = self._about_security.get(id(requirements))
        if found is None:
            found = self._about_security[id(requirements)] = requirements, _security_warnings(requirements)
        return found[1]


def _security_warnings(requirements: Requirements) -> tuple[str, ...]:
    warnings = tuple(clash for together in requirements if (clash := clash_of(together)))
    if requirements and all(map(_needs_cookie, requirements)):
        signed_in = "Its key is a cookie, which only reaches the API if the browser is signed in there."
        return signed_in, *warnings
    return warnings


def _needs_cookie(together: tuple[SecurityScheme, ...]) -> bool:
    return any(scheme.location == "cookie" for scheme in together)
