"""What is wrong with a file of settings, and what a key that is not known there may mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from bridge.close_names import suggest


def first_mistake(error: ValidationError) -> ErrorDetails:
    """Return the first mistake in a file; a key that is not known may be why another one is missing."""
    mistakes = error.errors(include_input=False, include_url=False, include_context=False)
    return next((each for each in mistakes if each["type"] == "extra_forbidden"), mistakes[0])


def suggest_key(root: type[BaseModel], place: Sequence[str | int]) -> str:
    """Return what `suggest` does for the last key of a place in a file whose content is a `root`."""
    model: type[BaseModel] | None = root
    for part in place[:-1]:
        if model is not None and part in model.model_fields:
            model = next(_models_in(model.model_fields[str(part)].annotation), None)
    return "" if model is None else suggest(str(place[-1]), model.model_fields)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
