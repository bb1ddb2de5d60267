"""What admission control needs, without a database."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from bridge.calls.admission import Controls
from bridge.calls.limits.call_rules import CallRules
from bridge.calls.limits.call_settings import CallSetting, SettingScope, UserCallSettings
from bridge.calls.limits.circuit_breaker import Breakers
from bridge.calls.limits.fair_queue import FairQueue
from bridge.calls.limits.settings import LiveLimits
from bridge.settings.limits import Number


@dataclass
class MemoryLimitStore:
    """The port of `bridge.calls.limits`."""

    values: dict[str, Number] = field(default_factory=dict[str, Number])

    async def load_limits(self) -> Mapping[str, Number]:
        return dict(self.values)

    async def save_limits(self, values: Mapping[str, Number | None]) -> None:
        for name, value in values.items():
            self.values.pop(name, None)
            if value is not None:
                self.values[name] = value


@dataclass
class MemoryCallSettingStore:
    """The port of `bridge.call_settings`."""

    entries: dict[str, dict[SettingScope, CallSetting]] = field(
        default_factory=dict[str, dict[SettingScope, CallSetting]]
    )

    async def call_settings(self, user_id: str) -> Mapping[SettingScope, CallSetting]:
        return dict(self.entries.get(user_id, {}))

    async def save_call_setting(self, user_id: str, scope: SettingScope, setting: CallSetting) -> None:
        mine = self.entries.setdefault(user_id, {})
        mine.pop(scope, None)
        if not setting.is_empty:
            mine[scope] = setting


def fail_on_warning(message: str) -> None:
    """Nobody is warned of anything."""
    raise AssertionError(message)


def controls(**limits: Number) -> Controls:
    """With these limits; the breakers' clock goes on by a millisecond at each look."""

    def apply_limits() -> None:
        queue.limits_changed()

    given = {name.upper(): value for name, value in limits.items()}
    live = LiveLimits(MemoryLimitStore(), given, warn=fail_on_warning, on_change=apply_limits)
    ticks = count()
    queue = FairQueue(CallRules(lambda: live.now, max_open_calls_per_user=1000))
    breakers = Breakers(lambda: live.now, lambda: next(ticks) / 1000)
    return Controls(live, queue, breakers, UserCallSettings(MemoryCallSettingStore()))
