"""Rules of a schema that the advertised form has no keyword for, as sentences for the model.

Receives the part of a schema that states them (`not`, `if`, `contains`, `dependentSchemas`); gives sentences,
and the keywords that no short sentence can express. Simple conditions become words, others stay JSON Schema
in backticks, which models read. Knows nothing of references: a rule that contains one is left out.
"""

from collections.abc import Iterator

from toolserver.json_types import JsonObject, JsonValue, array_at, dump_json, object_at
from toolserver.schema.hints import clean_text, value_text
from toolserver.schema.keywords import ANNOTATIONS, read_types

RULES = ("not", "if", "contains", "dependentSchemas", "dependencies")
"""Keywords that are described here."""

RULE_CHARS = 300
"""Maximum characters of a condition shown as JSON; a longer one would rather confuse."""

_NOT_CONSTRAINING = ANNOTATIONS | {"description", "example", "$comment"}
_OUTCOMES = ("then", "else")
_OF_OBJECTS = frozenset({"type", "required", "properties"})


def describe_rules(schema: JsonObject) -> tuple[list[str], list[str]]:
    """One sentence for each rule of `schema`, and the keywords whose rules are lost."""
    sentences: list[str] = []
    lost: list[str] = []
    for keyword, sentence in _sentences(schema):
        if sentence is None:
            lost.append(keyword)
        elif sentence:
            sentences.append(sentence)
    return sentences, lost


def _sentences(schema: JsonObject) -> Iterator[tuple[str, str | None]]:
    if "not" in schema:
        yield "not", _filled("Not allowed: {}.", _condition(schema["not"]))
    if "if" in schema and ("then" in schema or "else" in schema):
        yield "if", _choice(schema)
    if "contains" in schema:
        yield "contains", _filled(_how_many(schema) + ": {}.", _condition(schema["contains"]))
    for keyword in ("dependentSchemas", "dependencies"):
        for name, needed in object_at(schema, keyword).items():
            # `dependencies` of older drafts holds schemas or lists of names.
            schema_needed: JsonValue = {"required": needed} if isinstance(needed, list) else needed
            yield keyword, _filled(f"If {_name(name)} is given: {{}}.", _condition(schema_needed))


def _choice(schema: JsonObject) -> str | None:
    condition = _condition(schema["if"])
    then, otherwise = ("" if _is_any(schema.get(key, True)) else _condition(schema[key]) for key in _OUTCOMES)
    if condition is None or then is None or otherwise is None:
        return None
    if not then and not otherwise:  # a rule that forbids nothing is not lost
        return ""
    if not then:
        return f"Unless {condition}, {otherwise}."
    return f"If {condition}, then {then}{'; otherwise ' if otherwise else ''}{otherwise}."


def _how_many(schema: JsonObject) -> str:
    least = schema.get("minContains", 1)
    most = schema.get("maxContains")
    count = f"at least {least}" if most is None else f"{least} to {most}"
    return f"Of the items, {count} must fit this"


def _filled(sentence: str, condition: str | None) -> str | None:
    return None if condition is None else sentence.format(condition)


def _name(name: str) -> str:
    return f"`{clean_text(name)}`"


def _condition(schema: JsonValue) -> str | None:
    """When a value meets `schema`: "`kind` is card and `number` is given"; None when that is too long."""
    if not isinstance(schema, dict):
        return None
    constraints = schema.keys() - _NOT_CONSTRAINING
    if (
        not constraints <= _OF_OBJECTS
        or not constraints & {"required", "properties"}
        or schema.get("type") == "array"
    ):
        predicate = _predicate(schema)
        return predicate and f"the value {predicate}"
    required = [name for name in array_at(schema, "required") if isinstance(name, str)]
    properties = {
        name: inner for name, inner in object_at(schema, "properties").items() if not _is_any(inner)
    }
    sentences: list[str] = []
    for name, inner in properties.items():
        predicate = _predicate(inner)
        if predicate is None:  # half a condition would be another rule
            return None
        sentences.append(f"{_name(name)}{'' if name in required else ', if given,'} {predicate}")
    sentences += [f"{_name(name)} is given" for name in required if name not in properties]
    text = " and ".join(sentences)
    return text if sentences and len(text) <= RULE_CHARS else None


def _is_any(schema: JsonValue) -> bool:
    return schema is True or (isinstance(schema, dict) and not schema.keys() - _NOT_CONSTRAINING)


def _predicate(schema: JsonValue) -> str | None:
    """What is true of a value that meets `schema`: "is a or b", "is null", "fits `{…}`"."""
    if not isinstance(schema, dict) or _is_any(schema):
        return "is not there" if schema is False else None
    constraints = schema.keys() - _NOT_CONSTRAINING
    if constraints and constraints <= {"const", "enum", "type"}:
        values = [schema["const"]] if "const" in schema else array_at(schema, "enum")
        values_text = [value_text(value) for value in values] or list(read_types(schema.get("type")) or ())
        text = f"is {' or '.join(values_text)}"
        return text if values_text and len(text) <= RULE_CHARS else None
    rule = {key: value for key, value in schema.items() if key in constraints and not key.startswith("x-")}
    text = dump_json(rule).decode()
    # A model cannot see what a reference leads to.
    return None if len(text) > RULE_CHARS or '"$ref"' in text else f"fits `{clean_text(text)}`"
