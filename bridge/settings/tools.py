"""What a model is shown of the tools, and what a caller reads of their answers."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import AfterValidator, Field

from bridge.browser_protocol import RESULT_BYTES
from bridge.settings.declaration import Names, Section
from toolserver.tool.selection_bounds import MAX_LIMIT, MAX_TOKENS, MIN_LIMIT, MIN_TOKENS, MODEL_LIMIT

DEFAULT_MAX_ANSWER_BYTES = 256 * 1024
"""Maximum bytes of one answer's text that a caller reads: about 64,000 tokens, half the context of most
models."""

DEFAULT_OUTLINE_BYTES = 32 * 1024
"""About 8,000 tokens: what is longer stays in the context of a model for the rest of its conversation."""

MIN_MAX_ANSWER_BYTES = 1024

_ANSWER_RANGE = f"0, or a whole number from {MIN_MAX_ANSWER_BYTES:,} to {RESULT_BYTES:,}"


def _all_or_enough(number: int) -> int:
    if number and number < MIN_MAX_ANSWER_BYTES:
        raise ValueError(f"must be {_ANSWER_RANGE}")
    return number


class ToolSettings(Section):
    """Tools that models are shown, and answers that callers read."""

    title: ClassVar[str] = "Tools and answers"

    max_tools: Annotated[
        int,
        Names(
            "TOOL_BRIDGE_MAX_TOOLS",
            "--max-tools",
            "NUMBER",
            see="[large APIs](../how-to/large-apis.md)",
        ),
    ] = Field(
        default=MODEL_LIMIT,
        ge=MIN_LIMIT,
        le=MAX_LIMIT,
        description="maximum number of tools that a model is shown; it finds the others by search",
    )
    max_tool_tokens: Annotated[
        Annotated[int, Field(ge=MIN_TOKENS, le=MAX_TOKENS)] | None,
        Names(
            "TOOL_BRIDGE_MAX_TOOL_TOKENS",
            "--max-tool-tokens",
            "NUMBER",
            range=f"a whole number from {MIN_TOKENS:,} to {MAX_TOKENS:,}",
        ),
    ] = Field(
        default=None,
        description="maximum number of tokens of all tool definitions that a model is shown, estimated at "
        "four characters a token",
    )
    max_answer_bytes: Annotated[
        int,
        AfterValidator(_all_or_enough),
        Names("TOOL_BRIDGE_MAX_ANSWER_BYTES", "--max-answer-bytes", "BYTES", range=_ANSWER_RANGE),
    ] = Field(
        default=DEFAULT_MAX_ANSWER_BYTES,
        ge=0,
        le=RESULT_BYTES,
        description="maximum bytes of one answer's text that a caller gets; the rest is stored. 0: all of it",
    )
    max_mcp_answer_bytes: Annotated[
        Annotated[int, AfterValidator(_all_or_enough), Field(ge=0, le=RESULT_BYTES)] | None,
        Names(
            "TOOL_BRIDGE_MAX_MCP_ANSWER_BYTES",
            "--max-mcp-answer-bytes",
            "BYTES",
            range=_ANSWER_RANGE,
            default="by client: 60000, of Codex 24000",
            see="[MCP](mcp.md#results)",
        ),
    ] = Field(
        default=None,
        description="the same at `/mcp`, where clients refuse or cut what is longer than they take. 0: as "
        "everywhere",
    )
    outline_bytes: Annotated[
        int,
        AfterValidator(_all_or_enough),
        Names(
            "TOOL_BRIDGE_OUTLINE_BYTES",
            "--outline-bytes",
            "BYTES",
            range=_ANSWER_RANGE,
            see="[answers](answers.md#outlines)",
        ),
    ] = Field(
        default=DEFAULT_OUTLINE_BYTES,
        ge=0,
        le=RESULT_BYTES,
        description="bytes of a JSON answer above which models of the bridge and callers behind a forwarder "
        "read its outline. 0: no outlines at all",
    )
    enable_strict_tool_calling: Annotated[bool, Names(alias="ENABLE_STRICT_TOOL_CALLING")] = Field(
        default=True,
        description="whether models get strict schemas, where a tool's schema allows it; false: schemas as "
        "they are",
    )
