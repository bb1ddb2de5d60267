"""What everything that asks models on its own shares: the models, how their turns run, who owns the tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bridge.agent.turn import TurnSettings
from bridge.providers.directory import ModelBook, ModelEntry
from bridge.tasks import Tasks


@dataclass(frozen=True, slots=True)
class ModelDesk:
    """For responses and conversations."""

    models: ModelBook
    settings_of: Callable[[ModelEntry], TurnSettings]
    """How turns of a model run, as the settings say now."""
    tasks: Tasks
