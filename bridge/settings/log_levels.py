"""Levels of the log, and the names that other programs have for them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BeforeValidator

LogLevel: TypeAlias = Literal["debug", "info", "warning", "error"]

_NEAREST = {"trace": "debug", "warn": "warning", "critical": "error", "fatal": "error"}
"""The bridge logs nothing below debug, and nothing above error."""


def nearest_level(name: str) -> str:
    """Return the level of the bridge that a name in any case means; a name that means none as it is."""
    lowered = name.strip().lower()
    return _NEAREST.get(lowered, lowered)


def _nearest_of(value: object) -> object:
    return nearest_level(value) if isinstance(value, str) else value


NearestLevel = BeforeValidator(_nearest_of)
"""Accepts a level in capitals, and what base images and other programs call it."""
