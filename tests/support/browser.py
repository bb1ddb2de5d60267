"""A second implementation of the dispatcher's `Browser` port: pages that do what a test tells them."""

from dataclasses import dataclass, field

from bridge.dispatch import OpenCall


@dataclass
class FakeBrowser:
    """Pages by user; records what was sent."""

    pages: dict[str, str] = field(default_factory=dict[str, str])
    sent: list[OpenCall] = field(default_factory=list[OpenCall])
    cancelled: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    async def session_for(self, user_id: str, origin: str) -> str | None:
        return self.pages.get(user_id)

    async def send_call(self, call: OpenCall) -> None:
        self.sent.append(call)

    async def send_cancel(self, sid: str, call_id: str, reason: str) -> None:
        self.cancelled.append((sid, call_id, reason))
