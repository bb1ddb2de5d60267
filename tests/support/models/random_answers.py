"""Answers of a model for stories: up to two rounds with calls, and a text."""

import random
from collections.abc import Sequence
from typing import Any, TypeAlias

from tests.support.models.model_answers import Answer, calls, reasoning, text

PossibleCall: TypeAlias = tuple[str, dict[str, Any]]


def random_rounds(source: random.Random, possible: Sequence[PossibleCall], words: str) -> list[Answer]:
    """The rounds of one answer, which ends with these words; each round calls some of what is possible."""
    rounds: list[Answer] = []
    for _ in range(source.randint(0, 2)):
        chosen = calls(*(source.choice(possible) for _ in range(source.randint(1, 3))))
        before = source.choice([None, text("Let me look."), reasoning("Hm.")])
        rounds.append(before + chosen if before else chosen)
    return [*rounds, text(words)]
