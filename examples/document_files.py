"""The sample documents: their names, their text and their content."""

import json
from functools import cache
from pathlib import Path
from typing import TypeAlias, cast

import yaml

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]

_FOLDER = Path(__file__).parent / "documents"

DOCUMENT_NAMES: tuple[str, ...] = tuple(
    sorted(path.name for path in _FOLDER.iterdir() if path.suffix in {".json", ".yaml"})
)
"""File names, for example `shop.json`."""


def read_document_text(name: str) -> str:
    """The file as it is.

    Raises:
        KeyError: no document has this name.
    """
    if name not in DOCUMENT_NAMES:
        raise KeyError(name)
    return (_FOLDER / name).read_text(encoding="utf-8")


@cache
def load_document(name: str) -> JsonObject:
    """The document as a value; the same object every time, so do not change it.

    Raises:
        KeyError: no document has this name.
    """
    text = read_document_text(name)
    loaded: object = json.loads(text) if name.endswith(".json") else yaml.load(text, yaml.CSafeLoader)
    return cast(JsonObject, loaded)
