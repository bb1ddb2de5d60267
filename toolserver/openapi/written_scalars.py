"""Carries how scalars were written from the files of a document into the one text that they are bundled to.

JSON cannot write `08` or `TRUE` as YAML does. Receives values whose objects and arrays keep such texts; gives
these as an object of the same form, which JSON can write, and puts them back where it is read.
"""

from toolserver.json_types import JsonObject, JsonValue, WrittenArray, WrittenObject

TEXTS_FIELD = "x-as-written"
"""Field of the root in which `bundle` keeps them; a value that is no number, boolean or null has none."""


def list_texts(value: JsonValue) -> JsonObject:
    """The texts in `value`: by key or index, each the text of a scalar or what is below it."""
    found: JsonObject = {}
    if isinstance(value, WrittenObject):
        found |= value.texts
        members = list(value.items())
    elif isinstance(value, WrittenArray):
        found |= {str(index): text for index, text in value.texts.items()}
        members = [(str(index), item) for index, item in enumerate(value)]
    else:
        return found
    found |= {key: below for key, member in members if (below := list_texts(member))}
    return found


def restore_texts(value: JsonValue, texts: JsonValue) -> JsonValue:
    """`value` with these texts; what does not fit it is passed over."""
    if not isinstance(texts, dict):
        return value
    if isinstance(value, dict):
        own: dict[str, str] = {}
        for key, text in texts.items():
            if isinstance(text, str) and _has_text(value.get(key, "")):
                own[key] = text
            elif key in value:
                value[key] = restore_texts(value[key], text)
        return WrittenObject(value, own)
    if isinstance(value, list):
        of_items: dict[int, str] = {}
        for index, item in enumerate(value):
            text = texts.get(str(index))
            if isinstance(text, str) and _has_text(item):
                of_items[index] = text
            else:
                value[index] = restore_texts(item, text)
        return WrittenArray(value, of_items)
    return value


def _has_text(value: JsonValue) -> bool:
    return value is None or isinstance(value, bool | int | float)
