"""The arguments of a call: parses a model's text and validates it against the operation's schema.

Receives text and argument schemas as `definition` writes them; gives values, or an `ArgumentError` that a
model can act on. Nothing is fetched or filled in; nulls that only mean "left out" can be removed, and a text
becomes the value of its JSON where no text is allowed (`encoded_values`). Knows nothing of operations and
requests.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import cast

import jsonschema_rs
import orjson

from toolserver.arguments.encoded_values import decode_arguments
from toolserver.arguments.exact_json import read_json
from toolserver.arguments.validation_cost import count_alternatives, count_values, shorten_lists
from toolserver.errors import ArgumentError
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    NestedTooDeeply,
    array_at,
    nests_deeply,
    object_at,
    text_at,
)
from toolserver.schema.hints import MAY_BE_NULL, read_choice, told_pattern, value_text
from toolserver.schema.keywords import type_of
from toolserver.schema.nulls import without_added_nulls
from toolserver.schema.pattern import ENGINE
from toolserver.schema.write import FREE_FORM_BRANCHES

MAX_CHECKS = 10_000_000
"""Maximum values of arguments times alternatives of their schema; chosen: it takes about 1 s (measured)."""

_MOST_VALUES = 600_000
"""More values than arguments of a mebibyte have: below, they need not be counted."""

MAX_EXPLAINED = 10_000
"""Maximum values of arguments, each as often as the schema has alternatives, of which all that is wrong is
collected. Chosen: each takes up to 50 µs and 5 KB (measured), whatever is told of it."""

MAX_PROBLEMS = 5
"""Maximum number of problems named in one error; a model can repair the others with its next attempt."""

MAX_BRANCHES = 4
MAX_QUOTED_CHARS = 80
MAX_NAMES = 30
"""Maximum number of arguments listed for a caller that used an unknown one."""

ALLOWED_CHARS = 300


class ArgumentValidator:
    """Validates arguments against one schema. Compile it once (about 1 ms) and use it any number of times."""

    def __init__(
        self,
        schema_json: bytes,
        *,
        takes_more: bool = True,
        optional_body: frozenset[str] = frozenset(),
        check: Callable[[JsonObject], None] | None = None,
    ) -> None:
        """`schema_json`: the argument schema of a tool.

        `takes_more`: undeclared arguments go into the body; otherwise they go nowhere and are refused. The
        schema itself cannot say so, because Open WebUI's converters drop the keyword.

        `optional_body`: arguments that are the properties of an optional body. The schema requires some of
        them; they may be missing where no body is sent.

        `check` raises `ArgumentError` for arguments that the schema cannot refuse, such as names that an edit
        withholds where further ones are taken.
        """
        self._schema_json = schema_json
        self._check = check
        self._optional_body = optional_body
        schema = cast(JsonObject, _rewrite(orjson.loads(schema_json), _loosen))
        if optional_body:
            schema = _with_optional_body(schema, optional_body)
        self._declared = None if takes_more else dict.fromkeys(object_at(schema, "properties"))
        self._validator = _Validator(schema)

    def takes(self, name: str) -> bool:
        """Whether an argument of that name may be one of the operation's."""
        return self._declared is None or name in self._declared

    def validate_arguments(self, arguments: JsonObject) -> JsonObject:
        """The arguments as they are sent: the same object, unless a text was the JSON of a value.

        Takes under 1 µs for an ordinary call (measured); compiling takes about 100 µs.

        Raises:
            ArgumentError: names each argument at fault and what is allowed, five problems at most; or they
                are nested too deeply, or too many for the schema.
        """
        if self._declared is not None and not arguments.keys() <= self._declared.keys():
            raise _undeclared(arguments, self._declared)
        if self._validator.may_take_long:
            self._check_work(arguments)
        if self._validator.is_valid(arguments):
            return self._checked(arguments)
        schema = cast(JsonObject, orjson.loads(self._schema_json))
        sent = decode_arguments(arguments, schema, _Nodes().fits)
        if sent is not arguments:
            if nests_deeply(sent):
                raise ArgumentError(_TOO_DEEP)
            self._check_work(sent)
            if self._validator.is_valid(sent):
                return self._checked(sent)
        raise self._explain(sent)

    def _checked(self, arguments: JsonObject) -> JsonObject:
        if self._check is not None:
            self._check(arguments)
        return arguments

    def _check_work(self, arguments: JsonObject) -> None:
        if self._validator.would_take_long(arguments):
            raise ArgumentError(
                f"The arguments have too many values for a tool with {self._validator.alternatives - 1:,} "
                "alternatives. Call it several times, with a part of them each."
            )

    def _explain(self, arguments: JsonObject) -> ArgumentError:
        """What is wrong with all arguments or, where they have too many values for that, with one of them."""
        if (problem := _explain_by(self._validator, arguments)) is not None:
            return problem
        properties = object_at(
            cast(JsonObject, _rewrite(orjson.loads(self._schema_json), _loosen)), "properties"
        )
        wrong: list[str] = []
        for name, value in arguments.items():
            alone = _Validator({"properties": {name: properties.get(name, True)}})
            if alone.is_valid({name: value}):
                continue
            if (problem := _explain_by(alone, {name: value})) is not None:
                return problem
            wrong.append(name)
        return _too_many(wrong)

    def without_added_nulls(self, arguments: JsonObject) -> JsonObject:
        """The arguments without nulls that mean "left out"; the same object when there are none.

        Those are nulls of optional arguments and properties whose own schema allows no null.
        """
        schema = cast(JsonObject, orjson.loads(self._schema_json))
        required = [name for name in array_at(schema, "required") if name not in self._optional_body]
        cleaned = without_added_nulls(arguments, {**schema, "required": required})
        return arguments if cleaned == arguments else cleaned


def fits_as_written(schema: JsonObject, arguments: JsonObject) -> bool:
    """Return whether arguments fit a schema by its keywords alone, as a reader of no words sees it."""
    return _compile(schema).is_valid(arguments)


def parse_arguments(text: str | bytes, *, max_bytes: int) -> JsonObject:
    """The object in `text`; empty text is an empty object. Integers of any size stay exact.

    Of duplicate keys the last one counts. `max_bytes` is measured in UTF-8.

    Raises:
        ArgumentError: too large, nested too deeply, not JSON (NaN, Infinity and lone surrogates are not), or
            not an object.
    """
    try:
        checked = _checked_text(text, max_bytes)
        value: JsonValue = {} if not checked or checked.isspace() else read_json(checked)
    except UnicodeDecodeError as error:
        raise ArgumentError("The arguments are not UTF-8 text.") from error
    except NestedTooDeeply as error:
        raise ArgumentError(_TOO_DEEP) from error
    except ValueError as error:
        raise ArgumentError(f"The arguments are not valid JSON: {error}.") from error
    if not isinstance(value, dict):
        raise ArgumentError(f"The arguments must be one JSON object, not {_kind(value)}.")
    return value


def _checked_text(text: str | bytes, max_bytes: int) -> str:
    """The text without a byte order mark; ASCII, as most are, as it is: each character is a byte."""
    if isinstance(text, str) and text.isascii() and len(text) <= max_bytes:
        return text
    encoded = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if len(encoded) > max_bytes:
        raise ArgumentError(f"The arguments are larger than {max_bytes:,} bytes.")
    return encoded.decode("utf-8-sig")


_TOO_DEEP = "The arguments are nested too deeply."


class _Validator:
    """A compiled schema, and how much work it is to validate by it."""

    __slots__ = ("alternatives", "is_valid", "iter_errors", "may_take_long")

    def __init__(self, schema: JsonObject) -> None:
        compiled = _compile(schema)
        self.is_valid = compiled.is_valid
        self.iter_errors = compiled.iter_errors
        self.alternatives = 1 + count_alternatives(schema)
        self.may_take_long = MAX_CHECKS // self.alternatives < _MOST_VALUES
        """Whether the arguments of a call can have too many values for it."""

    def would_take_long(self, value: JsonValue) -> bool:
        """Whether a value may have to be tried too often: each value in it with each alternative."""
        most = MAX_CHECKS // self.alternatives
        return self.may_take_long and count_values(value, most) > most


class _Nodes:
    """Validates values against nodes of one schema, each compiled when it is first needed."""

    def __init__(self) -> None:
        self._validators: dict[int, tuple[JsonObject, _Validator]] = {}
        """By the identity of their nodes, which are held as long."""

    def fits(self, node: JsonObject, value: JsonValue) -> bool:
        """Whether a value fits a node as tools are advertised with it; False where that takes too long."""
        held = self._validators.get(id(node))
        if held is None:
            held = node, _Validator(cast(JsonObject, _rewrite(node, _loosen)))
            self._validators[id(node)] = held
        validator = held[1]
        try:
            return not validator.would_take_long(value) and validator.is_valid(value)
        except ValueError:  # nested too deeply
            return False


def _compile(schema: JsonObject) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema, offline=True, pattern_options=ENGINE)


def _rewrite(node: JsonValue, change: Callable[[JsonObject], JsonObject]) -> JsonValue:
    """The schema with `change` applied to each node, innermost first; data inside keywords is not touched."""
    if isinstance(node, list):
        return [_rewrite(item, change) for item in node]
    if not isinstance(node, dict):
        return node
    rewritten = dict(node)
    for key in ("items", "anyOf", "additionalProperties", "propertyNames"):
        if key in rewritten:
            rewritten[key] = _rewrite(rewritten[key], change)
    for key in ("properties", "patternProperties"):
        schemas = rewritten.get(key)
        if isinstance(schemas, dict):
            rewritten[key] = {name: _rewrite(schema, change) for name, schema in schemas.items()}
    return change(rewritten)


def _loosen(node: JsonObject) -> JsonObject:
    """Applies what the advertised form says only in words: free-form values, null, choices and patterns."""
    if node.get("anyOf") == FREE_FORM_BRANCHES:
        return {}
    node = _with_pattern(_with_choice(node))
    if not str(node.get("description")).endswith(MAY_BE_NULL):
        return node
    loose = dict(node)
    branches = node.get("anyOf")
    types = node.get("type")
    values = node.get("enum")
    if isinstance(branches, list):
        loose["anyOf"] = [*branches, {"type": "null"}]
    if isinstance(types, str):
        loose["type"] = [types, "null"]
    if isinstance(values, list) and None not in values:
        loose["enum"] = [*values, None]
    return loose


def _with_optional_body(schema: JsonObject, of_body: frozenset[str]) -> JsonObject:
    """Requires the properties of an optional body only in calls that have an argument beside the parameters.

    Undeclared arguments go into the body, too.
    """
    required = array_at(schema, "required")
    parameters: list[JsonValue] = [name for name in object_at(schema, "properties") if name not in of_body]
    without_body: JsonObject = {"propertyNames": {"enum": parameters}} if parameters else {"maxProperties": 0}
    return {
        **schema,
        "required": [name for name in required if name not in of_body],
        "if": without_body,
        "else": {"required": [name for name in required if name in of_body]},
    }


def _with_choice(node: JsonObject) -> JsonObject:
    """Adds the rule that an object needs one of several sets of names, if it describes all of them."""
    properties = object_at(node, "properties")
    description = text_at(node, "description")
    choice = read_choice(description) if len(properties) > 1 else None
    if choice is None or not all(name in properties for names in choice[0] for name in names):
        return node
    forms: list[JsonValue] = [{"type": "object", "required": list[JsonValue](names)} for names in choice[0]]
    if description.endswith(MAY_BE_NULL):
        forms.append({"type": "null"})
    return {**node, "oneOf" if choice[1] else "anyOf": forms}


def _with_pattern(node: JsonObject) -> JsonObject:
    """Adds the pattern that a text has only in words, because not every reader could compile it."""
    types = node.get("type")
    if "pattern" in node or not (types == "string" or (isinstance(types, list) and "string" in types)):
        return node
    pattern = told_pattern(text_at(node, "description"))
    return node if pattern is None else {**node, "pattern": pattern}


def _undeclared(arguments: JsonObject, declared: Iterable[str]) -> ArgumentError:
    unknown = next(name for name in arguments if name not in set(declared))
    names = list(declared)
    if not names:
        allowed = "the tool takes no arguments"
    else:
        more = ", …" if len(names) > MAX_NAMES else ""
        allowed = f"the arguments are {', '.join(names[:MAX_NAMES])}{more}"
    message = f"There is no argument `{unknown[:MAX_QUOTED_CHARS]}`; {allowed}."
    return ArgumentError(message, argument=unknown, pointer=f"/{_token(unknown)}")


def _explain_by(validator: _Validator, arguments: JsonObject) -> ArgumentError | None:
    """What is wrong, of many values at the beginning of each list; None if they are too many to say.

    The validator collects all that is wrong before the first of it can be read.
    """
    most = MAX_EXPLAINED // validator.alternatives
    if count_values(arguments, most) <= most:
        return _error(list(islice(validator.iter_errors(arguments), MAX_PROBLEMS + 1)))
    shortened = shorten_lists(arguments)
    if count_values(shortened, most) > most or validator.is_valid(shortened):
        return None
    problems = list(islice(validator.iter_errors(shortened), MAX_PROBLEMS + 1))
    is_of_cut = any(problem.kind.name == "minItems" for problem in problems)  # the list may be longer
    return None if is_of_cut else _error(problems)


def _too_many(wrong: Sequence[str]) -> ArgumentError:
    names = ", ".join(f"`{name[:MAX_QUOTED_CHARS]}`" for name in wrong[:MAX_PROBLEMS])
    message = (
        f"The arguments do not fit what the tool takes{f' ({names})' if names else ''}, and have too many "
        "values to say where. Call it with a few of them to see what is wrong."
    )
    return ArgumentError(message, argument=wrong[0] if wrong else None)


def _error(first: Sequence[jsonschema_rs.ValidationError]) -> ArgumentError:
    """`first`: at most one more than is told."""
    texts = [_sentence(problem) for problem in first[:MAX_PROBLEMS]]
    if len(first) > MAX_PROBLEMS:
        texts.append("There are more problems.")
    path = first[0].instance_path
    argument = path[0] if path else first[0].kind.as_dict().get("property")
    return ArgumentError(
        " ".join(texts),
        argument=str(argument) if argument is not None else None,
        pointer="".join(f"/{_token(step)}" for step in path),
    )


def _token(step: str | int) -> str:
    return str(step).replace("~", "~0").replace("/", "~1")


def _sentence(problem: jsonschema_rs.ValidationError) -> str:
    return f"{_place(problem.instance_path)} {_complaint(problem)}."


def _place(path: Iterable[str | int]) -> str:
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f".{step}" if name else step
    return f"`{name}`" if name else "The call"


def _complaint(problem: jsonschema_rs.ValidationError) -> str:
    """What is wrong with one value, and what would be right."""
    kind = problem.kind
    match kind:
        case jsonschema_rs.ValidationErrorKind.Required():
            return f"lacks the required `{kind.property}`"
        case jsonschema_rs.ValidationErrorKind.Type():
            types = sorted(kind.types, key="null".__eq__)
            return f"must be {' or '.join(types)}, not {_quoted_value(problem.instance)}"
        case jsonschema_rs.ValidationErrorKind.Enum():
            allowed = _listed(cast(list[JsonValue], kind.options))
            return f"must be one of {allowed}, not {_quoted_value(problem.instance)}"
        case jsonschema_rs.ValidationErrorKind.AnyOf() | jsonschema_rs.ValidationErrorKind.OneOfNotValid():
            return _fits_no_branch(problem, kind.context)
        case jsonschema_rs.ValidationErrorKind.OneOfMultipleValid():
            return "matches several of its allowed forms, but must match exactly one; leave something out"
        case jsonschema_rs.ValidationErrorKind.Pattern():
            return f"must match the pattern `{kind.pattern}`, but is {_quoted_value(problem.instance)}"
        case jsonschema_rs.ValidationErrorKind.AdditionalProperties():
            return f"has no {_listed(list[JsonValue](kind.unexpected))}; only the described keys are allowed"
        case _:
            return _bound(problem)


_BOUNDS = {
    "minimum": "must be at least",
    "maximum": "must be at most",
    "exclusiveMinimum": "must be greater than",
    "exclusiveMaximum": "must be less than",
    "multipleOf": "must be a multiple of",
    "minLength": "must have a length of at least",
    "maxLength": "must have a length of at most",
    "minItems": "must have at least this many items:",
    "maxItems": "must have at most this many items:",
    "minProperties": "must have at least this many keys:",
    "maxProperties": "must have at most this many keys:",
}


def _bound(problem: jsonschema_rs.ValidationError) -> str:
    text = _BOUNDS.get(problem.kind.name)
    if text is None:
        return f"is refused: {_clip(problem.message)}"
    return f"{text} {problem.kind.value}, but is {_quoted_value(problem.instance)}"


def _fits_no_branch(
    problem: jsonschema_rs.ValidationError, context: list[list[jsonschema_rs.ValidationError]]
) -> str:
    """The complaint of the branch that was probably meant, else one per branch.

    That is a branch of the value's type, preferably one whose fixed values (`kind: "circle"`) the value has.
    """
    path = problem.instance_path
    failed = [errors for errors in context if errors]
    plausible = [
        errors for errors in failed if errors[0].kind.name != "type" or errors[0].instance_path != path
    ]
    chosen = [
        errors for errors in plausible if all(error.kind.name != "enum" for error in errors)
    ] or plausible
    reasons = list(dict.fromkeys(_inner(errors[0], path) for errors in chosen or failed))
    if len(reasons) == 1:
        return f"is invalid: {reasons[0]}"
    listed = "; ".join(
        f"({number}) {reason}" for number, reason in enumerate(reasons[:MAX_BRANCHES], start=1)
    )
    return f"matches none of its allowed forms: {listed}"


def _inner(error: jsonschema_rs.ValidationError, path: list[str | int]) -> str:
    place = "it" if error.instance_path == path else _place(error.instance_path)
    return f"{place} {_complaint(error)}"


def _listed(values: list[JsonValue]) -> str:
    text = ""
    for value in values:
        more = value_text(value)
        if len(text) + len(more) > ALLOWED_CHARS:
            return f"{text}, … ({len(values)} values)" if text else f"{len(values)} values"
        text += f", {more}" if text else more
    return text


def _quoted_value(value: object) -> str:
    return _clip(json.dumps(value, ensure_ascii=False, default=str))


def _clip(text: str) -> str:
    return text if len(text) <= MAX_QUOTED_CHARS else text[: MAX_QUOTED_CHARS - 1] + "…"


def _kind(value: JsonValue) -> str:
    name = type_of(value)
    return name if name == "null" else f"an {name}" if name[0] in "aio" else f"a {name}"
