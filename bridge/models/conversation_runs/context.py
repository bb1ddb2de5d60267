"""Everything that is known of a run before it starts: what it is to continue, and what it is run with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bridge.calls.request import Asker
from bridge.models.agent.items import ModelCall
from bridge.models.agent.toolbox import Toolbox
from bridge.models.agent.turn import Turn
from bridge.models.conversations.attachments import number_attachments
from bridge.models.conversations.conversation import Conversation, Message
from bridge.models.conversations.window import Window, build_history, select_window
from bridge.models.providers.listed_models import ModelEntry


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A run that continues from the end of a branch."""

    conversation: Conversation
    entry: ModelEntry
    known: Sequence[Message]
    """All messages before the run."""
    added: Sequence[Message]
    """Messages that the run starts with."""
    path: Sequence[Message]
    """The branch, including the added messages."""
    asker: Asker
    """Who started the run."""
    repeated: ModelCall | None = None
    """A call of the last message that is repeated before the model is asked."""
    rounds_before: int = 0
    """Number of rounds that the run has had at earlier homes."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A call that is repeated, in a branch of its own."""

    call: ModelCall
    outputs: Sequence[Message]
    """Current outputs of all calls of its round."""
    toolbox: Toolbox


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run, as all who take part in it receive it. Built by `Planner.plan_run`."""

    conversation: Conversation
    """The conversation as it was stored when the run began."""
    known: Sequence[Message]
    """All messages when the run began, including those added for it."""
    added: Sequence[Message]
    """Messages that the run starts with."""
    path: Sequence[Message]
    """The branch, including the added messages."""
    window: Window
    """Window of the branch that the model is sent first."""
    turn: Turn
    retry: Retry | None = None
    """A call to repeat before the model is asked."""

    @property
    def run_id(self) -> str:
        """Id of the run, which is also that of its turn."""
        return self.turn.request.turn_id

    @property
    def head(self) -> Message:
        """The message that the run answers."""
        return self.path[-1]

    def continue_from(self, outputs: Sequence[Message]) -> Turn:
        """Build the turn that continues from new outputs of a call at the end of the branch."""
        window = window_of(self.conversation, [*self.path, *outputs])
        files = number_attachments(self.path)
        history = build_history(self.conversation.user_id, window.messages, files)
        return replace(self.turn, request=replace(self.turn.request, history=history))


def window_of(conversation: Conversation, path: Sequence[Message]) -> Window:
    """Select what a model is sent of a branch, as the conversation's settings say."""
    settings = conversation.settings
    return select_window(path, max_messages=settings.max_messages, max_tokens=settings.max_tokens)
