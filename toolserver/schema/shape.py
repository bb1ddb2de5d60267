"""What may occur in one place of a body or parameter: a `Shape`, one level deep.

The value only: `parts` fills one keyword by keyword, `read` merges references and `allOf` into one. Schemas
below it are still the document's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.hints import ENUM_CHARS, clean_text
from toolserver.schema.keywords import ANNOTATIONS


@dataclass(slots=True)
class Alternatives:
    """The branches of one `anyOf` (any may hold) or `oneOf` (`exclusive`)."""

    branches: list[JsonValue]
    exclusive: bool


class Shape:
    """What may occur in one place of a body or parameter.

    Most shapes set few of these fields: absent values are shared by all shapes and never changed in place.
    """

    types: tuple[str, ...] | None = None
    """Types without "null"; None when nothing determines the type."""
    nullable: bool = False
    only_null: bool = False
    description: str = ""
    keywords: JsonObject
    default_text: str | None = None
    """The default as it was written, where JSON writes its value in another way."""
    enum: list[JsonValue] | None = None
    """Until types are settled it may hold null, values of other types, and how they were written."""
    properties: JsonObject
    required: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    """Properties that a caller does not send: read-only ones and those that may never occur."""
    withheld: frozenset[str] = frozenset()
    """Those of `hidden` that an edit keeps from callers."""
    additional: tuple[JsonValue, ...] = ()
    """The `additionalProperties` of each part that describes properties; None where the part does not state
    it."""
    closed: bool = False
    """Whether `unevaluatedProperties` is false: only the named properties are allowed."""
    is_incomplete: bool = False
    """Whether rules in words, or alternatives left out, may name further properties: then nothing is
    closed."""
    patterns: JsonObject | None = None
    """`patternProperties`."""
    key_schema: JsonValue = None
    """`propertyNames`."""
    needs: Mapping[str, tuple[str, ...]] | None = None
    """`dependentRequired`: names that are required when another one is present."""
    items: JsonValue = None
    prefix_items: list[JsonValue] | None = None
    alternatives: tuple[Alternatives, ...] = ()
    """At most one after reading, with at least two branches."""
    discriminator: JsonObject | None = None
    """What distinguishes the alternatives."""
    refs: tuple[str, ...] = ()
    """References merged into this shape, in order."""
    notes: tuple[str, ...] = ()
    """Rules that no keyword of the advertised form can express, as sentences for the model."""
    problems: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.keywords = {}
        self.properties = {}

    def additional_schema(self) -> JsonValue:
        """The rule for further keys: a schema, True, False, or None when nothing is stated.

        Read to the letter, the parts of an `allOf` each forbid the keys of the others; here they forbid only
        together.
        """
        if not self.additional or self.additional == (None,):
            return False if self._is_closed() else None
        for stated in self.additional:
            if isinstance(stated, dict) and stated:
                return stated
        if any(stated is True or stated == {} for stated in self.additional):
            return True
        if self._is_closed() or all(stated is False for stated in self.additional):
            return False
        return None

    def _is_closed(self) -> bool:
        return self.closed and not self.is_incomplete

    def required_names(self) -> list[str]:
        """The names that a caller has to send."""
        return [name for name in self.required if name not in self.hidden]

    def add_note(self, sentence: str) -> None:
        """Adds a sentence to `notes`, once and within the maximum length of a list of values."""
        sentence = clean_text(sentence, ENUM_CHARS)
        if sentence and sentence not in self.notes:
            self.notes += (sentence,)

    def needed_names(self) -> JsonObject:
        """`dependentRequired` without names that a caller does not send."""
        return {
            name: [each for each in needed if each not in self.hidden]
            for name, needed in (self.needs or {}).items()
            if name not in self.hidden
        }

    @cached_property
    def as_schema(self) -> JsonObject:
        """The shape without texts and alternatives as one schema; {} when nothing is left.

        Built once, when all parts are read, because flattened schemas are cached by identity.
        """
        schema: JsonObject = {key: value for key, value in self.keywords.items() if key not in ANNOTATIONS}
        additional = self.additional_schema()
        closed = additional is False and self._is_closed()  # to be repeated with each branch's properties
        stated: JsonObject = {
            "type": list(self.types) if self.types is not None else None,
            "enum": self.enum,
            "properties": self.properties or None,
            "required": list[JsonValue](self.required_names()) or None,
            "additionalProperties": None if closed else additional,
            "unevaluatedProperties": False if closed else None,
            "patternProperties": self.patterns,
            "propertyNames": self.key_schema,
            "dependentRequired": self.needed_names() or None,
            "items": self.items,
            "prefixItems": self.prefix_items,
        }
        return schema | {key: value for key, value in stated.items() if value is not None}
