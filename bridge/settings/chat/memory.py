"""What is stored of answers, and what of it a model is shown again."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field

from bridge.settings.declaration import Choice, Names, Section

ReasoningMemory = Literal["disabled", "next_reply", "conversation"]
"""How long a model is shown its own reasoning again: never, in the next answer, in the whole chat."""

REASONING_MEMORIES: tuple[ReasoningMemory, ...] = get_args(ReasoningMemory)

DEFAULT_TOOL_OUTPUT_TURNS = 10
"""Number of recent turns of a chat in which a model sees its tools' results in full."""


class MemorySettings(Section):
    """What is stored of answers, and what of it a model is shown again."""

    title: ClassVar[str] = "Memory"

    persist_tool_results: Annotated[
        bool, Names(alias="PERSIST_TOOL_RESULTS", see="[markers](markers.md)")
    ] = Field(
        default=True,
        description="false: answers of chats have no markers, and nothing of them is stored; responses are",
    )
    reasoning: Annotated[
        ReasoningMemory,
        Choice,
        Names("TOOL_BRIDGE_PERSIST_REASONING_TOKENS", alias="PERSIST_REASONING_TOKENS"),
    ] = Field(
        default="conversation",
        description="how long a model is sent its reasoning again: never, in the next answer, in the whole "
        "chat",
    )
    tool_output_turns: Annotated[
        int, Names("TOOL_BRIDGE_TOOL_OUTPUT_RETENTION_TURNS", alias="TOOL_OUTPUT_RETENTION_TURNS")
    ] = Field(
        default=DEFAULT_TOOL_OUTPUT_TURNS,
        ge=0,
        description="number of recent turns of a chat in which a model is sent long outputs of tools uncut; "
        "0: all",
    )
