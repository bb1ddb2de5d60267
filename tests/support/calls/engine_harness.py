"""An engine with a registry, a dispatcher and pages that answer at once, all in memory."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bridge.browser_protocol import Accepted, Result
from bridge.calls.admission import AdmissionControl
from bridge.calls.call_ids import CallIds
from bridge.calls.call_watch import CallObservers
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.engine import Engine
from bridge.calls.open_call import OpenCall, Page
from bridge.calls.outcome import CallOutcome
from bridge.calls.reading import Reading
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.calls.request import CallContext, RepeatKey, ToolCall
from bridge.catalog.registry import Registry
from bridge.catalog.server_view import LoadedServer
from bridge.settings.limits import Number
from bridge.tasks import Tasks
from tests.support.calls.fake_browser import FakeBrowser, FakeDecisions, FakeJournal, FakeRepeatJournal, page
from tests.support.calls.memory_approvals import approve_everything
from tests.support.calls.memory_limits import controls
from tests.support.stores.memory_server_store import InlineCompiler, MemoryListingStore, MemoryServerStore
from toolserver.answer.result import TextBody
from toolserver.json_types import JsonObject

Answer = Callable[[OpenCall], dict[str, Any] | None]


def answer_ok(_call: OpenCall) -> dict[str, Any]:
    """An answer that serves every call."""
    return json_body('{"ok": 1}')


def json_body(text: str) -> dict[str, Any]:
    """The outcome that a page reports of a JSON answer."""
    body = {"kind": "text", "text": text}
    return {"status": "answered", "http_status": 200, "content_type": "application/json", "body": body}


@dataclass
class FakePages(FakeBrowser):
    """Every user has a page, which answers each call at once, or never where there is no answer."""

    listener: Dispatcher | None = None
    answer: Answer = answer_ok
    is_open: bool = True

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        return page(f"page of {user_id}") if self.is_open else None

    async def send_call(self, call: OpenCall) -> None:
        await super().send_call(call)
        assert self.listener is not None
        assert call.sid is not None
        self.listener.accept_call(call.sid, Accepted(call_id=call.call_id))
        if (outcome := self.answer(call)) is not None:
            self.report(call, outcome)

    def report(self, call: OpenCall, outcome: dict[str, Any]) -> None:
        """Say how a call ended."""
        assert self.listener is not None
        assert call.sid is not None
        result = Result.model_validate({"call_id": call.call_id, "outcome": outcome})
        self.listener.take_report(call.user_id, call.sid, result)


@dataclass
class FakeAnswerStore:
    """Remembers what it was asked for."""

    asked: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    fitted: list[CallOutcome] = field(default_factory=list[CallOutcome])

    readings: list[Reading] = field(default_factory=list[Reading])

    async def fit_answer(self, user_id: str, outcome: CallOutcome, reading: Reading) -> CallOutcome:
        self.fitted.append(outcome)
        self.readings.append(reading)
        return outcome

    async def select_stored(self, user_id: str, call_id: str, reading: Reading) -> bytes:
        self.readings.append(reading)
        return b'{"selected":[1.10]}'

    async def read_page(
        self, user_id: str, call_id: str, offset: int, max_bytes: int | None = None
    ) -> JsonObject:
        self.asked.append((user_id, call_id, offset))
        return {"text": "rest", "offset": offset, "total": 12}


class EngineHarness:
    """An engine with what is around it, for the user ann."""

    def __init__(self, store: MemoryServerStore | None = None, **limits: Number) -> None:
        async def on_change(_user_id: str | None) -> None:
            """Nobody listens."""

        def on_load(_server: LoadedServer) -> None:
            """Nothing waits."""

        self.registry = Registry(
            store or MemoryServerStore(),
            InlineCompiler(),
            MemoryListingStore(),
            operator_id="op",
            tasks=Tasks(),
            on_change=on_change,
            on_load=on_load,
        )
        self.pages = FakePages()
        self.answer_store = FakeAnswerStore()
        repeats = RepeatedCalls(FakeRepeatJournal(), b"secret")
        dispatcher = Dispatcher(
            self.pages,
            FakeJournal(),
            FakeDecisions(),
            CallIds(b"secret"),
            no_browser_message="none",
            observers=CallObservers(of_followed=[repeats.note_move]),
        )
        self.pages.listener = dispatcher
        self.controls = controls(**limits)
        self.approvals = approve_everything()
        self.engine = Engine(
            self.registry,
            self.approvals,
            AdmissionControl(self.controls),
            dispatcher,
            self.answer_store,
            repeats=repeats,
        )

    async def add(self, text: str, *, accepted: bool = True) -> None:
        server = await self.registry.add_server("ann", text, source_url=None)
        if accepted:
            await self.accept(server)

    async def share(self, text: str, *, named: str) -> None:
        """Offer a document to every user, and accept it for ann."""
        await self.accept(await self.registry.share_document(named, text, source_url=None))

    async def accept(self, server: LoadedServer) -> None:
        """Ann accepts every operation."""
        digests = {op.key: op.digest for op in server.compiled.operations}
        await self.registry.accept_operations("ann", server.record.id, digests)

    async def call(
        self, tool: str, arguments: object, *, server: str | None = None, repeat: RepeatKey | None = None
    ) -> CallOutcome:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        return await self.engine.call_tool(
            ToolCall(CallContext("ann"), tool, text, server_id=server, repeat=repeat)
        )

    async def read(self, tool: str, arguments: object, *, server: str | None = None) -> Any:
        """The JSON that the tool answers."""
        outcome = await self.call(tool, arguments, server=server)
        assert outcome.answered is not None
        assert isinstance(outcome.answered.body, TextBody)
        return json.loads(outcome.answered.body.text)
