"""Calls of tools: from the request of a program to a page and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bridge.answer_queries.fitted_answers import FittedAnswers
from bridge.answer_queries.queries import QueryWorker
from bridge.app.part import Ground, Observers, Part
from bridge.app.parts.accounts import AccountsPart
from bridge.app.parts.records import RecordsPart
from bridge.auth.identity import Identity
from bridge.auth.pairing_links import PairingLinks
from bridge.browsers.gateway import BrowserGateway
from bridge.calls.admission import AdmissionControl, Controls
from bridge.calls.call_watch import CallObservers
from bridge.calls.dispatcher import Dispatcher
from bridge.calls.engine import Engine
from bridge.catalog.registry import Registry
from bridge.endpoints.api.batches import BatchRoutes
from bridge.endpoints.api.call_history import CallHistoryRoutes
from bridge.endpoints.api.calls import CallRoutes
from bridge.endpoints.api.limits import LimitRoutes
from bridge.endpoints.tool_server import ToolServer
from bridge.homes import Home
from bridge.http.answer_files import AnswerFiles
from bridge.http.answers_elsewhere import OtherReplicas
from bridge.http.file_links import FileLinks
from bridge.http.routing import Route
from bridge.storage.answer_files import FOLDER
from bridge.storage.replicas.left_work import LeftWork


class CallsPart(Part):
    """Runs calls."""

    def __init__(
        self,
        ground: Ground,
        accounts: AccountsPart,
        controls: Controls,
        records: RecordsPart,
        *,
        gateway: BrowserGateway,
        registry: Registry,
        observers: Observers,
        answers: OtherReplicas | None,
        note_query: Callable[[str, str], None],
    ) -> None:
        """`answers` asks other replicas for stored answers; `note_query` counts queries of them."""
        self._ground = ground
        self._controls = controls
        self._records = records
        self._gateway = gateway
        self._users = accounts.users
        self.registry = registry
        self.dispatcher = Dispatcher(
            gateway,
            records.writer,
            records.approvals,
            records.ids,
            approval_s=ground.settings.approvals.approval_s,
            resume_s=lambda: controls.limits.now.page_resume_seconds,
            no_browser_message="No bridge page of this user is open. "
            f"Open {ground.base_url}/ in the browser, then call again.",
            observers=CallObservers(observers.calls, observers.followed_calls),
        )
        self.files = self._make_files(accounts.identity, answers)
        self._queries = QueryWorker(ground.timings, note_end=note_query)
        self._admission = AdmissionControl(controls)
        self.engine = Engine(
            self.registry,
            records.approvals,
            self._admission,
            self.dispatcher,
            FittedAnswers(self.files, self._queries, ground.settings.tools.outline_bytes),
            repeats=records.repeats,
            on_refusal=observers.refusals,
        )
        self.links = PairingLinks(
            accounts.users, ground.base_url, is_open=lambda user_id: gateway.pages.count_pages(user_id) > 0
        )

    def _make_files(self, identity: Identity, answers: OtherReplicas | None) -> AnswerFiles:
        settings = self._ground.settings
        links, most = FileLinks(self._ground.secret, identity), settings.tools.max_answer_bytes
        if (shared := settings.cluster.answers_dir) is not None:
            return AnswerFiles(shared, links, most)
        of_replica = None if settings.cluster.redis_url is None else self._records.ids
        return AnswerFiles(settings.data_dir / FOLDER, links, most, of_replica=of_replica, replicas=answers)

    def list_routes(self) -> Sequence[Route]:
        """Return the routes of calls, of the tool server, and of the limits."""
        limits, journal = self._controls.limits, self._records.journal
        calls = CallRoutes(self.engine, self.dispatcher, self.files, journal)
        tools = ToolServer(self.registry, self.engine, self.files, self.links, base_url=self._ground.base_url)
        return [
            *LimitRoutes(self.registry, self._controls).list_routes(),
            *calls.list_routes(),
            *BatchRoutes(self.engine, lambda: limits.now, calls.describe_outcome).list_routes(),
            *CallHistoryRoutes(self.dispatcher, journal, self._records.refused).list_routes(),
            *tools.list_routes(),
        ]

    def apply_limits(self) -> None:
        """Let calls through at the rate that is allowed now."""
        self._admission.apply_limits()

    async def take_over_user(self, home: Home, left: LeftWork) -> str:
        """Settle calls that a lost home left, and know those that may be sent again."""
        user_id, journal = home.user_id, self._records.fenced
        in_doubt = 0
        if left.has_calls and journal is not None:
            in_doubt = await journal.settle_user(user_id, home.epoch)
        if left.has_calls or left.has_repeatable:
            self.engine.restore_repeats(await self._records.journal.take_over_repeats(user_id))
        return f"{in_doubt} calls in doubt" if in_doubt else ""

    async def end_user(self, user_id: str) -> None:
        """Leave the user's calls to the new home."""
        self.dispatcher.leave_user(user_id)

    def is_serving(self, user_id: str) -> bool:
        """Return whether calls are open."""
        return bool(self.dispatcher.open_calls(user_id))

    async def start(self) -> None:
        """Delete answers that have expired."""
        await self.files.sweep_files()

    async def stop_work(self) -> None:
        """Settle every call that is still open."""
        self.dispatcher.stop_calls()

    async def close(self) -> None:
        """End the process that queries answers."""
        await self._queries.close()
