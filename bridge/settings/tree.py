"""The tree of settings: every section of what people set.

Apart from `bridge.settings.bridge`, so that the help of a command need not import what reads settings.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from bridge.settings.approvals import ApprovalSettings
from bridge.settings.canary import CanarySettings
from bridge.settings.chat.budgets import BudgetSettings
from bridge.settings.chat.memory import MemorySettings
from bridge.settings.chat.model_defaults import ModelDefaults
from bridge.settings.cluster import ClusterSettings
from bridge.settings.limits import Limits
from bridge.settings.login import LoginSettings
from bridge.settings.network import NetworkSettings
from bridge.settings.oauth import OAuthSettings
from bridge.settings.quotas import QuotaSettings
from bridge.settings.storage import StorageSettings
from bridge.settings.telemetry import TelemetrySettings
from bridge.settings.tools import ToolSettings
from bridge.settings.users import UserSettings


class SettingsTree(BaseModel):
    """All sections; in help and on the reference page they stand in this order."""

    network: NetworkSettings = Field(default_factory=NetworkSettings)
    cluster: ClusterSettings = Field(default_factory=ClusterSettings)
    users: UserSettings = Field(default_factory=UserSettings)
    login: LoginSettings = Field(default_factory=LoginSettings)
    oauth: OAuthSettings = Field(default_factory=OAuthSettings)
    approvals: ApprovalSettings = Field(default_factory=ApprovalSettings)
    canary: CanarySettings = Field(default_factory=CanarySettings)
    tools: ToolSettings = Field(default_factory=ToolSettings)
    limits: Limits = Field(default_factory=Limits)
    quotas: QuotaSettings = Field(default_factory=QuotaSettings)
    budgets: BudgetSettings = Field(default_factory=BudgetSettings)
    model_defaults: ModelDefaults = Field(default_factory=ModelDefaults)
    memory: MemorySettings = Field(default_factory=MemorySettings)
    storage: StorageSettings = Field(default_factory=StorageSettings)
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings)
