"""What may stand at one place of a body or parameter: a `Shape`, one level deep.

The value only: `schema_parts` fills one keyword by keyword, `schema_reading` merges references and `allOf`
into one. Schemas below it are still the document's.
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
    """What may stand at one place of a body or parameter.

    Most shapes have few of these: what is not there is one value for all shapes, never changed in place.
    """

    types: tuple[str, ...] | None = None
    """Without "null"; None when nothing tells the type."""
    nullable: bool = False
    only_null: bool = False
    description: str = ""
    keywords: JsonObject
    enum: list[JsonValue] | None = None
    properties: JsonObject
    required: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    """Properties that a caller does not send: read-only ones and those that may never stand there."""
    additional: tuple[JsonValue, ...] = ()
    """`additionalProperties` of each part that speaks of properties; None where the part does not state
    it."""
    closed: bool = False
    """`unevaluatedProperties: false`: nothing but the named properties."""
    partly_told: bool = False
    """Rules in words, or alternatives left out, may name further properties: then nothing is closed."""
    patterns: JsonObject | None = None
    """`patternProperties`."""
    key_schema: JsonValue = None
    """`propertyNames`."""
    needs: Mapping[str, tuple[str, ...]] | None = None
    """`dependentRequired`: names that have to be there when another one is."""
    items: JsonValue = None
    prefix_items: list[JsonValue] | None = None
    alternatives: tuple[Alternatives, ...] = ()
    """At most one after reading; it has two branches or more."""
    discriminator: JsonObject | None = None
    """What tells the alternatives apart."""
    refs: tuple[str, ...] = ()
    """References merged into this shape, in order."""
    notes: tuple[str, ...] = ()
    """Rules that no keyword of the advertised form can carry, as sentences for the model."""
    problems: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.keywords = {}
        self.properties = {}

    def additional_schema(self) -> JsonValue:
        """The rule for further keys: a schema, True, False, or None when nothing is stated.

        Parts of an `allOf` each forbid the keys of the others if read to the letter; they forbid only
        together here.
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
        return self.closed and not self.partly_told

    def required_names(self) -> list[str]:
        """Names a caller has to send."""
        return [name for name in self.required if name not in self.hidden]

    def add_note(self, sentence: str) -> None:
        """Adds to `notes`, once and within the length of a list of values."""
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

        Made once, when all parts are read: what is flattened goes by identity.
        """
        schema: JsonObject = {key: value for key, value in self.keywords.items() if key not in ANNOTATIONS}
        additional = self.additional_schema()
        closed = additional is False and self._is_closed()  # to be told again, with each branch's properties
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
