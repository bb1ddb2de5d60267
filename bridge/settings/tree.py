"""The tree of settings: every section of what people set.

Apart from `bridge.settings.bridge`, so that the help of a command need not import what reads settings.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Any

from pydantic import BaseModel, Field, create_model

from bridge.features import FEATURES
from bridge.settings.approvals import ApprovalSettings
from bridge.settings.chat.budgets import BudgetSettings
from bridge.settings.chat.memory import MemorySettings
from bridge.settings.chat.model_defaults import ModelDefaults
from bridge.settings.cluster import ClusterSettings
from bridge.settings.declaration import AnySection
from bridge.settings.limits import Limits
from bridge.settings.login import LoginSettings
from bridge.settings.network import NetworkSettings
from bridge.settings.oauth import OAuthSettings
from bridge.settings.quotas import QuotaSettings
from bridge.settings.storage import StorageSettings
from bridge.settings.telemetry import TelemetrySettings
from bridge.settings.tools import ToolSettings
from bridge.settings.users import UserSettings


class CoreSettings(BaseModel):
    """The sections that code names; in help and on the reference page they stand in this order."""

    network: NetworkSettings = Field(default_factory=NetworkSettings)
    cluster: ClusterSettings = Field(default_factory=ClusterSettings)
    users: UserSettings = Field(default_factory=UserSettings)
    login: LoginSettings = Field(default_factory=LoginSettings)
    oauth: OAuthSettings = Field(default_factory=OAuthSettings)
    approvals: ApprovalSettings = Field(default_factory=ApprovalSettings)
    tools: ToolSettings = Field(default_factory=ToolSettings)
    limits: Limits = Field(default_factory=Limits)
    quotas: QuotaSettings = Field(default_factory=QuotaSettings)
    budgets: BudgetSettings = Field(default_factory=BudgetSettings)
    model_defaults: ModelDefaults = Field(default_factory=ModelDefaults)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    storage: StorageSettings = Field(default_factory=StorageSettings)
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings)

    def find_section(self, section: type[AnySection]) -> AnySection:
        """Return the section of a feature."""
        return next(value for _, value in self if isinstance(value, section))


def _sections_of_features() -> dict[str, Any]:
    sections = {name: resolve_name(feature.settings) for name, feature in FEATURES.items()}
    return {name: (section, Field(default_factory=section)) for name, section in sections.items()}


SettingsTree = create_model("SettingsTree", __base__=CoreSettings, **_sections_of_features())
"""All sections; those of features come last."""
