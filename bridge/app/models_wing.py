"""The wing of the models: its parts, which a bridge without models neither makes nor imports."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.app.part import Ground, Observers, Part
from bridge.app.parts.accounts import AccountsPart
from bridge.app.parts.calls import CallsPart
from bridge.app.parts.conversations import ConversationsPart
from bridge.app.parts.models import ModelsPart
from bridge.app.parts.records import RecordsPart
from bridge.app.parts.responses import ResponsesPart
from bridge.browsers.connected_pages import ConnectedPages
from bridge.calls.admission import Controls
from bridge.calls.call_watch import CallWatch
from bridge.metrics.metric_definitions import TurnInstruments
from bridge.models.agent.turn_stages import TurnEndObserver
from bridge.models.conversation_runs.locks import ConversationLocks
from bridge.tracing.tracer import Tracer


class ModelsWing(Part):
    """What knows models: it observes calls, and has parts that `make_parts` makes once there are calls."""

    models: ModelsPart
    responses: ResponsesPart
    conversations: ConversationsPart

    def __init__(self, ground: Ground) -> None:
        self.parts: Sequence[Part] = ()
        """In order; empty until `make_parts`."""
        self._ground = ground
        self._turn_calls = CallWatch()
        self._run_locks = ConversationLocks()

    def list_observers(self) -> Observers:
        """Return what follows the calls of turns."""
        return Observers(followed_calls=[self._turn_calls.note_move, self._run_locks.forward_call])

    def make_parts(
        self,
        accounts: AccountsPart,
        controls: Controls,
        calls: CallsPart,
        records: RecordsPart,
        *,
        pages: ConnectedPages,
        instruments: TurnInstruments,
        on_end: Sequence[TurnEndObserver],
        tracer: Tracer | None,
    ) -> None:
        """Make the parts, in order; `on_end` is called with ends of turns."""
        hold_work, journal = accounts.access.hold_while, records.journal
        self.models = ModelsPart(
            self._ground,
            accounts,
            controls,
            calls,
            pages,
            instruments=instruments,
            watch=self._turn_calls,
            on_end=on_end,
            tracer=tracer,
        )
        self.responses = ResponsesPart(self._ground, self.models, journal, pages.count_pages, hold_work)
        self.conversations = ConversationsPart(
            self._ground, self.models, journal, calls.registry, self._run_locks, hold_work=hold_work
        )
        self.parts = [self.models, self.responses, self.conversations]
