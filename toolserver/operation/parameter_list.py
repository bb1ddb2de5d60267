"""Reads the `parameters` arrays that apply to an operation, and reconciles them with the path's template.

Receives path items and operations of one document; gives their parameters in order. What many of them share
is read once: arrays of path items, arrays of the same references, entries by reference, and all that follows
from how parameters are sent.
"""

from collections.abc import Sequence
from itertools import repeat
from operator import contains, itemgetter
from typing import TypeAlias, cast

from msgspec import Struct

from toolserver.errors import quote_text
from toolserver.json_types import JsonObject, JsonValue, dump_json, text_at, with_texts_of
from toolserver.openapi.document import SWAGGER, Document
from toolserver.openapi.edits import EXTENSION
from toolserver.operation.argument_names import NO_NAMES, Arguments, bind_names
from toolserver.operation.odd_forms import describe_odd_parameter
from toolserver.operation.parameter import BodyPart, Parameter, ParameterReader, Sending
from toolserver.operation.path_item import PathMethod, UnusableOperation, expressions_of, leads_elsewhere
from toolserver.operation.path_template import fit_template

MAX_PARAMETERS = 500
"""Maximum per operation; keeps one path item that thousands of paths refer to from multiplying the work."""

_REF = itemgetter("$ref")

_Read: TypeAlias = Parameter | BodyPart | str
"""An entry of `parameters`, or a sentence about its problem."""

_Alike: TypeAlias = tuple[tuple[tuple[str, str], ...], tuple[bytes, ...]]
"""A path's template expressions, and the plans of all parameters that apply there."""


class SendingList(Struct, frozen=True, gc=False):
    """How the parameters of an operation are sent: those that a browser can send, in order.

    Treat as read-only: operations whose parameters are sent alike share it.
    """

    arguments: Arguments
    """The argument of each."""
    planned: bytes
    """Their entries in a plan, compact JSON without the brackets."""
    clash: bool = False
    """Whether some share a legal name, so that `bind_names` gave others."""
    chosen: Arguments = NO_NAMES
    """The arguments whose name an edit chose."""


NO_SENDINGS = SendingList({}, b"")


class ReadParameters(Struct, frozen=True, gc=False):
    """The parameters of one operation."""

    all: tuple[Parameter, ...] = ()
    """By name and place, without entries that stand for something else."""
    unsendable: tuple[Parameter, ...] = ()
    sendings: SendingList = NO_SENDINGS
    template: str = ""
    """The path with the parameters' names in braces, where it is written in another way."""
    withheld: tuple[Sending, ...] = ()
    """Those that no argument fills, because an edit hides them or fixes their values."""


class Entries(Struct, frozen=True, gc=False):
    """The entries of one array, or of several that apply together: read-only, since operations share them."""

    parameters: list[Parameter]
    parts: list[JsonObject]
    """Parameters of Swagger 2.0 that belong to the body."""
    problems: list[str]
    """Sentences about entries that are nothing, or say something that nobody reads."""
    planned: tuple[bytes, ...]
    """The plan of each parameter."""


_AUTHORIZATION = "authorization", "header"

NO_ENTRIES = Entries([], [], [], ())
_UNLISTED = Entries([], [], ["Its `parameters` are no list; they are left out."], ())


def has_authorization(entries: Entries) -> bool:
    """Whether one of them is the header that belongs to security schemes, and is therefore ignored."""
    return any(each.sending.identity == _AUTHORIZATION for each in entries.parameters)


class ParameterLists:
    """Reads the arrays of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._reader = ParameterReader(document)
        self._remaining = document.limits.max_parameters
        self._by_reference: dict[str, _Read] = {}
        self._of_items: dict[int, Entries] = {}
        """Whole arrays of path items, by identity; the document keeps them alive."""
        self._of_references: dict[tuple[JsonValue, ...], Entries] = {}
        """Whole arrays of path items that hold nothing but references: often all path items have the same."""
        self._usual: dict[_Alike, SendingList] = {((), ()): NO_SENDINGS}
        """Lists that need no second look: their entries are the operation's parameters as they are."""

    def read_entries(self, place: PathMethod) -> Entries:
        """The entries that apply to an operation: first those of its path item.

        Raises:
            UnusableOperation: there are too many, here or in the document so far.
            ReferenceFailed: one of them, or a part of it, is a reference that leads nowhere.
        """
        own = self._entries(place.node) if "parameters" in place.node else NO_ENTRIES
        if "parameters" not in place.item.node:
            return own
        shared = self._entries(place.item.node, shared=True)
        if own is NO_ENTRIES:
            return shared
        if shared is NO_ENTRIES:
            return own
        return Entries(
            shared.parameters + own.parameters,
            shared.parts + own.parts,
            shared.problems + own.problems,
            shared.planned + own.planned,
        )

    def read_parameters(self, place: PathMethod, entries: Entries) -> ReadParameters:
        """The parameters that these entries mean; problems become warnings of the operation.

        Raises:
            UnusableOperation: there are too many.
        """
        alike = place.item.expressions, entries.planned
        sendings = self._usual.get(alike)
        if sendings is None or entries.problems:
            return self._reconcile(place, entries, alike)
        return ReadParameters(tuple(entries.parameters), (), sendings)

    def read_entry(self, entry: JsonValue) -> Parameter | BodyPart | str:
        """One entry, or a sentence about its problem.

        Raises:
            ReferenceFailed: as `read_entries`.
        """
        ref = entry.get("$ref") if isinstance(entry, dict) else None
        if not isinstance(ref, str):
            return self._read(entry)
        if isinstance(entry, dict) and EXTENSION in entry:
            return self._read_edited(entry)
        found = self._by_reference.get(ref)
        if found is None:
            found = self._by_reference[ref] = self._read(self._document.follow_refs(entry))
        if isinstance(found, Parameter) and (description := self._document.description_beside(entry)):
            return Parameter(found.sending, found.node, description, found.problems)
        return found

    def _read_edited(self, entry: JsonObject) -> _Read:
        """The parameter of a reference beside which an edit stands, for this operation alone."""
        target = self._document.follow_refs(entry)
        if not isinstance(target, dict):
            return self._read(target)
        found = self._read(with_texts_of(target, {**target, EXTENSION: entry[EXTENSION]}))
        description = self._document.description_beside(entry)
        if isinstance(found, Parameter) and description and not found.description:
            return Parameter(found.sending, found.node, description, found.problems)
        return found

    def _read(self, node: JsonValue) -> _Read:
        return (
            self._reader.read_parameter(node) if isinstance(node, dict) else "A parameter is not an object."
        )

    def _entries(self, holder: JsonObject, *, shared: bool = False) -> Entries:
        """The entries of its array; those of a path item are counted for each operation, but read once."""
        entries = holder.get("parameters")
        if not entries:
            return NO_ENTRIES
        if not isinstance(entries, list):
            return _UNLISTED
        count = len(entries)
        if count > MAX_PARAMETERS or count > self._remaining:
            raise self._refusal(count)
        self._remaining -= count
        if not shared:
            return self._read_all(entries)
        found = self._of_items.get(id(entries))
        if found is None:
            found = self._of_items[id(entries)] = self._find_equal(entries)
        return found

    def _refusal(self, count: int) -> UnusableOperation:
        if count > MAX_PARAMETERS:
            return _too_many()
        limit = self._document.limits.max_parameters
        return UnusableOperation(
            f"This and the operations before it have more than {limit:,} parameters together."
        )

    def _find_equal(self, entries: list[JsonValue]) -> Entries:
        try:
            refs: tuple[JsonValue, ...] = tuple(map(_REF, cast(list[JsonObject], entries)))
        except (KeyError, TypeError):  # not all of them are objects with that key
            return self._read_all(entries)
        says_more = any(
            any(map(contains, cast(list[JsonObject], entries), repeat(name)))
            for name in ("description", EXTENSION)
        )
        if says_more or {*map(type, refs)} != {str}:
            return self._read_all(entries)
        found = self._of_references.get(refs)
        if found is None:
            found = self._of_references[refs] = self._read_all(entries)
        return found

    def _read_all(self, entries: list[JsonValue]) -> Entries:
        read_parameter, read_entry = self._reader.read_parameter, self.read_entry
        parameters: list[Parameter] = []
        planned: list[bytes] = []
        parts: list[JsonObject] = []
        problems: list[str] = []
        is_swagger = self._document.version == SWAGGER
        for entry in entries:
            each = (
                read_parameter(entry)
                if isinstance(entry, dict) and "$ref" not in entry
                else read_entry(entry)
            )
            if isinstance(each, Parameter):
                parameters.append(each)
                planned.append(each.sending.planned)
                problems += each.problems
            elif isinstance(each, BodyPart):
                parts.append(each.node)
            else:
                problems.append(f"{each} It is left out.")
                continue
            if (required := each.node.get("required")) is not None and type(required) is not bool:
                problems.append(_doubtful_need(each))
            if odd := _odd_form(each, is_swagger=is_swagger):
                problems.append(odd)
        return Entries(parameters, parts, problems, tuple(planned))

    def _reconcile(self, place: PathMethod, entries: Entries, alike: _Alike) -> ReadParameters:
        found = {
            entry.sending.identity: entry for entry in entries.parameters if not entry.sending.is_ignored
        }
        if entries.problems:
            place.warnings += entries.problems
        fits = _fits_template(found, place)
        template = "" if fits else self._match_template(found, place)
        if len(found) > MAX_PARAMETERS:
            raise _too_many()
        withheld = tuple([each.sending for each in found.values() if _is_withheld(each)])
        parameters = tuple([each for each in found.values() if not _is_withheld(each)])
        unsendable = [each for each in parameters if each.sending.unsendable is not None]
        if unsendable:
            _warn_of_optional(unsendable, place)
            sendable = [each for each in parameters if each.sending.unsendable is None]
            return ReadParameters(parameters, tuple(unsendable), _list_of(sendable), template, withheld)
        sendings = _list_of(parameters)
        if fits and len(parameters) == len(entries.parameters):
            self._usual[alike] = sendings
        return ReadParameters(parameters, (), sendings, template, withheld)

    def _match_template(self, found: dict[tuple[str, str], Parameter], place: PathMethod) -> str:
        """Reconciles path parameters and template expressions; else it could never be called.

        Gives the template, "" where it is the path as written.
        """
        unplaced = [each for each in found if each[1] == "path" and each not in place.item.expressions]
        path, fitted = fit_template(place.item.path, {name for name, _ in unplaced})
        for identity in unplaced:
            named = quote_text(identity[0])
            spelled = fitted.get(identity[0])
            if spelled is None:
                del found[identity]
                place.warnings.append(f"The path has no place for {named}; that parameter is left out.")
                continue
            if spelled.greedy:
                found[identity] = found[identity].with_slashes()
            place.warnings.append(f"{quote_text(spelled.spelling)} in the path is read as {named}.")
        if fitted and (reason := leads_elsewhere(path)):
            raise UnusableOperation(reason)
        for identity in expressions_of(path):
            if identity not in found:
                name = identity[0]
                found[identity] = self._reader.make_undescribed(name)
                place.warnings.append(
                    f"The path parameter {quote_text(name)} is not described; it is taken as a string."
                )
        return path if fitted else ""


def _is_withheld(parameter: Parameter) -> bool:
    return parameter.sending.is_withheld and parameter.sending.unsendable is None


def _doubtful_need(each: Parameter | BodyPart) -> str:
    taken = "required" if isinstance(each, Parameter) and each.sending.required else "optional"
    name = quote_text(text_at(each.node, "name"))
    return f"`required` of the parameter {name} is neither true nor false; it is taken as {taken}."


def _odd_form(each: Parameter | BodyPart, *, is_swagger: bool) -> str:
    """The sentence about the form of what is sent; of what is not, another one says so."""
    if isinstance(each, Parameter) and (each.sending.is_ignored or each.sending.unsendable is not None):
        return ""
    return describe_odd_parameter(each.node, is_swagger=is_swagger)


def _fits_template(found: dict[tuple[str, str], Parameter], place: PathMethod) -> bool:
    """Whether its path parameters are the path's template expressions."""
    placed = [each for each in found if each[1] == "path"]
    return set(placed) == set(place.item.expressions)


def _warn_of_optional(unsendable: list[Parameter], place: PathMethod) -> None:
    """Required ones are the plan's concern."""
    place.warnings += [
        f"The optional {sending.location} parameter {quote_text(sending.name)} is left out. "
        f"{sending.unsendable}"
        for each in unsendable
        if not (sending := each.sending).required
    ]


def _list_of(parameters: Sequence[Parameter]) -> SendingList:
    sendings = [each.sending for each in parameters]
    arguments: Arguments = {sending.target: sending.argument for sending in sendings}
    chosen = {sending.target: sending.chosen for sending in sendings if sending.chosen}
    if len({*arguments.values()}) == len(arguments):
        return SendingList(arguments, b",".join([sending.planned for sending in sendings]), chosen=chosen)
    bound = bind_names(list(arguments), chosen)
    return SendingList(bound, write_parameters(parameters, bound), clash=True, chosen=chosen)


def write_parameters(parameters: Sequence[Parameter], arguments: Arguments) -> bytes:
    """Their entries in a plan, compact JSON without the brackets; those without an argument have none."""
    written: list[bytes] = []
    for parameter in parameters:
        sending = parameter.sending
        argument = arguments.get(sending.target)
        if argument == sending.argument:
            written.append(sending.planned)
        elif argument is not None:
            written.append(dump_json(sending.to_json(argument)))
    return b",".join(written)


def _too_many() -> UnusableOperation:
    return UnusableOperation(f"The operation has more than {MAX_PARAMETERS} parameters.")
