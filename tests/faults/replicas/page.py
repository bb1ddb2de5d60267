"""A browser whose bridge has replicas: it expects beats, and reconnects as `connection_policy.js` says."""

from tests.faults.link import Link
from tests.faults.page_double import Device, Worker
from tests.faults.plan import Kind

SILENT_S = 3.2
"""With the second look."""

TRY_LAST_S = 20.0
HURRY_S = 30.0


class DeviceOfReplicas(Device):
    """A browser."""

    def make_worker(self, instance: str) -> Worker:
        return WorkerOfReplicas(self, instance)


class WorkerOfReplicas(Worker):
    """An executor that hears a beat each second."""

    def __init__(self, device: Device, instance: str) -> None:
        super().__init__(device, instance)
        self.told["route"] = False
        self._cause = "lost"
        self._has_beats = False
        self._silences = self._redirects = 0
        self._lost_at: float | None = None
        self._heard_at = 0.0

    def connect(self) -> None:
        super().connect()
        link = self.link
        if link is not None and self._has_beats:
            self._heard_at = self.around.now()
            self._watch(link, min(TRY_LAST_S, SILENT_S * 2**self._silences))

    def _watch(self, link: Link, patience_s: float) -> None:
        def look() -> None:
            if link is not self.link or not link.is_open["page"]:
                return
            left_s = self._heard_at + patience_s - self.around.now()
            if left_s > 1e-6:
                self.soon(left_s, look)
            else:
                self._silences += self._lost_at is not None
                self._close(link, "lost")

        self.soon(patience_s, look)

    def heard(self, link: Link, kind: Kind, payload: object) -> None:
        if link is not self.link:
            return
        self._heard_at = self.around.now()
        if kind == "redirect":
            self.told["route"] = True
            self._close(link, "redirected")
        elif kind in ("moved", "refused"):
            self._close(link, "moved" if kind == "moved" else "lost")
        elif kind != "beat":
            super().heard(link, kind, payload)
        if kind == "welcome":
            self._has_beats, self._lost_at = True, None
            self._silences = self._redirects = 0
            self._watch(link, SILENT_S)

    def _close(self, link: Link, cause: str) -> None:
        self._cause = cause
        self.is_ready = False
        link.cut(0.0, self.around.wobble(0.001, 0.01))

    def connect_later(self) -> None:
        now = self.around.now()
        cause, self._cause = self._cause, "lost"
        self._lost_at = now if self._lost_at is None else self._lost_at
        if cause == "redirected" and self._redirects == 0:
            delay = 0.0
        elif cause == "moved":
            delay = self.around.wobble(0.0, 0.2)
        elif self._has_beats and now - self._lost_at < HURRY_S:
            delay = self.around.wobble(0.2, 1.0)
        else:
            delay = min(5.0, 0.2 * 2**self.failures * self.around.wobble(0.5, 1.5))
        self._redirects += cause == "redirected"
        self.failures += 1
        self.soon(delay, self.connect)
