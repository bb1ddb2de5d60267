"""Which providers and models there are, from a file or the environment.

Takes the text of a `models.toml` and the environment; gives values. Knows nothing of HTTP and of the agent's
loop. The file names the variables of keys and never holds a key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic import JsonValue as PydanticJsonValue

from bridge.settings.chat.provider_rules import Dialect, ProviderApi, ProviderRules, rules_of
from bridge.settings.file_keys import first_mistake, suggest_key
from bridge.told_failure import ToldFailure
from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.hints import TOOL_DESCRIPTION_CHARS

WebSearch: TypeAlias = Literal["plugin", "tool", "openrouter_tool"]
"""How a provider is asked to search the web: by `plugins` (OpenRouter), by the tool `web_search` (OpenAI), or
by the tool `openrouter:web_search`."""

DEMO_ID = "demo"
"""Name of the model that needs no provider."""

KEY_VARIABLE, URL_VARIABLE = "OPENAI_API_KEY", "OPENAI_BASE_URL"
"""Variables for one provider without a file; the names that OpenAI's own programs read."""

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com/v1"
MAX_SECONDS = 7200.0

DEFAULT_PROMPT_TOKENS = 128_000
"""Maximum tokens of a prompt assumed for a model that nothing is known about; few models read less."""

_KEY_MEMBERS = frozenset({"api_key", "apikey", "key", "token", "secret", "password", "authorization"})
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ModelsFileError(ToldFailure):
    """A models file or an environment that cannot be used; the message says where, why and what to do."""

    status = 2


def _variable_name(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError(
            "must be the name of an environment variable, such as OPENAI_API_KEY; a key itself "
            "must not be in this file"
        )
    return name


def _base_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"must be an address such as {OPENAI_URL}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError(
            "must not contain a user, password, query or fragment; a key goes into the environment"
        )
    return url.rstrip("/")


Seconds: TypeAlias = Annotated[float, Field(gt=0, le=MAX_SECONDS)]
Tokens: TypeAlias = Annotated[int | None, Field(default=None, ge=1)]

MIN_DESCRIPTION_CHARS, MAX_DESCRIPTION_CHARS = 100, TOOL_DESCRIPTION_CHARS
"""Range of the setting: a sentence or two, and what no description of a tool exceeds. Chosen."""

DescriptionChars: TypeAlias = Annotated[
    int | None, Field(default=None, ge=MIN_DESCRIPTION_CHARS, le=MAX_DESCRIPTION_CHARS)
]


class ProviderSettings(BaseModel):
    """One provider, without its key."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^/\s]+$")
    """The operator's name for it, in messages and in `name/model`."""
    base_url: Annotated[str, AfterValidator(_base_url)]
    """Address up to and including the version, such as `https://api.openai.com/v1`."""
    api_key_env: Annotated[str, AfterValidator(_variable_name)] | None = None
    """Environment variable that holds the key; None for a provider that needs none."""
    api: ProviderApi = "responses"
    list_models: bool | None = None
    """Whether to offer what the provider's `/models` lists; None: unless the file names models of it."""
    connect_seconds: Seconds = 30.0
    """Maximum seconds of one attempt to connect."""
    first_event_seconds: Seconds = 600.0
    """Maximum seconds from a round's start to its first event, over all attempts."""
    idle_seconds: Seconds = 600.0
    """Maximum seconds without a byte from a connected provider, before the first event and within the
    stream."""
    max_tokens_name: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """`chat` only: the provider's name for the maximum tokens of an answer."""
    stream_usage: bool = True
    """`chat` only: whether it accepts `stream_options`, and reports the usage at the end of a stream."""
    return_reasoning: bool = False
    """`chat` only: whether it expects back, as `reasoning_content`, the model's reasoning since the user's
    message."""
    dialect: Dialect | None = None
    """Whose rules for tools hold, as for a gateway to them; None: by its address."""
    strict_tools: bool | None = None
    """Whether it takes strict tools; None: by its dialect and address."""
    max_description_chars: DescriptionChars = None
    """Maximum characters of a tool's description; None: by its address."""
    trace_context: bool = False
    """Whether it is told of the trace of each round, where turns are traced."""
    truncation: bool = True
    """`responses` only: whether it accepts `truncation`."""
    tool_search: bool | None = None
    """`responses` only: whether its models search for tools by themselves; None: decided by their names."""
    web_search: WebSearch | None = None
    """Applies to all of its models that can search and have no setting of their own."""
    pseudo_models: bool = True
    """Whether to offer names such as `o4-mini-high` besides its own models; see
    `bridge.settings.chat.model_facts`."""

    @property
    def rules(self) -> ProviderRules:
        """What it refuses in requests."""
        return rules_of(
            self.base_url,
            self.api,
            dialect=self.dialect,
            strict_tools=self.strict_tools,
            max_description_chars=self.max_description_chars,
        )


class ModelSettings(BaseModel):
    """One model that callers may name."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: str = Field(min_length=1, max_length=200)
    """The callers' name for it."""
    provider: str
    model: str | None = Field(default=None, min_length=1)
    """The provider's name for it; None: the same as `id`."""
    display_name: str | None = None
    """Name for people; None: the `id`."""
    can_call_functions: bool = True
    """False: it is never offered tools, unless its calls are text."""
    text_calls: bool = False
    """Whether calls are read from its texts; if `can_call_functions` is false, its tools are described in
    words."""
    subquery: bool = False
    """Whether it may give tasks to itself, in turns inside its turn."""
    sees_images: bool | None = None
    """Whether it is shown images that calls return; other models are only informed of them. None: decided by
    its name."""
    tool_search: bool | None = None
    """Whether it searches for tools by itself; None: the provider's setting applies."""
    max_rounds: int | None = Field(default=None, ge=1, le=200)
    """Maximum number of rounds of one answer; None: the bridge's setting applies."""
    web_search: WebSearch | Literal["none"] | None = None
    """None: the provider's setting applies; "none": it cannot search."""
    reasons: bool | None = None
    """Whether it reasons before it answers; None: decided by its name."""
    max_prompt_tokens: Tokens = None
    """Maximum tokens that it reads."""
    context_tokens: Tokens = None
    """Maximum tokens that it reads and writes together."""
    max_completion_tokens: Tokens = None
    """Maximum tokens that it writes."""
    options: dict[str, PydanticJsonValue] = Field(default_factory=dict[str, PydanticJsonValue])
    """Members of a Responses request that apply unless a caller sets them."""

    @property
    def prompt_tokens(self) -> int:
        """Maximum tokens that it reads, from what is known about it."""
        if self.max_prompt_tokens is not None:
            return self.max_prompt_tokens
        if self.context_tokens is None:
            return DEFAULT_PROMPT_TOKENS
        left = self.context_tokens - (self.max_completion_tokens or 0)
        return left if left > 0 else self.context_tokens


class ModelsFile(BaseModel):
    """All providers and all models that have a name of the operator's."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    provider: tuple[ProviderSettings, ...] = ()
    model: tuple[ModelSettings, ...] = ()


def read_models(text: str, file: str) -> ModelsFile:
    """Parse the settings in a TOML text; `file` names it in errors.

    Raises:
        ModelsFileError: it is not TOML, or has unusable settings; the message names file, table and key, and
            never a value.
    """
    try:
        root: JsonObject = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelsFileError(f"{file} is not TOML: {error}.") from None
    _refuse_keys(root, file)
    try:
        read = ModelsFile.model_validate(root)
    except ValidationError as error:
        raise ModelsFileError(_sentence(error, root, file)) from None
    _refuse_doubles(read, file)
    apis: dict[str, ProviderApi] = {provider.name: provider.api for provider in read.provider}
    _refuse_searches(read, apis, file)
    _refuse_tool_searches(read, apis, file)
    return read


def models_of_environment(environ: Mapping[str, str]) -> ModelsFile:
    """Return the one provider of OpenAI's own variables; an empty file without key and address.

    For an address other than OpenAI's, Chat Completions is used, which nearly every server speaks.

    Raises:
        ModelsFileError: the address is invalid.
    """
    key = environ.get(KEY_VARIABLE)
    url = environ.get(URL_VARIABLE)
    if not key and not url:
        return ModelsFile()
    try:
        provider = ProviderSettings(
            name="openai",
            base_url=url or OPENAI_URL,
            api_key_env=KEY_VARIABLE if key else None,
            api="chat" if url and url.rstrip("/") != OPENAI_URL else "responses",
        )
    except ValidationError as error:
        raise ModelsFileError(f"{URL_VARIABLE} {_what(error.errors()[0]['msg'])}.") from None
    return ModelsFile(provider=(provider,))


def key_of(provider: ProviderSettings, environ: Mapping[str, str]) -> str | None:
    """Return the key of a provider; None when it needs none.

    Raises:
        ModelsFileError: its variable is not set.
    """
    if provider.api_key_env is None:
        return None
    if key := environ.get(provider.api_key_env, "").strip():
        return key
    raise ModelsFileError(
        f"The key of the provider {provider.name} is missing: set the environment variable "
        f"{provider.api_key_env}."
    )


def _refuse_keys(root: JsonObject, file: str) -> None:
    """Refuse keys in the file first of all, so that they are reported as what they are."""
    for table in ("provider", "model"):
        rows = root.get(table)
        for index, row in enumerate(rows if isinstance(rows, list) else []):
            found = [name for name in row if name.lower() in _KEY_MEMBERS] if isinstance(row, dict) else []
            if found:
                raise ModelsFileError(
                    f"{_place(file, table, index, row)} holds `{found[0]}`. Keys must not be "
                    "in this file: put it into an environment variable, and name that in `api_key_env`."
                )


def _refuse_doubles(read: ModelsFile, file: str) -> None:
    providers = [provider.name for provider in read.provider]
    for table, names in (("provider", providers), ("model", [model.id for model in read.model])):
        for index, name in enumerate(names):
            if name in names[:index]:
                raise ModelsFileError(
                    f"{file}: there are two [[{table}]] named {name!r}; each needs its own name."
                )
    for model in read.model:
        if model.provider not in providers:
            known = ", ".join(providers) or "none"
            raise ModelsFileError(
                f"{file}: [[model]] {model.id!r} names the provider {model.provider!r}, which is not in the "
                f"file. Providers: {known}."
            )


def _refuse_searches(read: ModelsFile, apis: Mapping[str, ProviderApi], file: str) -> None:
    """Refuse OpenAI's search tool for Chat Completions, which has no way to express it."""
    wanted = [
        (f"[[provider]] {provider.name!r}", provider.name, provider.web_search) for provider in read.provider
    ]
    wanted += [(f"[[model]] {model.id!r}", model.provider, model.web_search) for model in read.model]
    for table, provider, form in wanted:
        if form is not None and form != "none" and apis.get(provider) == "messages":
            raise ModelsFileError(
                f'{file}, {table}: web_search needs a provider with api = "responses" or api = "chat".'
            )
        if form == "tool" and apis.get(provider) == "chat":
            raise ModelsFileError(
                f'{file}, {table}: web_search = "tool" needs a provider with api = "responses"; with Chat '
                'Completions there are "plugin" and "openrouter_tool".'
            )


def _refuse_tool_searches(read: ModelsFile, apis: Mapping[str, ProviderApi], file: str) -> None:
    """Refuse tool search where no request could express it: with Chat Completions, and for calls in texts."""
    wanted = [
        (f"[[provider]] {each.name!r}", each.api == "responses") for each in read.provider if each.tool_search
    ]
    wanted += [
        (
            f"[[model]] {each.id!r}",
            apis.get(each.provider) == "responses" and each.can_call_functions and not each.text_calls,
        )
        for each in read.model
        if each.tool_search
    ]
    for table, is_possible in wanted:
        if not is_possible:
            raise ModelsFileError(
                f'{file}, {table}: tool_search needs a provider with api = "responses", and a model that '
                "calls functions by itself."
            )


_WORDS = {
    "extra_forbidden": "is not known here",
    "missing": "is missing",
    "tuple_type": "must be written as tables, such as [[provider]]",
}
"""Our wording of mistakes for which Pydantic uses terms of its own."""


def _sentence(error: ValidationError, root: JsonObject, file: str) -> str:
    """Return the first mistake as a sentence."""
    first = first_mistake(error)
    place = [str(part) for part in first["loc"]]
    what = f"{_WORDS.get(first['type']) or _what(first['msg'])}."
    if first["type"] == "extra_forbidden":
        what = what.removesuffix(".") + (suggest_key(ModelsFile, first["loc"]) or ".")
    match first["loc"]:
        case (str() as table, int() as index, *path):
            rows = root.get(table)
            row = rows[index] if isinstance(rows, list) else None
            where = _place(file, table, index, row)
            return f"{where}: `{'.'.join(str(part) for part in path)}` {what}"
        case _:
            return f"{file}: `{'.'.join(place)}` {what}"


def _what(message: str) -> str:
    """Return Pydantic's message as the end of our sentence."""
    said = message.removeprefix("Value error, ").removesuffix(".")
    return said[0].lower() + said[1:] if said.startswith(("Input", "Field", "String", "Value")) else said


def _place(file: str, table: str, index: int, row: JsonValue) -> str:
    name = row.get("id" if table == "model" else "name") if isinstance(row, dict) else None
    return f"{file}, [[{table}]] {index + 1}" + (f" ({name})" if isinstance(name, str) else "")
