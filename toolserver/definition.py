"""What a model reads of an operation: one description and one schema of arguments.

Receives an `Operation`; gives its `Definition`, with the bindings that say where each argument is sent.
Parameters and the properties of a JSON object body stand side by side as arguments; any other body is the
one argument `body`. What a browser cannot send is no argument. Knows nothing of names of tools and of how
requests are built.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from toolserver.argument_names import WHOLE_BODY, Binding, Place, bind
from toolserver.document import Document
from toolserver.hints import (
    TOOL_DESCRIPTION_CHARS,
    clean_text,
    describe_constraints,
    join_sentences,
    value_text,
)
from toolserver.json_types import JsonObject, JsonValue
from toolserver.operation import Body, Operation, unsendable_reason
from toolserver.schema_flattening import ArgumentSource, Budget, flatten
from toolserver.schema_keywords import keywords_for
from toolserver.schema_shape import Shape, ShapeReader

__all__ = ["Binding", "Budget", "Definition", "build_definition"]

MAX_WARNINGS = 20


@dataclass(frozen=True, slots=True)
class Definition:
    """An operation as a model sees it."""

    schema: JsonObject
    """`{"type": "object", "properties": …, "required": […]}` and nothing else at the root (other keywords
    get lost on the way); valid JSON Schema 2020-12 without references."""
    description: str
    """Never empty: summary, description, notes about the body."""
    bindings: tuple[Binding, ...]
    """One per argument, in the schema's order: parameters as in the document, then the body's
    properties."""
    body_additional: bool
    """Whether the body may carry properties that are no arguments."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Argument:
    location: Place
    name: str
    required: bool
    source: ArgumentSource


@dataclass(frozen=True, slots=True)
class _Arguments:
    """The arguments of one operation before they have names."""

    arguments: tuple[_Argument, ...]
    notes: tuple[str, ...] = ()
    additional: bool = False
    warnings: tuple[str, ...] = ()


def build_definition(document: Document, operation: Operation, *, budget: Budget | None = None) -> Definition:
    """The definition of `operation`. Never raises for what stands in its schemas: see `warnings`."""
    parameters = tuple(_read_parameters(operation))
    body = _read_body(ShapeReader(document.resolve), operation.body)
    arguments = (*parameters, *body.arguments)
    bindings = bind([(argument.location, argument.name) for argument in arguments])
    sources = [_named(argument, binding) for argument, binding in zip(arguments, bindings, strict=True)]
    properties, cut = flatten(sources, document.resolve, budget)
    required: list[JsonValue] = [
        binding.argument for argument, binding in zip(arguments, bindings, strict=True) if argument.required
    ]
    return Definition(
        schema={"type": "object", "properties": {**properties}, "required": required},
        description=_describe(operation, body.notes),
        bindings=bindings,
        body_additional=body.additional,
        warnings=_limited((*body.warnings, *cut)),
    )


def _named(argument: _Argument, binding: Binding) -> ArgumentSource:
    source = replace(argument.source, argument=binding.argument)
    if binding.argument == argument.name or argument.location == "body":
        return source
    place = "in the body" if argument.location == "body_property" else f"in the {argument.location}"
    return replace(source, notes=(*source.notes, f"Sent {place} as {value_text(argument.name)}."))


def _limited(warnings: tuple[str, ...]) -> tuple[str, ...]:
    distinct = tuple(dict.fromkeys(warnings))
    if len(distinct) <= MAX_WARNINGS:
        return distinct
    return (*distinct[:MAX_WARNINGS], f"and {len(distinct) - MAX_WARNINGS} more of this kind")


def _read_parameters(operation: Operation) -> Iterator[_Argument]:
    for parameter in operation.parameters:
        if unsendable_reason(parameter) is None:
            source = ArgumentSource(
                argument=parameter.name,
                schema=parameter.schema,
                description=parameter.description,
                notes=("Deprecated.",) if parameter.deprecated else (),
            )
            yield _Argument(parameter.location, parameter.name, parameter.required, source)


def _read_body(reader: ShapeReader, body: Body | None) -> _Arguments:
    if body is None:
        return _Arguments(())
    shape = reader.read(body.schema)
    if shape.types == ("object",) and shape.properties and not shape.alternatives:
        return _body_properties(reader, body, shape)
    source = ArgumentSource(WHOLE_BODY, body.schema, body.description)
    return _Arguments((_Argument("body", WHOLE_BODY, body.required, source),))


def _body_properties(reader: ShapeReader, body: Body, shape: Shape) -> _Arguments:
    additional = shape.additional_schema()
    required = shape.required_names()
    entered = dict.fromkeys(reader.entry_refs(body.schema), "the whole body")
    properties = dict(shape.properties)
    if additional is not False:
        properties |= {name: {} for name in required if name not in properties}
    arguments = tuple(
        _Argument(
            location="body_property",
            name=name,
            required=body.required and name in required,
            source=ArgumentSource(
                argument=name,
                schema=schema,
                notes=("Required when a body is sent.",) if name in required and not body.required else (),
                trail=tuple(shape.refs),
                entered=entered,
            ),
        )
        for name, schema in properties.items()
    )
    warnings = tuple(f"body: {problem}" for problem in shape.problems)
    return _Arguments(arguments, _body_notes(body, shape, additional), additional is not False, warnings)


def _body_notes(body: Body, shape: Shape, additional: JsonValue) -> tuple[str, ...]:
    """What the root of a schema would say about the body, where a root cannot say anything."""
    described = clean_text(body.description) or shape.description
    limits = {key: value for key, value in shape.keywords.items() if key not in {"default", "examples"}}
    about = join_sentences(described, *shape.notes, describe_constraints(keywords_for(("object",), limits)))
    further = (
        "Further properties are sent in the body as they are." if additional not in (None, False) else ""
    )
    return tuple(filter(None, (f"Body: {about}" if about else "", further)))


def _describe(operation: Operation, notes: tuple[str, ...]) -> str:
    """The summary stands first: Open WebUI's tool search shows 100 characters."""
    summary = clean_text(operation.summary)
    description = clean_text(operation.description, TOOL_DESCRIPTION_CHARS)
    if description.startswith(summary):
        summary = ""
    paragraphs = (summary, description, "Deprecated." if operation.deprecated else "", *notes)
    text = "\n\n".join(filter(None, paragraphs))
    return clean_text(text, TOOL_DESCRIPTION_CHARS) or operation.key
