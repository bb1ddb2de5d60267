"""Histories of MCP clients whose streams break: they send calls again, and sometimes mean two equal ones.

Some name what they mean by idempotency keys, which must then tell even equal calls of one moment apart.

The dispatcher and the decision about repeated calls are real; the page, the API and the journal are doubles
on a virtual clock. The judge knows two promises: no call is doubled, and none is swallowed.
"""

import asyncio
import random
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

from bridge.browser_protocol import Accepted, Result
from bridge.calls.call_ids import CallIds
from bridge.calls.call_watch import CallObservers
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.limits.settings import Deadline
from bridge.calls.open_call import OpenCall, Page
from bridge.calls.outcome import CallOutcome
from bridge.calls.ports import RecordedCall
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.calls.request import CallContext, CallRequest, RepeatIdentity, RepeatKey
from bridge.calls.state_machine import CallState
from bridge.errors import ErrorCode, WireError
from tests.faults.virtual_time import run_virtually
from tests.support.calls.dispatcher_harness import FreeSlot
from tests.support.calls.fake_browser import FakeBrowser, FakeDecisions, FakeJournal, page

Break = Literal["never", "while it waits or runs", "before the answer is written", "after the last byte"]

COMMIT_S = 1.0
"""Later than this a note is in the database; a killed bridge takes younger ones along."""

END_S = 500.0
"""Everything has ended then, and nothing is ten minutes old."""


@dataclass
class Sent:
    """What the journal, the API and the judge know of one call."""

    call: OpenCall
    opened_at: float
    performed: int = 0
    heard: bool | None = None
    """As the database has it."""
    is_heard: bool = False
    """As the running bridge has it."""

    @property
    def outcome(self) -> CallOutcome | None:
        return self.call.outcome

    @property
    def identity(self) -> RepeatIdentity:
        assert self.call.request.repeat is not None
        return self.call.request.repeat

    def recorded(self, outcome: CallOutcome) -> RecordedCall:
        """As the journal reads it, which stores no answers."""
        return RecordedCall(
            "ann",
            self.identity.caller,
            self.identity.digest,
            opened_at=self.opened_at,
            outcome=outcome.without_text(),
            heard=self.heard or False,
            heard_at=self.call.current_time(),
        )


@dataclass
class Intent:
    """A call that a client means, however often it sends it."""

    value: str
    key: str | None = None
    """Its idempotency key, if its client uses them."""
    requests: int = 0
    ending: CallOutcome | None = None
    heard_at: float = 0.0


@dataclass
class History:
    """One history, and what was wrong with it."""

    seed: int
    trace: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    intents: list[Intent] = field(default_factory=list[Intent])
    repeated: int = 0
    joined: int = 0
    joined_by_key: int = 0
    kills: int = 0


class ApiPage(FakeBrowser):
    """A page that performs what it is sent, sometimes late, never, or with no proof of what happened."""

    def __init__(self, world: "World") -> None:
        super().__init__()
        self._world = world

    async def page_for(self, user_id: str, origin: str, server_id: str) -> Page | None:
        return None if self._world.chance.random() < 0.1 else page("page")

    async def send_call(self, call: OpenCall) -> None:
        world, bridge = self._world, self._world.bridge
        bridge.dispatcher.accept_call("page", Accepted(call_id=call.call_id))
        world.start(self._perform(call, bridge))

    async def _perform(self, call: OpenCall, bridge: "BridgeWithRepeats") -> None:
        world = self._world
        await asyncio.sleep(world.chance.choice((0.0, 0.1, 1.0)) * world.chance.random())
        world.sent[call.call_id].performed += 1
        world.note(f"API: {call.call_id[-6:]} performed")
        await asyncio.sleep(world.chance.choice((0.0, 0.5, 5.0)) * world.chance.random())
        outcome = {
            "status": "answered",
            "http_status": world.chance.choice((200, 200, 200, 500)),
            "content_type": "text/plain",
            "body": {"kind": "text", "text": call.call_id},
        }
        if world.chance.random() < 0.15:
            error = {"code": "network", "message": "It broke."}
            outcome = {"status": "failed", "error": error, "delivered": "unknown"}
        result = Result.model_validate({"call_id": call.call_id, "outcome": outcome})
        bridge.dispatcher.take_report("ann", "page", result)


class DeliveryNotes:
    """The journal's notes of deliveries, which reach the database a while later."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self.is_dead = False

    def record_delivery(self, user_id: str, call_id: str, *, heard: bool) -> None:
        self._world.sent[call_id].is_heard = heard
        self._world.later(COMMIT_S, lambda: self._write(call_id, heard=heard))

    def _write(self, call_id: str, *, heard: bool) -> None:
        if not self.is_dead:
            self._world.sent[call_id].heard = heard

    async def find_keyed(
        self, user_id: str, caller: str, key_digest: str, *, within_s: float
    ) -> RecordedCall | None:
        for sent in self._world.sent.values():
            if sent.identity.key_digest == key_digest and sent.outcome is not None:
                return sent.recorded(sent.outcome)
        return None


class BridgeWithRepeats:
    """One process of the bridge, from the request of a client to the page."""

    def __init__(self, world: "World", repeats: type[RepeatedCalls]) -> None:
        self.notes = DeliveryNotes(world)
        self.repeats = repeats(self.notes, b"secret", now=asyncio.get_running_loop().time)
        self.dispatcher = Dispatcher(
            ApiPage(world),
            FakeJournal(),
            FakeDecisions(),
            CallIds(b"secret"),
            no_browser_message="Open it.",
            observers=CallObservers([world.note_move], [self.repeats.note_move]),
        )
        self.requests: set[asyncio.Task[Any]] = set()
        self.is_dead = False

    async def call(self, intent: Intent, request_id: str) -> CallOutcome:
        request = CallRequest(
            CallContext("ann"),
            tool_name="t",
            server_id="s",
            operation_key="POST /t",
            operation_digest="d",
            origin="",
            safe=False,
            arguments_text=f'{{"value": "{intent.value}"}}',
        )
        repeat = RepeatKey("key", request_id, intent.key)
        return await self.repeats.run_once(request, repeat, self._dispatch)

    async def _dispatch(self, request: CallRequest) -> CallOutcome:
        return await self.dispatcher.dispatch_call(request, FreeSlot(Deadline(60.0, "call")))


class World:
    """Clients, their bridge, and what is remembered of everything."""

    def __init__(self, seed: int, repeats: type[RepeatedCalls]) -> None:
        self.history = History(seed)
        self.chance = random.Random(seed)
        self.sent: dict[str, Sent] = {}
        self._repeats = repeats
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._requests = 0
        self.bridge = BridgeWithRepeats(self, repeats)

    def note(self, text: str) -> None:
        self.history.trace.append(f"{self._loop.time():9.4f}  {text}")

    def later(self, delay: float, action: Any) -> None:
        self._loop.call_later(delay, action)

    def start(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def note_move(self, call: OpenCall) -> None:
        if call.call_id not in self.sent:
            self.sent[call.call_id] = Sent(call, self._loop.time())

    # The course of things

    async def play(self) -> History:
        uses_keys = self.chance.choice((0.0, 0.0, 0.5, 1.0))
        for number in range(self.chance.randint(1, 5)):
            key = f"k{number}" if self.chance.random() < uses_keys else None
            intent = Intent(self.chance.choice("aab"), key)
            self.history.intents.append(intent)
            is_modern = self.chance.random() < 0.6
            begins = self.chance.choice((0.0, self.chance.random(), self.chance.random() * 10))
            self.start(self._mean(intent, begins, is_modern=is_modern))
        if self.chance.random() < 0.4:
            self.later(self.chance.random() * 12, self._kill)
        await asyncio.sleep(END_S)
        self._judge()
        for task in [*self._tasks, *self.bridge.requests]:
            task.cancel()
        await asyncio.sleep(0)
        return self.history

    async def _mean(self, intent: Intent, begins: float, *, is_modern: bool) -> None:
        """Send a call until its answer is heard, each time as a new request."""
        await asyncio.sleep(begins)
        while intent.ending is None:
            intent.requests += 1
            if intent.requests < 4:
                breaks = self.chance.choice(
                    ("never", "while it waits or runs", "before the answer is written", "after the last byte")
                )
            else:
                breaks = "never"
            await self._send(intent, breaks, is_modern=is_modern)
            await asyncio.sleep(self.chance.choice((0.0, 0.2, 3.0)) * self.chance.random())

    async def _send(self, intent: Intent, breaks: Break, *, is_modern: bool) -> None:
        """Send a request; returns when its answer was heard, or its client knows that its stream is gone."""
        bridge = self.bridge
        while bridge.is_dead:
            await asyncio.sleep(0.1)
            bridge = self.bridge
        self._requests += 1
        request_id = f"r{self._requests}"
        self.note(f"client: {request_id} for {intent.value!r}, stream breaks {breaks}")
        running = self._loop.create_task(bridge.call(intent, request_id))
        bridge.requests.add(running)
        patience = self.chance.choice((0.0, 0.5, 3.0)) * self.chance.random()
        await asyncio.wait({running}, timeout=patience if breaks == "while it waits or runs" else None)
        if not bridge.is_dead and running.done() and breaks not in ("before the answer is written",):
            await self._write(intent, bridge, request_id, running)
            return
        self.note(f"client: the stream of {request_id} is gone")
        lag = self.chance.choice((0.0, 0.0, 2.0)) * self.chance.random()
        self.later(lag, lambda: self._notice(bridge, request_id, running, is_modern=is_modern))

    async def _write(
        self, intent: Intent, bridge: BridgeWithRepeats, request_id: str, running: "asyncio.Task[CallOutcome]"
    ) -> None:
        """Write the answer to its last byte; a stream that breaks after that has done its work."""
        if running.cancelled():
            return
        await asyncio.sleep(0.01)
        if bridge.is_dead:
            return
        outcome = running.result()
        if outcome.joined_call_id and intent.key is not None:
            self.history.joined_by_key += 1
        elif outcome.joined_call_id:
            self._judge_join(outcome.joined_call_id, intent.value)
        bridge.repeats.note_delivery(request_id, heard=True)
        intent.ending, intent.heard_at = outcome, self._loop.time()
        self.note(f"client: {request_id} heard {outcome.state} of {outcome.call_id[-6:]}")

    def _notice(
        self,
        bridge: BridgeWithRepeats,
        request_id: str,
        running: "asyncio.Task[CallOutcome]",
        *,
        is_modern: bool,
    ) -> None:
        if not bridge.is_dead:
            self.note(f"bridge: notices that the stream of {request_id} is gone")
            bridge.repeats.note_delivery(request_id, heard=False)
            if is_modern:
                running.cancel()

    def _kill(self) -> None:
        self.note("FAULT: the bridge is killed")
        self.history.kills += 1
        self.bridge.is_dead = self.bridge.notes.is_dead = True
        self._died_at = self._loop.time()
        self._open = {name for name, sent in self.sent.items() if sent.outcome is None}
        for task in self.bridge.requests:
            task.cancel()
        self.later(0.1 + self.chance.random() * 2, self._start_again)

    def _start_again(self) -> None:
        self.note("bridge: starts again")
        self.bridge = BridgeWithRepeats(self, self._repeats)
        self.bridge.repeats.restore_calls(self._recorded())

    def _recorded(self) -> list[RecordedCall]:
        """As `CallJournal.settle_orphans` and `list_repeatable`."""
        found: list[RecordedCall] = []
        for name, sent in self.sent.items():
            if name in self._open:
                error = WireError(code=ErrorCode.OUTCOME_UNKNOWN, message="It was stopped.")
                sent.call.outcome = CallOutcome(name, CallState.OUTCOME_UNKNOWN, None, error)
            assert sent.outcome is not None
            sent.heard = sent.is_heard = sent.heard or False
            is_doubted = sent.outcome.state is CallState.OUTCOME_UNKNOWN
            is_told = (sent.heard and is_doubted) or (not sent.heard and sent.outcome.was_sent)
            if is_told and sent.identity.key_digest is None:
                found.append(sent.recorded(sent.outcome))
        return found

    # The judge

    def _judge_join(self, call_id: str, value: str) -> None:
        self.history.joined += 1
        older = [
            name
            for name, sent in self.sent.items()
            if f'"{value}"' in sent.call.request.arguments_text
            and sent.identity.key_digest is None
            and sent.opened_at < self.sent[call_id].opened_at
            and not sent.is_heard
            and sent.outcome is not None
            and sent.outcome.was_sent
        ]
        taken = self.sent[call_id].outcome
        if taken is None or not taken.was_sent:
            self.history.broken.append(f"{call_id[-6:]} was taken, and nothing was sent for it")
        if older:
            self.history.broken.append(f"{call_id[-6:]} was taken, and {older[0][-6:]} is older and unheard")

    def _judge(self) -> None:
        history = self.history
        for value in {intent.value for intent in history.intents}:
            meant = [intent for intent in history.intents if intent.value == value]
            history.repeated += sum(intent.requests - 1 for intent in meant)
            calls = [sent for sent in self.sent.values() if f'"{value}"' in sent.call.request.arguments_text]
            performed = sum(sent.performed for sent in calls)
            if performed > len(meant):
                history.broken.append(f"doubled: {value!r} was meant {len(meant)} times, sent {performed}")
            self._judge_swallowed(meant)

    def _judge_swallowed(self, meant: list[Intent]) -> None:
        heard: dict[str, Intent] = {}
        for intent in sorted(meant, key=lambda each: each.heard_at):
            if intent.ending is None:
                self.history.broken.append(f"{intent.value!r} was never answered")
                continue
            first = heard.setdefault(intent.ending.call_id, intent)
            is_note_lost = self.history.kills and first.heard_at > self._died_at - COMMIT_S - 0.1
            if first is not intent and (intent.key is not None or not is_note_lost):
                self.history.broken.append(f"swallowed: two {intent.value!r} heard one call")


def play(seed: int, repeats: type[RepeatedCalls] = RepeatedCalls) -> History:
    """Let the history of a seed happen, and judge it."""

    async def happen() -> History:
        return await World(seed, repeats).play()

    return run_virtually(happen())
