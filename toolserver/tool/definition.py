"""Defines what a model reads of an operation: one description and one schema of arguments.

Receives `Operation`s of one document; gives their outlines (description, and the arguments by what each
fills) immediately, and their schemas on request. Parameters and the properties of an object body become
arguments of equal rank; any other body is the single argument `body`. What a browser cannot send is no
argument. Knows nothing of names of tools and of how requests are built.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct, structs

from toolserver.errors import limit_warnings
from toolserver.json_types import JsonObject, JsonValue, dump_json, only_value, text_at
from toolserver.openapi.document import SWAGGER, Document, reference_of
from toolserver.operation.argument_names import (
    BODY_ARGUMENT,
    COMPLETE_BODY,
    NO_NAMES,
    Arguments,
    Target,
    bind_names,
    describe_taken_names,
    legal_name,
)
from toolserver.operation.body import Body
from toolserver.operation.operation import Operation
from toolserver.operation.parameter import Parameter
from toolserver.schema.argument_edit import chosen_name
from toolserver.schema.example import examples_of, with_examples
from toolserver.schema.flatten import Flattening
from toolserver.schema.hints import (
    DESCRIPTION_CHARS,
    NEEDED_WITH_BODY,
    TOOL_DESCRIPTION_CHARS,
    clean_text,
    describe_constraints,
    holds_unseen,
    join_sentences,
    value_text,
)
from toolserver.schema.keywords import ANNOTATIONS, keywords_for
from toolserver.schema.shape import Shape
from toolserver.schema.steps import Steps
from toolserver.schema.write import NO_WORDING, Above, Wording
from toolserver.tool.argument_schemas import ArgumentSchemas, ArgumentSource, Budget, ToolSchema
from toolserver.tool.description import BODY, DEPRECATED, FURTHER_PROPERTIES
from toolserver.tool.file_argument import file_schema

__all__ = ["Budget", "Definitions", "Outline", "SeparateDefinitions", "ToolSchema"]

MAX_WARNINGS = 20

MAX_SPREAD = 500
"""Maximum number of a body's properties that become arguments; a larger body stays one argument. No real one
comes near, and a hostile document could repeat thousands in every operation."""

MAX_LOOKED_THROUGH = 500_000
"""Maximum number of properties examined in all bodies together; after that, each body stays one argument."""

MAX_EXAMPLE_BYTES = 1_000
"""Maximum bytes of the example of a body, or of one of its properties; a longer one costs a model more than
it explains."""

_BEFORE_SIBLINGS = (SWAGGER, "3.0")
"""Families of versions in which a reference counts alone."""

_TypesOf: TypeAlias = "Callable[[JsonValue], tuple[str, ...] | None]"

_TEXT: JsonObject = {"type": "string"}


class Outline(Struct, gc=False):
    """An operation as a model sees it, without the schema: treat as read-only."""

    description: str
    """Never empty: summary, description, notes about the body."""
    arguments: Arguments
    """Parameters in document order, then the body's properties."""
    body_additional: bool
    """Whether the body may have properties that are no arguments."""
    warnings: tuple[str, ...]


class _Spread(Struct, frozen=True, gc=False):
    """A body whose properties are separate arguments."""

    shape: Shape
    properties: JsonObject
    required: tuple[str, ...]
    additional: JsonValue
    """The rule for further keys."""
    arguments: Arguments
    """Each property under the legal form of its name, or the name that an edit chose."""
    chosen: Arguments = NO_NAMES
    """The arguments whose name an edit chose."""


class Definitions:
    """The outlines and schemas of one document's operations."""

    def __init__(
        self, document: Document, *, budget: Budget | None = None, steps: Steps | None = None
    ) -> None:
        """`budget` applies to each tool; `steps` counts the work for all of them."""
        budget = budget or Budget()
        self._document = document
        self._flattening = Flattening(
            document.resolve_ref,
            max_nodes=budget.nodes,
            steps=steps,
            references_count=document.version in _BEFORE_SIBLINGS,
            may_fix=document.is_edited,
        )
        self.steps = self._flattening.steps
        self._schemas = ArgumentSchemas(self._flattening, budget)
        self._spreads: dict[str | int, _Spread | None] = {}
        self._alive: list[JsonValue | Parameter] = []
        """Objects whose identity is a key of the dictionaries; referenced so that it is not reused."""
        self._remaining_properties = MAX_LOOKED_THROUGH
        self._exemplified: dict[int, tuple[Body, JsonObject]] = {}
        """A body with its schemas including its example, by identity of the body. Built once, because
        flattened schemas are cached by identity."""
        self._sources: dict[int, ArgumentSource] = {}
        """By identity of a parameter, since operations share parameters."""
        self._arguments: dict[tuple[int, int], tuple[Operation, Arguments]] = {}
        """While operations are outlined: of those with a body, by identity of their sendings and of the
        spread. Each with an operation that keeps the sendings alive."""

    def outline_operations(self, operations: Sequence[Operation]) -> list[Outline]:
        """The outlines of all operations of the document."""
        outlines = [*map(self.outline_operation, operations)]
        self._arguments.clear()  # a schema makes them anew; of thousands of bodies they take much memory
        return outlines

    def outline_operation(self, operation: Operation) -> Outline:
        """The outline of an operation. Problems in its schemas never raise: see `warnings`."""
        body = operation.body
        if body is None:
            arguments = operation.sendings.arguments
            return Outline(_describe(operation, ()), arguments, False, _about_names(operation, arguments))
        spread = self._spread(body)
        if spread is None:
            arguments = self._arguments_of(operation, None)
            return Outline(_describe(operation, ()), arguments, False, _about_names(operation, arguments))
        problems = [*spread.shape.problems, *self._about_further(spread)]
        arguments = self._arguments_of(operation, spread)
        return Outline(
            description=_describe(operation, _body_notes(body, spread, self._types)),
            arguments=arguments,
            body_additional=spread.additional is not False,
            warnings=(
                *_about_names(operation, arguments, spread),
                *limit_warnings((f"body: {problem}" for problem in problems), MAX_WARNINGS),
            ),
        )

    def build_schema(self, operation: Operation, *, bare: str = "") -> ToolSchema:
        """The argument schema; costs only what no earlier schema needed.

        `bare`: why only types are told; "": everything is.
        """
        spread = self._spread(operation.body)
        sources = self._sources
        sources = [
            sources.get(id(parameter)) or self._new_source(parameter)
            for parameter in operation.sendable_parameters()
        ]
        if operation.body is not None:
            sources += self._body_sources(operation.body, spread)
        arguments = _name_arguments(operation, spread)
        chosen = _chosen_names(operation, spread)
        named = [
            source
            if source.argument == argument
            else source._replace(argument=argument, lasting=False)
            if chosen.get(target) == argument
            else _renamed(source, argument, target)
            for source, (target, argument) in zip(sources, arguments.items(), strict=True)
        ]
        schema = self._schemas.build_schema(named, bare=bare)
        return schema._replace(warnings=limit_warnings(schema.warnings, MAX_WARNINGS))

    def _arguments_of(self, operation: Operation, spread: _Spread | None) -> Arguments:
        """The arguments' names, of an operation with a body; operations that are called alike share them."""
        key = id(operation.sendings), id(spread)
        found = self._arguments.get(key)
        if found is None:
            found = self._arguments[key] = operation, _name_arguments(operation, spread)
        return found[1]

    def _new_source(self, parameter: Parameter) -> ArgumentSource:
        self._alive.append(parameter)
        source = self._sources[id(parameter)] = _parameter_source(self._document, parameter)
        return source

    def _spread(self, body: Body | None) -> _Spread | None:
        """The body's properties as arguments; None if it is one argument. Shared bodies are read once."""
        if body is None or body.kind in ("text", "binary", "sequence"):
            return None
        schema = body.schema
        ref = reference_of(schema)
        is_bare = ref is not None and isinstance(schema, dict) and len(schema) == 1
        key = ref if is_bare and ref is not None else id(schema)
        if key not in self._spreads:
            self._alive.append(schema)
            self._spreads[key] = self._read_spread(schema) if self._remaining_properties > 0 else None
        return self._spreads[key]

    def _read_spread(self, schema: JsonValue) -> _Spread | None:
        shape = self._flattening.reader.read_shape(schema)
        self._remaining_properties -= len(shape.properties)
        is_empty = not shape.properties and not shape.withheld
        if shape.types != ("object",) or is_empty or shape.alternatives:
            return None
        additional = None if shape.patterns else shape.additional_schema()
        required = tuple(shape.required_names())
        properties = shape.properties
        if additional is not False and (missing := [name for name in required if name not in properties]):
            undescribed: JsonObject = {name: {} for name in missing}
            properties = properties | undescribed
        if len(properties) > MAX_SPREAD:
            return None
        chosen: Arguments = {
            ("body_property", name): found
            for name, each in properties.items()
            if (found := chosen_name(each))
        }
        arguments: Arguments = {("body_property", name): legal_name(name) for name in properties}
        return _Spread(shape, properties, required, additional, {**arguments, **chosen}, chosen)

    def _body_sources(self, body: Body, spread: _Spread | None) -> list[ArgumentSource]:
        if spread is None:
            schema, notes = _body_schema(body, self._has_form)
            if schema is body.schema:
                schema = self._with_example(body, {BODY_ARGUMENT: schema}, is_body=True)[BODY_ARGUMENT]
            wording = Wording(body.description, notes)
            return [ArgumentSource(BODY_ARGUMENT, schema, wording, body.required)]
        above = self._flattening.above_properties(body.schema, spread.shape)
        spread = structs.replace(spread, properties=self._with_example(body, spread.properties))
        return [_property_source(body, spread, name, above, self._types) for name in spread.properties]

    def _with_example(self, body: Body, schemas: JsonObject, *, is_body: bool = False) -> JsonObject:
        """Each schema with its part of the body's first example, unless that is too long."""
        example = next(iter(examples_of(self._document, body.media)), None)
        if is_body and example is not None:
            example = JsonObject({BODY_ARGUMENT: example})
        if not isinstance(example, dict):
            return schemas
        if id(body) not in self._exemplified:
            exemplified = {
                name: with_examples(schema, _short(example, name))
                if name in example and (is_body or not _has_example(schema))
                else schema
                for name, schema in schemas.items()
            }
            self._exemplified[id(body)] = (body, exemplified)
        return self._exemplified[id(body)][1]

    def _about_further(self, spread: _Spread) -> Iterable[str]:
        """What is left out of the values of keys without an argument, for whose schema there is no place."""
        further = [*(spread.shape.patterns or {}).values(), spread.additional]
        if any(isinstance(each, dict) and self._says_more(each) for each in further):
            yield "of the values of further keys only the types are told"

    def _says_more(self, schema: JsonValue) -> bool:
        """Whether a schema states more than types."""
        shape = self._flattening.reader.read_shape(schema)
        is_composed = bool(shape.alternatives or shape.properties or shape.items or shape.prefix_items)
        return is_composed or bool(shape.enum) or not shape.keywords.keys() <= ANNOTATIONS

    def _has_form(self, schema: JsonValue) -> bool:
        shape = self._flattening.reader.read_shape(schema)
        return shape.types is not None or bool(shape.alternatives)

    def _types(self, schema: JsonValue) -> tuple[str, ...] | None:
        return self._flattening.reader.read_shape(schema).types


class SeparateDefinitions:
    """The same for operations whose schemas are documents of their own, as those of MCP tools."""

    def __init__(self, documents: Iterable[tuple[str, Document]]) -> None:
        """`documents`: for the key of each operation, what its schema may refer to."""
        self.steps = Steps()
        self._by_key = {key: Definitions(document, steps=self.steps) for key, document in documents}

    def outline_operations(self, operations: Sequence[Operation]) -> list[Outline]:
        """See `Definitions.outline_operations`."""
        return [self._by_key[operation.key].outline_operation(operation) for operation in operations]

    def build_schema(self, operation: Operation, *, bare: str = "") -> ToolSchema:
        """See `Definitions.build_schema`."""
        return self._by_key[operation.key].build_schema(operation, bare=bare)


def _name_arguments(operation: Operation, spread: _Spread | None) -> Arguments:
    """The names as `bind_names` gives them; it is called only where legal forms clash, which is rare."""
    sendings = operation.sendings
    arguments = {**sendings.arguments}
    if spread is not None:
        arguments.update(spread.arguments)
    elif operation.body is not None:
        arguments[COMPLETE_BODY] = BODY_ARGUMENT
    if sendings.clash or len({*arguments.values()}) < len(arguments):
        return bind_names(list(arguments), _chosen_names(operation, spread))
    return arguments


def _about_names(
    operation: Operation, arguments: Arguments, spread: _Spread | None = None
) -> tuple[str, ...]:
    """Warnings about names that edits chose. Hardly any operation has one."""
    if not operation.sendings.chosen and (spread is None or not spread.chosen):
        return ()
    return describe_taken_names(arguments, _chosen_names(operation, spread))


def _chosen_names(operation: Operation, spread: _Spread | None) -> Arguments:
    return {**operation.sendings.chosen, **(spread.chosen if spread is not None else {})}


def _parameter_source(document: Document, parameter: Parameter) -> ArgumentSource:
    description, schema, deprecated, may_be_empty = parameter.describe_parameter(document)
    notes = ("Deprecated.",) if deprecated else ()
    if may_be_empty:
        notes = (*notes, f'"" is sent as `{clean_text(parameter.sending.name)}=`.')
    wording = Wording(description, notes) if notes or description else NO_WORDING
    return ArgumentSource(parameter.sending.name, schema, wording, parameter.sending.required, lasting=True)


def _has_example(schema: JsonValue) -> bool:
    return isinstance(schema, dict) and ("example" in schema or "examples" in schema)


def _short(example: JsonObject, name: str) -> list[JsonValue]:
    return only_value(example, name) if len(dump_json(example[name])) <= MAX_EXAMPLE_BYTES else []


def _property_source(
    body: Body, spread: _Spread, name: str, above: Above, types_of: _TypesOf
) -> ArgumentSource:
    schema = spread.properties[name]
    needed = name in spread.required
    notes = (NEEDED_WITH_BODY,) if needed and not body.required else ()
    field = body.fields.get(name)
    description = ""
    if field is not None and field.file:
        description = _own_description(schema)
        schema = file_schema(many=types_of(schema) == ("array",))
        notes = (*notes, "A file: exactly one of base64, text or url.") if description else notes
    if field is not None and field.accepts:
        notes = (*notes, f"Accepts {clean_text(field.accepts)}.")
    wording = Wording(description, notes) if description or notes else NO_WORDING
    return ArgumentSource(name, schema, wording, needed, above)


def _own_description(schema: JsonValue) -> str:
    return text_at(schema, "description") if isinstance(schema, dict) else ""


def _body_schema(body: Body, has_form: Callable[[JsonValue], bool]) -> tuple[JsonValue, tuple[str, ...]]:
    """The schema of a body that is one argument, and notes about it."""
    if body.kind == "binary":
        sent = " or ".join(body.content_types[:10]) or body.content_type
        return file_schema(), (f"Sent as {clean_text(sent)}.",)
    if body.kind == "text":
        schema = body.schema if has_form(body.schema) else JsonObject(allOf=[body.schema, _TEXT])
        return schema, (f"Sent as {clean_text(body.content_type)} text.",)
    if body.parts is not None and body.parts.file:
        return file_schema(many=True), (
            f"Accepts {clean_text(body.parts.accepts)}.",
        ) if body.parts.accepts else ()
    files = [name for name, field in body.fields.items() if field.file]
    notes = tuple(f"Give the file `{clean_text(name)}` as text or as a data: URL." for name in files[:10])
    return body.schema, notes


def _renamed(source: ArgumentSource, argument: str, target: Target) -> ArgumentSource:
    location, name = target
    place = "in the body" if location == "body_property" else f"in the {location}"
    notes = (*source.wording.notes, f"Sent {place} as {value_text(name)}.")
    wording = Wording(source.wording.description, notes)
    return source._replace(argument=argument, wording=wording, lasting=False)


def _body_notes(body: Body, spread: _Spread, types_of: _TypesOf) -> tuple[str, ...]:
    """Notes about the body that its schema's root would carry, were there a place for them."""
    shape, additional = spread.shape, spread.additional
    about = (body.description and clean_text(body.description)) or shape.description
    if shape.notes or shape.keywords:
        limits = {key: value for key, value in shape.keywords.items() if key not in {"default", "examples"}}
        constraints = describe_constraints(keywords_for(("object",), limits))
        about = join_sentences(about, *shape.notes, constraints)
    notes = (f"{BODY}{about}",) if about else ()
    if additional is None or additional is False:
        return notes
    types = types_of(additional) if isinstance(additional, dict) else None
    form = f" Each value: {' or '.join(types)}." if types else ""
    return (*notes, FURTHER_PROPERTIES + form)


def _describe(operation: Operation, notes: tuple[str, ...]) -> str:
    """The description; the summary comes first, because Open WebUI's tool search shows 100 characters."""
    text = describe_prose(operation)
    if operation.deprecated or notes:
        text = "\n\n".join(filter(None, (text, DEPRECATED if operation.deprecated else "", *notes)))
    if len(text) > TOOL_DESCRIPTION_CHARS:
        text = clean_text(text, TOOL_DESCRIPTION_CHARS)
    return text or operation.key


def describe_prose(operation: Operation) -> str:
    """The part of its description that an edit replaces; "" for none."""
    edited = operation.edit.description
    summary, text = ("", edited) if edited else (operation.summary, operation.description)
    is_long = len(summary) > DESCRIPTION_CHARS or len(text) > TOOL_DESCRIPTION_CHARS
    if is_long or holds_unseen(summary + text):
        summary = clean_text(summary, DESCRIPTION_CHARS)
        text = clean_text(text, TOOL_DESCRIPTION_CHARS)
    if not text.startswith(summary):
        text = f"{summary}\n\n{text}" if text else summary
    return text
