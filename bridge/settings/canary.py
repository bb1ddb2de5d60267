"""The canary: one call that the bridge makes by itself to see that a call works."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from bridge.settings.declaration import Names, Section


class CanarySettings(Section):
    """Which call `/readyz` makes, in whose page."""

    title: ClassVar[str] = "Canary"

    canary_user: Annotated[
        str,
        Names(
            "TOOL_BRIDGE_CANARY_USER",
            "--canary-user",
            "NAME",
            see="[monitors and balancers](../how-to/run-behind-a-proxy.md#monitors-and-balancers)",
        ),
    ] = Field(default="", description="user in whose open page `/readyz` makes a call; none: it makes none")
    canary_tool: Annotated[str, Names("TOOL_BRIDGE_CANARY_TOOL", "--canary-tool", "TOOL")] = Field(
        default="",
        description="tool of that call: a safe one without required arguments that the user has accepted",
    )
