"""The scripted provider's side of Anthropic's Messages API, judged by the types of its client.

Importing those takes a second, so that only tests that speak Messages import this module.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from tests.support.models import messages_answers, messages_check
from tests.support.models.model_answers import Answer
from tests.support.models.scripted_provider import Thought


class _Judged:
    """See `scripted_provider.MessagesSide`."""

    def frames(self, answer: Answer, number: int, model: str) -> list[bytes]:
        return messages_answers.messages_frames(answer, number, model)

    def thinking_in(self, frames: Iterable[bytes]) -> Thought:
        return messages_answers.thinking_in(frames)

    def find_refusal(self, body: dict[str, Any], thought: Sequence[Thought]) -> str | None:
        return messages_check.find_refusal(body, thought)


MESSAGES = _Judged()
"""For `scripted_provider`."""
