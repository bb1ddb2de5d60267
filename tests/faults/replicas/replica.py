"""One replica of a history, in a process of its own.

Real: homes, membership, residents, the fenced journal, the dispatcher, passing requests on, handing users
over. Followed: the rest of `bridge/app/replica.py`, `bridge/app/resident_work.py`,
`bridge/browsers/gateway.py`, `bridge/cluster/relay.py`.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from bridge.app.leaving import LOOK_S
from bridge.calls.call_watch import CallObservers
from bridge.calls.fenced_journal import STOP_COMMIT_S, FencedJournal
from bridge.calls.open_call import OpenCall
from bridge.calls.outcome import CallOutcome
from bridge.calls.repeated_calls import RepeatedCalls
from bridge.calls.request import CallOptions, CallRequest, RepeatKey
from bridge.cluster.counters import ReplicaCounters
from bridge.cluster.handovers import HandoverHooks, Handovers
from bridge.cluster.homes import HomeHooks, Homes, Located
from bridge.cluster.lost_requests import LostRequests
from bridge.cluster.membership import Membership, MembershipListeners, MembershipPorts
from bridge.cluster.open_exchanges import ExchangeCut, OpenExchanges
from bridge.cluster.passing_on import PassingOn
from bridge.cluster.ports import ClusterUnavailable, LiveReplica, ReplicaState
from bridge.cluster.relay_client import RelayClient, ReplicaUnreachable
from bridge.cluster.relay_token import RelayPass, RelayTokens
from bridge.cluster.residents import Residents, ResidentWork
from bridge.errors import BridgeError
from bridge.homes import Home, held_epochs
from bridge.openai_errors import ApiFailure
from bridge.tasks import Tasks, sleep_safely
from tests.faults.link import Link
from tests.faults.page_server import PageServer
from tests.faults.plan import CallPlan, Kind
from tests.faults.replicas.around import Around
from tests.faults.replicas.asks import (
    Asked,
    ChatAsk,
    ReplicaSurroundings,
    ResponseAsk,
)
from tests.faults.replicas.conversations import FarConversations, PlayedConversations
from tests.faults.replicas.engines import FarDirectory, FarTables, QueuedJournal
from tests.faults.replicas.exchanges import (
    CHAT_PATH,
    RESPONSES_PATH,
    Dialled,
    Gate,
    PlayedClient,
    PlayedRequest,
    pass_on,
    played_client,
    vouch,
)
from tests.faults.replicas.leaving import PlayedLeaving, PlayedParts
from tests.faults.replicas.network import Cable, End, hang_up
from tests.faults.replicas.processes import Program
from tests.faults.replicas.responses import FarItems, PlayedResponses
from tests.faults.story import request_of

APPROVAL_S = 15.0
RETURN_S = 6.0
BEAT_S = 1.0
STOP_S = 5.0
"""Seconds that calls have to end when a replica stops."""


class ReplicaDouble(PageServer):
    """A replica from its start to its end."""

    def __init__(self, slot: str, name: str, around: Around) -> None:
        self.slot, self.id, self.world = slot, name, around
        self.process = Program(name)
        self.pending: dict[int, float] = {}
        """Statements under way, and since when."""
        self.troubles = 0
        """Statements to PostgreSQL that failed or took long."""
        self.looked_at = float("-inf")
        """When the database last said which users are at home here."""
        self._requests = self._callers = 0
        """Requests of callers that are connected to it."""
        self.tasks, self.tokens = Tasks(), RelayTokens(b"secret of all replicas")
        self.directory = FarDirectory(around.redis, self)
        self.far = FarTables(around.tables, self)
        self.membership = self._make_membership()
        self.residents = Residents(self.tasks, self._resident_work)
        counters = ReplicaCounters()
        self.homes = self._make_homes(counters)
        self.plain = QueuedJournal(self.far, self.tasks, lambda call: around.excuse(self, call))
        self.fenced = self.make_journal()
        self.repeats = self.make_repeats()
        observers = CallObservers([around.saw], [self.repeats.note_move])
        super().__init__(self.fenced, ReplicaSurroundings(around), approval_s=APPROVAL_S, observers=observers)
        self.responses = self.make_responses()
        self.conversations = self.make_conversations()
        self._expected: dict[str, float] = {}
        self.router = PassingOn(self.homes, self.residents, self.make_lost(), self.make_client(), counters)
        self._sockets_elsewhere, self._gate = OpenExchanges(), Gate(self.homes, self)

    @cached_property
    def _leaving(self) -> PlayedLeaving:
        return PlayedLeaving(self.homes, self.membership, self.residents)

    @cached_property
    def _handovers(self) -> Handovers:
        hooks = HandoverHooks(self.residents.is_free, self._hand_over)
        return Handovers(self.homes, self.directory, self.membership, hooks, self.tasks)

    def _make_membership(self) -> Membership:
        ports = MembershipPorts(self._describe, self.world.world_time, self._check_homes)
        listeners = MembershipListeners(self._bury, self._follow_change, lambda: None, self._decide)
        return Membership(self.directory, ports, listeners)

    def _make_homes(self, counters: ReplicaCounters) -> Homes:
        hooks = HomeHooks(self.residents.enter, self.residents.leave, self.residents.is_idle)
        ways = (self.far, self.directory, self.membership)
        return Homes(self.id, *ways, hooks=hooks, tasks=self.tasks, counters=counters)

    def make_journal(self) -> FencedJournal:
        return FencedJournal(self.far, self.plain, self.homes, self.tasks)

    def make_repeats(self) -> RepeatedCalls:
        return RepeatedCalls(self.plain, b"secret of all replicas", now=asyncio.get_running_loop().time)

    def make_responses(self) -> PlayedResponses:
        store = self.make_items()
        return PlayedResponses(self.homes, store, self.world.readers, self.world.controls())

    def make_items(self) -> FarItems:
        return FarItems(self.world.tables, self, held_epochs(self.homes))

    def make_conversations(self) -> PlayedConversations:
        takes_s, controls = self.world.chatters.takes_s, self.world.controls()
        return PlayedConversations(self.homes, self.make_chats(), takes_s, controls)

    def make_chats(self) -> FarConversations:
        return FarConversations(self.world.tables, self, held_epochs(self.homes))

    def make_lost(self) -> LostRequests:
        return LostRequests(self.homes, self.far)

    def make_client(self) -> RelayClient:
        return played_client(PlayedClient(self))

    def has_trouble(self, now: float) -> bool:
        """Whether PostgreSQL does not answer it, or did not."""
        awake_since = self.process.stood_until
        return self.troubles > 0 or any(
            now - max(since, awake_since) > 0.9 for since in self.pending.values()
        )

    def is_steady(self, since: float) -> bool:
        """Whether it was not frozen since then."""
        return self.process.stood_until < since

    # Its place among the others

    def start_program(self) -> None:
        self.process.start(self._run())

    async def _run(self) -> None:
        await self.membership.beat_once()
        self.tasks.start_task(self.membership.keep_beating(), "heartbeats")
        self.tasks.start_task(self.homes.keep_homes(), "homes")
        self.tasks.start_task(self._beat_pages(), "beats")

    def _bury(self, replica: str) -> None:
        self.homes.forget_replica(replica)
        self.router.cut_replica(replica)
        self._sockets_elsewhere.cut_replica(replica)

    def _follow_change(self) -> None:
        self.homes.replicas_changed()

    def _decide(self, wanted: Mapping[str, str]) -> None:
        self._handovers.begin_deciding(wanted)

    async def _beat_pages(self) -> None:
        while True:
            for socket in list(self._sockets.values()):
                socket.link.send("page", "beat", None)
            await sleep_safely(BEAT_S)

    @property
    def state(self) -> ReplicaState:
        """What its heartbeats say."""
        return self._leaving.state

    async def stop_program(self) -> None:
        """Ends with the process. Follows `Bridge.stop`, once the users are handed over."""
        self.world.note(f"{self.id}: stops")
        await self._leaving.hand_over(self._parts, STOP_S)
        await self.responses.running.stop_background()
        await self.conversations.runs.stop_all()
        self.dispatcher.stop_calls()
        await self.fenced.wait_until_committed(STOP_COMMIT_S)
        while self._callers:
            await sleep_safely(LOOK_S)
        await self.tasks.close()
        with suppress(ClusterUnavailable):
            await self.directory.remove_replica(self.id)
        self.world.kill(self)

    @property
    def _parts(self) -> PlayedParts:
        count, move = self.responses.requests.count_user, self.conversations.runs.move_user
        return PlayedParts(self.dispatcher, self.fenced, self.plain, count, move)

    async def _hand_over(self, user_id: str, to: str) -> None:
        await self._leaving.hand_over_one(self._parts, user_id, to)

    def _describe(self) -> LiveReplica:
        users, calls = len(self.homes.user_ids), self.dispatcher.count_open()
        return LiveReplica(self.id, f"http://{self.slot}", self.state, users, calls, "1")

    async def _check_homes(self) -> None:
        await self.homes.check_homes()
        self.looked_at = self.world.world_time()

    def _resident_work(self) -> ResidentWork:
        async def settle(home: Home) -> None:
            await self.fenced.settle_user(home.user_id, home.epoch)
            await self.conversations.take_over(home.user_id)
            await self.responses.resume_user(home.user_id)

        async def end_work(user_id: str) -> None:
            self.dispatcher.leave_user(user_id)
            await self.responses.stop_user(user_id)
            await self.conversations.runs.stop_user(user_id)
            self.repeats.forget_user(user_id)
            for socket in [each for each in self._sockets.values() if each.user_id == user_id]:
                socket.link.send("page", "moved", None)
                socket.link.cut(0.02, 0.02)

        def is_busy(user_id: str) -> bool:
            calls, running = self.dispatcher.open_calls(user_id), self.responses.running.count_user(user_id)
            is_talking = self.conversations.is_running(user_id)
            return bool(self._pages.get(user_id) or calls or running or is_talking)

        return ResidentWork(settle, end_work, is_busy, self._expect_page)

    def _expect_page(self, user_id: str) -> None:
        self._left_at.pop(user_id, None)
        self._expected[user_id] = asyncio.get_running_loop().time()

    def patience_s(self, user_id: str, resume_s: float) -> float:
        if user_id not in self._left_at and user_id in self._expected:
            return self._expected[user_id] + max(RETURN_S, resume_s) - asyncio.get_running_loop().time()
        return super().patience_s(user_id, resume_s)

    async def send_call(self, call: OpenCall) -> None:
        self.world.check_sending(self, call)
        await super().send_call(call)

    # Its ways to the engines and to the others

    async def ask(self, name: str, statement: Callable[[], Any], call_id: str = "") -> Any:
        return await self.world.ask(self, name, statement, call_id)

    def wall(self) -> float:
        return self.world.wall_of(self.slot)

    async def dial(self, url: str) -> Dialled:
        return await self.world.dial(self, url)

    # Callers

    async def answer_caller(self, asked: Asked) -> None:
        """Follows the middleware that passes on, and the endpoint of a tool."""
        self._callers += 1
        plan = asked.plan
        try:
            kept = await pass_on(self.router, PlayedRequest(plan.number), plan.user)
            if kept is not None:
                self.world.told(self, asked, self.world.kept_answer(kept))
                return
            outcome = await self._answer(plan, relayed_id=None)
            self.world.told(self, asked, outcome)
        except ConnectionResetError:
            self.world.told(self, asked, None)
        except BridgeError as error:
            self.world.told(self, asked, error)
        finally:
            self._callers -= 1

    async def _answer(self, plan: CallPlan, relayed_id: str | None) -> CallOutcome | BridgeError:
        try:
            async with self.residents.serve_user(plan.user):
                return await self._run_once(request_of(plan, relayed_id), plan)
        except BridgeError as error:
            return error

    async def _run_once(self, request: CallRequest, plan: CallPlan) -> CallOutcome:
        """Follows `CallEngine.run_call`, of calls that have a key."""
        options = CallOptions(deadline_s=plan.deadline_s)
        if (key := self.world.key_of(plan.number)) is None:
            return await self._run_call(request, options)
        self._requests += 1
        repeat = RepeatKey("key", f"{self.id} {self._requests}", key)
        return await self.repeats.run_once(request, repeat, lambda known: self._run_call(known, options))

    async def answer_reader(self, ask: ResponseAsk) -> None:
        """Follows what makes and reads responses."""
        method = "GET" if ask.response_id else "POST"
        asked = PlayedRequest(self.world.readers.number_ask(ask), method, canonical=RESPONSES_PATH)
        what: Any = None
        with suppress(ConnectionResetError):
            try:
                kept = await pass_on(self.router, asked, ask.plan.user)
                what = await self._respond(ask, None) if kept is None else self.world.kept_answer(kept)
            except BridgeError as error:
                what = error
        self.world.readers.told(ask, what)

    async def _respond(self, ask: ResponseAsk, relayed_id: str | None) -> Any:
        async with self.residents.serve_user(ask.plan.user):
            if ask.response_id:
                return await self.responses.read(ask.plan.user, ask.response_id)
            self._requests += 1
            made = f"resp_{ask.plan.number}_{self.id}_{self._requests}"
            with suppress(ApiFailure):
                await self.responses.start(ask.plan, made, relayed_id)
                return made
            return None

    async def answer_chatter(self, ask: ChatAsk) -> None:
        """Follows what asks in a conversation."""
        asked = PlayedRequest(self.world.chatters.number_ask(ask), canonical=CHAT_PATH)
        what: Any = None
        with suppress(ConnectionResetError):
            try:
                kept = await pass_on(self.router, asked, ask.plan.user)
                what = await self._chat(ask) if kept is None else self.world.kept_answer(kept)
            except BridgeError as error:
                what = error
        self.world.chatters.told(ask, what)

    async def _chat(self, ask: ChatAsk) -> Any:
        try:
            async with self.residents.serve_user(ask.plan.user):
                return await self.conversations.answer(ask.plan)
        except BridgeError as error:
            return error

    # Connections: of pages, and of other replicas

    def connected_by_page(self, link: Link, cable: Cable, end: End, user_id: str, device_id: str) -> None:
        """A page, through the balancer; the first message is its handshake."""

        def greet(kind: Kind, payload: Any) -> None:
            end.on_message = lambda kind, payload: None
            socket = self.process.start(self._accept_page(link, cable, end, (user_id, device_id), payload))
            end.cancel_on_close(socket)

        end.on_message = greet

    async def _accept_page(
        self, link: Link, cable: Cable, end: End, who: tuple[str, str], hello: Mapping[str, Any]
    ) -> None:
        try:
            if hello["route"] and not self.homes.takes_work(who[0]):
                found = await self.homes.locate(who[0])
                if found.url:
                    await self._pass_socket(link, end, who, hello, found)
                    hang_up(link, cable, "bridge")
                    return
            await self._greet_page(link, end, who, hello)
        except (BridgeError, ExchangeCut) as error:
            link.send("page", "refused", str(error))
            hang_up(link, cable, "bridge")

    async def _greet_page(self, link: Link, end: End, who: tuple[str, str], hello: Mapping[str, Any]) -> None:
        """Follows `BrowserGateway._handle_connect`."""
        if (await self.homes.locate_for_page(who[0])).url:
            link.send("page", "redirect", None)
            return
        end.on_message = lambda kind, payload: self.heard(link.sid, kind, payload)
        end.on_close = lambda: self.hung_up(link.sid)
        if not end.is_closed:
            self.connected(link, who[0], who[1])
            self.heard(link.sid, "hello", hello)

    async def _pass_socket(
        self, link: Link, end: End, who: tuple[str, str], hello: Mapping[str, Any], found: Located
    ) -> None:
        """Follows `PassingOn._pass` for a socket, and `pump_frames`."""
        for is_last in (False, True):
            is_unreached = False
            try:
                refused = await self._pump(link, end, who, hello, found)
            except ReplicaUnreachable:
                refused = is_unreached = True
            if not refused or is_last:
                return
            found = await self.homes.locate(who[0], refused=found.home, is_unreached=is_unreached)
            if not found.url:
                await self._greet_page(link, end, who, hello)
                return

    async def _pump(
        self, link: Link, end: End, who: tuple[str, str], hello: Mapping[str, Any], found: Located
    ) -> bool:
        """Whether the other replica refused the socket."""
        async with self._sockets_elsewhere.hold_exchange(found.home.replica):
            dialled = await self.dial(found.url)
            try:
                token = vouch(self, who[0], found.home, f"{link.sid}@{self.id}@{found.home.epoch}")
                dialled.link.send("bridge", "open", {"token": token, "device": who[1]}, link.sid)
                admitted = await dialled.end.answer()
                if admitted is None or admitted[0] == "refused":
                    return admitted is not None
                over = asyncio.Event()
                dialled.end.on_message = lambda kind, payload: link.send("page", kind, payload, "passed on")
                dialled.end.on_close = over.set
                end.on_message = lambda kind, payload: dialled.link.send("bridge", kind, payload, "passed on")
                dialled.link.send("bridge", "hello", hello, "passed on")
                await over.wait()
                return False
            finally:
                dialled.hang_up()

    def connected_by_replica(self, link: Link, cable: Cable, end: End) -> None:
        """Another replica; the first message says what it wants."""

        def serve(kind: Kind, payload: Any) -> None:
            work = self._serve_request if kind == "request" else self._serve_socket
            serving = self.process.start(work(link, end, payload))
            end.cancel_on_close(serving)

        end.on_message = serve

    async def _serve_request(self, link: Link, end: End, token: str) -> None:
        vouched = await self._gate.admit(token)
        if isinstance(vouched, str):
            link.send("page", "refused", vouched)
            return
        cancel = end.on_close
        asking = asyncio.ensure_future(end.answer())
        link.send("page", "continue", None)
        body = await asking
        end.on_close = cancel
        if body is not None:
            number, relayed_id = body[1], vouched.request_id
            if (chat := self.world.chatters.ask_of(number)) is not None:
                answer: Any = await self._chat(chat)
            elif (ask := self.world.readers.ask_of(number)) is None:
                answer = await self._answer(self.world.plan_of(number), relayed_id)
            else:
                answer = await self._respond(ask, relayed_id)
            link.send("page", "response", self.world.keep_answer(answer), f"request {number}")

    async def _serve_socket(self, link: Link, end: End, opening: Mapping[str, Any]) -> None:
        vouched = await self._gate.admit(opening["token"])
        if not isinstance(vouched, RelayPass):
            link.send("page", "refused", vouched)
            return
        who = (vouched.user_id, str(opening["device"]))

        def greet(kind: Kind, hello: Any) -> None:
            end.on_message = lambda kind, payload: None
            greeting = self.process.start(self._greet_passed(link, end, who, hello))
            end.cancel_on_close(greeting)

        end.on_message = greet
        link.send("page", "opened", None)

    async def _greet_passed(
        self, link: Link, end: End, who: tuple[str, str], hello: Mapping[str, Any]
    ) -> None:
        with suppress(BridgeError):
            await self._greet_page(link, end, who, hello)
