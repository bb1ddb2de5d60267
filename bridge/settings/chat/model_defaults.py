"""How models are asked where neither the caller nor the model's own settings decide.

Names, defaults and ranges are those of the programs that this one replaces.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field

from bridge.settings.declaration import Choice, Names, OrNone, Section
from bridge.settings.log_levels import LogLevel, NearestLevel

MODELS_VARIABLE = "TOOL_BRIDGE_MODELS"

Results: TypeAlias = Annotated[int, Field(ge=1, le=10)]
ContextSize: TypeAlias = Literal["low", "medium", "high"]
Summary: TypeAlias = Literal["auto", "concise", "detailed"]
Truncation: TypeAlias = Literal["auto", "disabled"]
RequestLogsOf: TypeAlias = Literal["off", "own", "all"]


class ModelDefaults(Section):
    """How models are asked. What a request or a model's `options` say wins."""

    title: ClassVar[str] = "Models"

    models_file: Annotated[
        Path | None,
        Names(
            MODELS_VARIABLE,
            "--models",
            "FILE",
            range="a TOML file",
            default="`models.toml` in the data folder; else `OPENAI_API_KEY` and `OPENAI_BASE_URL`; without "
            "any of them, the demo model",
            see="[models](models.md)",
        ),
    ] = Field(default=None, description="providers and models")
    no_models: Annotated[
        bool, Names(option="--no-models", see="[without models](models.md#without-models)")
    ] = Field(default=False, description="serve tools alone: no model API, no conversations, no chat")
    enable_web_search_tool: Annotated[
        bool, Names(alias="ENABLE_WEB_SEARCH_TOOL", see="[web search](models.md#web-search)")
    ] = Field(
        default=True,
        description="whether models that can search the web may do so in every request; false: only if the "
        "request allows it",
    )
    web_search_max_results: Annotated[
        Results | None,
        OrNone,
        Names(alias="WEB_SEARCH_MAX_RESULTS", range="a whole number from 1 to 10, or none"),
    ] = Field(default=3, description="maximum number of results of one search")
    search_context_size: Annotated[ContextSize | None, OrNone, Names(alias="SEARCH_CONTEXT_SIZE")] = Field(
        default="medium", description="how much of the search results a model reads"
    )
    truncation: Annotated[Truncation | None, OrNone, Names(alias="TRUNCATION")] = Field(
        default="auto",
        description="how an input that is too long is handled: its middle is dropped, or the provider "
        "refuses it; only with `responses`",
    )
    enable_reasoning_summary: Annotated[
        Summary | None,
        OrNone,
        Names(alias="ENABLE_REASONING_SUMMARY", see="[reasoning](models.md#reasoning)"),
    ] = Field(default=None, description="how models that reason summarize their reasoning; none: they do not")
    show_tool_cards: Annotated[
        bool | None,
        Names(
            alias="SHOW_TOOL_CARDS",
            range="true or false",
            default="only for forwarders' keys",
            see="[shown calls](model-api.md#shown-calls)",
        ),
    ] = Field(
        default=None,
        description="whether answers show the calls that the bridge ran as `details`, where neither request "
        "nor key decides",
    )
    streaming_delta_char_limit: Annotated[int, Names(alias="STREAMING_DELTA_CHAR_LIMIT")] = Field(
        default=0,
        ge=0,
        le=8192,
        description="number of characters up to which small pieces of a streamed text are joined; 0: each is "
        "passed on as it comes",
    )
    streaming_idle_flush_ms: Annotated[int, Names(alias="STREAMING_IDLE_FLUSH_MS")] = Field(
        default=30,
        ge=1,
        le=1000,
        description="maximum milliseconds that a piece waits for others; the first one after a pause does "
        "not wait",
    )
    limit_reached_template: Annotated[
        str,
        Names(
            "TOOL_BRIDGE_MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE",
            alias="MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE",
            range="Markdown; `{max_function_call_loops}` stands for the number",
            default="a text of the bridge",
            see="[rounds](model-loop.md)",
        ),
    ] = Field(default="", description="text of an answer that has used up its rounds")
    log_level: Annotated[
        LogLevel,
        NearestLevel,
        Names(alias="LOG_LEVEL", see="[the log of a request](model-api.md#the-log-of-a-request)"),
    ] = Field(
        default="info",
        description="level of the bridge's log on standard error; warn, trace, critical and fatal mean the "
        "nearest of these. With debug, every request has a log of its own, too",
    )
    request_logs: Annotated[RequestLogsOf, Choice, Names(alias="REQUEST_LOGS")] = Field(
        default="own",
        description="whose requests may have a log of their own: nobody's, those with keys of one user, all",
    )
