"""Which providers and models there are, as a file or the environment tells.

Receives the text of a `models.toml` and the environment; gives values. Knows nothing of HTTP and of the
loop. Keys are named by the file, never held by it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic import JsonValue as PydanticJsonValue

from toolserver.json_types import JsonObject, JsonValue

ProviderApi: TypeAlias = Literal["responses", "chat"]
"""What a provider speaks: the Responses API, or Chat Completions."""

WebSearch: TypeAlias = Literal["plugin", "tool", "openrouter_tool"]
"""How a provider is asked to search the web: by `plugins` (OpenRouter), by the tool `web_search` (OpenAI), or
by the tool `openrouter:web_search`."""

KEY_VARIABLE, URL_VARIABLE = "OPENAI_API_KEY", "OPENAI_BASE_URL"
"""One provider without a file; the names that OpenAI's own programs read."""

OPENAI_URL = "https://api.openai.com/v1"
MAX_SECONDS = 7200.0

DEFAULT_PROMPT_TOKENS = 128_000
"""That a model reads of which nothing is known; few read less."""

_KEY_MEMBERS = frozenset({"api_key", "apikey", "key", "token", "secret", "password", "authorization"})
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ModelsFileError(Exception):
    """A file of models, or an environment, that cannot be used: where, why and what to do."""


def _variable_name(name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        raise ValueError(
            "must be the name of an environment variable, such as OPENAI_API_KEY; a key itself does not "
            "belong into this file"
        )
    return name


def _base_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"must be an address such as {OPENAI_URL}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("must hold no user, password, query or fragment; a key goes into the environment")
    return url.rstrip("/")


Seconds: TypeAlias = Annotated[float, Field(gt=0, le=MAX_SECONDS)]
Tokens: TypeAlias = Annotated[int | None, Field(default=None, ge=1)]


class ProviderSettings(BaseModel):
    """One provider, without its key."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(min_length=1, max_length=100, pattern=r"^[^/\s]+$")
    """The operator's, for messages and for `name/model`."""
    base_url: Annotated[str, AfterValidator(_base_url)]
    """Up to and with the version, such as `https://api.openai.com/v1`."""
    api_key_env: Annotated[str, AfterValidator(_variable_name)] | None = None
    """The environment variable that holds the key; None for a provider that wants none."""
    api: ProviderApi = "responses"
    list_models: bool | None = None
    """Offer what the provider's `/models` lists; None: unless the file names models of it."""
    connect_seconds: Seconds = 30.0
    """For one try to connect."""
    first_event_seconds: Seconds = 600.0
    """From a round's start to its first event, all tries together."""
    idle_seconds: Seconds = 600.0
    """Without one byte from a provider that is connected, before its first event and amid the stream."""
    max_tokens_name: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"
    """`chat` only: what it calls the most tokens of an answer."""
    stream_usage: bool = True
    """`chat` only: it takes `stream_options`, and tells the usage at the end of a stream."""
    return_reasoning: bool = False
    """`chat` only: it wants back, as `reasoning_content`, what its model thought since the user's message."""
    truncation: bool = True
    """`responses` only: it takes `truncation`."""
    web_search: WebSearch | None = None
    """For all its models that say nothing else and can."""
    pseudo_models: bool = True
    """Offer names such as `o4-mini-high` beside the models that it has; see `bridge.settings.model_facts`."""


class ModelSettings(BaseModel):
    """One model that callers may name."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: str = Field(min_length=1, max_length=200)
    """The callers' name for it."""
    provider: str
    model: str | None = Field(default=None, min_length=1)
    """The provider's name for it; None: the same as `id`."""
    display_name: str | None = None
    """For people; None: the `id`."""
    can_call_functions: bool = True
    """False: it is never offered tools, unless its calls are text."""
    text_calls: bool = False
    """Its texts are read for calls; with `can_call_functions` false it is told its tools in words."""
    subquery: bool = False
    """It may give tasks to itself, in turns inside its turn."""
    sees_images: bool = False
    """It is shown the images that calls give; any other model is only told of them."""
    max_rounds: int | None = Field(default=None, ge=1, le=200)
    """Rounds of one answer; None: as the bridge's own setting says."""
    web_search: WebSearch | Literal["none"] | None = None
    """None: as the provider's settings say; "none": it cannot."""
    reasons: bool | None = None
    """It thinks before it answers; None: as its name tells."""
    max_prompt_tokens: Tokens = None
    """That it reads at most."""
    context_tokens: Tokens = None
    """That it reads and writes at most, together."""
    max_completion_tokens: Tokens = None
    """That it writes at most."""
    options: dict[str, PydanticJsonValue] = Field(default_factory=dict[str, PydanticJsonValue])
    """Members of a Responses request that hold unless a caller says otherwise."""

    @property
    def prompt_tokens(self) -> int:
        """That it reads at most, by what is known of it."""
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
    """The settings in a TOML text; `file` names it in errors.

    Raises:
        ModelsFileError: it is no TOML, or says what cannot be used; the message names file, table and key,
            and never a value.
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
    _refuse_searches(read, file)
    return read


def models_of_environment(environ: Mapping[str, str]) -> ModelsFile:
    """The one provider that OpenAI's own variables name; nothing when there is neither key nor address.

    Another address than OpenAI's is asked by Chat Completions, which nearly every server speaks.

    Raises:
        ModelsFileError: the address is none.
    """
    key, url = environ.get(KEY_VARIABLE), environ.get(URL_VARIABLE)
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
    """The key of a provider; None when it wants none.

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
    """Before anything else, so that a key in the file is told as what it is."""
    for table in ("provider", "model"):
        rows = root.get(table)
        for index, row in enumerate(rows if isinstance(rows, list) else []):
            found = [name for name in row if name.lower() in _KEY_MEMBERS] if isinstance(row, dict) else []
            if found:
                raise ModelsFileError(
                    f"{_place(file, table, index, row)} holds `{found[0]}`. Keys do not belong into this "
                    "file: put it into an environment variable, and name that in `api_key_env`."
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


def _refuse_searches(read: ModelsFile, file: str) -> None:
    """OpenAI's tool has no words in Chat Completions."""
    apis = {provider.name: provider.api for provider in read.provider}
    wanted = [
        (f"[[provider]] {provider.name!r}", provider.name, provider.web_search) for provider in read.provider
    ]
    wanted += [(f"[[model]] {model.id!r}", model.provider, model.web_search) for model in read.model]
    for table, provider, form in wanted:
        if form == "tool" and apis.get(provider) == "chat":
            raise ModelsFileError(
                f'{file}, {table}: web_search = "tool" needs a provider with api = "responses"; with Chat '
                'Completions there are "plugin" and "openrouter_tool".'
            )


_WORDS = {
    "extra_forbidden": "is not known here",
    "missing": "is missing",
    "tuple_type": "must be written as tables, such as [[provider]]",
}
"""Of mistakes that Pydantic names in words of its own."""


def _sentence(error: ValidationError, root: JsonObject, file: str) -> str:
    """The first thing that is wrong."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = [str(part) for part in first["loc"]]
    what = _WORDS.get(first["type"]) or _what(first["msg"])
    match first["loc"]:
        case (str() as table, int() as index, *path):
            rows = root.get(table)
            row = rows[index] if isinstance(rows, list) else None
            where = _place(file, table, index, row)
            return f"{where}: `{'.'.join(str(part) for part in path)}` {what}."
        case _:
            return f"{file}: `{'.'.join(place)}` {what}."


def _what(message: str) -> str:
    """Pydantic's words as the end of our sentence."""
    said = message.removeprefix("Value error, ").removesuffix(".")
    return said[0].lower() + said[1:] if said.startswith(("Input", "Field", "String", "Value")) else said


def _place(file: str, table: str, index: int, row: JsonValue) -> str:
    name = row.get("id" if table == "model" else "name") if isinstance(row, dict) else None
    return f"{file}, [[{table}]] {index + 1}" + (f" ({name})" if isinstance(name, str) else "")
