"""What hosts of models refuse: strict tools, long descriptions, keywords of schemas, ids of calls. Pure.

A host is known by its name in a provider's address, and a model that a gateway passes on by its own name. All
is from public reports of requests that were refused, since hosts document little of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

ProviderApi: TypeAlias = Literal["responses", "chat", "messages"]
"""The protocol that a provider speaks: the Responses API, Chat Completions, or Anthropic's Messages API."""

Dialect: TypeAlias = Literal["openai", "openai-legacy", "azure", "gemini", "anthropic", "plain"]
"""Whose rules for tools hold: a host's own, or those of what a gateway passes requests on to."""

Strictness: TypeAlias = Literal["possible", "off", "unsaid"]
"""What definitions of tools say about strict mode: true where it is possible and else false; false; or
nothing, for chat providers, some of which refuse the word."""

MAX_CHAT_DESCRIPTION_CHARS = 1024
"""Maximum characters of a function's description at OpenAI's Chat Completions, and Azure's; longer ones are a
400, "Expected a string with maximum length 1024" (OpenHands #4838, sentry-mcp #106)."""


@dataclass(frozen=True, slots=True)
class SchemaRules:
    """What a provider takes in schemas of arguments that takes less than JSON Schema.

    A type is one word, null is `nullable`, allowed values are texts, and `anyOf` stands alone.
    """

    keywords: frozenset[str]
    """Keywords that are taken, `anyOf` apart from the others."""
    formats: Mapping[str, frozenset[str]]
    """Formats that are taken, by type."""


GEMINI_SCHEMAS = SchemaRules(
    keywords=frozenset(
        {
            *("anyOf", "default", "description", "enum", "example", "format", "items", "nullable", "pattern"),
            *("maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties"),
            *("minimum", "properties", "propertyOrdering", "required", "title", "type", "$defs", "$ref"),
        }
    ),
    formats={
        "string": frozenset({"enum", "date-time"}),
        "number": frozenset({"float", "double"}),
        "integer": frozenset({"int32", "int64"}),
    },
)
"""Google's endpoints read schemas into a message of their own and answer anything else with a 400, "Unknown
name" (google-genai's `Schema`; AstrBot #7572, CLIProxyAPI #1839 and #2142, 9router #2309)."""


@dataclass(frozen=True, slots=True)
class CallIdForm:
    """The form that ids of calls must have."""

    pattern: re.Pattern[str]
    """Matches a whole id that is accepted."""
    chars: int
    """Length of an id that replaces one of another form; made of letters and digits."""


_UP_TO_40 = CallIdForm(re.compile(r".{1,40}", re.DOTALL), 40)
_UP_TO_64 = CallIdForm(re.compile(r".{1,64}", re.DOTALL), 40)
_NINE = CallIdForm(re.compile(r"[a-zA-Z0-9]{9}"), 9)
_PLAIN = CallIdForm(re.compile(r"[a-zA-Z0-9_-]{1,64}"), 40)

_IDS_OF_MODELS = (
    (re.compile(r"mistral|mixtral|ministral|codestral|devstral|magistral|pixtral", re.IGNORECASE), _NINE),
    (re.compile(r"claude", re.IGNORECASE), _PLAIN),
)
"""Models that need a form of their own behind every gateway, too (openclaw #57672, senpi #810)."""


@dataclass(frozen=True, slots=True)
class ProviderRules:
    """What is refused in requests to one provider. The defaults refuse nothing."""

    strictness: Strictness = "possible"
    max_description_chars: int | None = None
    """Maximum characters of the description of a function; None: no limit of the provider's."""
    schemas: SchemaRules | None = None
    """Of arguments; None: any JSON Schema."""
    refused_at_root: frozenset[str] = frozenset()
    """Keywords that a schema of arguments must not have at its root."""
    takes_examples: bool = False
    """Whether a tool may have examples of its arguments beside their schema."""
    begins_with_letter: bool = False
    """Whether names of tools must begin with a letter or `_`."""
    call_ids: CallIdForm | None = None
    """None: any."""

    def call_ids_of(self, model: str) -> CallIdForm | None:
        """Return the form of the ids of calls in a request for a model; None: any."""
        for name, form in _IDS_OF_MODELS:
            if name.search(model):
                return form
        return self.call_ids


_OPENAI = ("api.openai.com",)
_AZURE = (
    "openai.azure.com",
    "openai.azure.us",
    "cognitiveservices.azure.com",
    "ai.azure.com",
    "models.github.ai",
)
_MISTRAL = ("mistral.ai",)
_HOSTS: tuple[tuple[Dialect, tuple[str, ...]], ...] = (
    ("azure", _AZURE),
    ("gemini", ("googleapis.com",)),
    ("anthropic", ("anthropic.com",)),
)
_USUAL_APIS: Mapping[Dialect, ProviderApi] = {"openai": "responses", "anthropic": "messages"}
"""Protocols of dialects, where it is not Chat Completions."""

_NAMES_OF_MODELS: tuple[tuple[Dialect, re.Pattern[str]], ...] = (
    ("gemini", re.compile(r"(?:^|/)(?:gemini|gemma|text-embedding-00|imagen|veo)-", re.IGNORECASE)),
    ("anthropic", re.compile(r"(?:^|[/.])claude-", re.IGNORECASE)),
)
_FORMS = frozenset({"anyOf", "oneOf", "allOf"})
_OPENAIS_ROOT = _FORMS | {"enum", "not"}
_REFUSED_AT_ROOT: Mapping[Dialect, frozenset[str]] = {
    "openai": _OPENAIS_ROOT,
    "openai-legacy": _OPENAIS_ROOT,
    "azure": _OPENAIS_ROOT,
    "anthropic": _FORMS,
}
_NOT_STRICT = ("cerebras.ai", "upstage.ai")
"""Of these the first refuses strict tools beside others, the second all (kilocode #5189, Zoo-Code #1036).
Anthropic's Messages API takes a few in a request."""


def rules_of(
    base_url: str,
    api: ProviderApi,
    *,
    dialect: Dialect | None = None,
    strict_tools: bool | None = None,
    max_description_chars: int | None = None,
) -> ProviderRules:
    """Return the rules of a provider by its address; the settings given count more than what is known."""
    host = _host_of(base_url)
    spoken = dialect or known_dialect(base_url, api) or "plain"
    strict = spoken != "gemini" and api != "messages" and not _is_one_of(host, _NOT_STRICT)
    is_cut = api == "chat" and spoken in ("openai-legacy", "azure")
    return ProviderRules(
        strictness="possible" if (strict if strict_tools is None else strict_tools) else without_strict(api),
        max_description_chars=max_description_chars or (MAX_CHAT_DESCRIPTION_CHARS if is_cut else None),
        schemas=GEMINI_SCHEMAS if spoken == "gemini" else None,
        refused_at_root=_REFUSED_AT_ROOT.get(spoken, frozenset()),
        takes_examples=api == "messages",
        begins_with_letter=spoken == "gemini",
        call_ids=_NINE if _is_one_of(host, _MISTRAL) else _call_ids_of_dialect(spoken, api),
    )


def rules_in_dialect(dialect: Dialect) -> ProviderRules:
    """Return the rules of a dialect in the protocol that is usual for it."""
    return rules_of("", _USUAL_APIS.get(dialect, "chat"), dialect=dialect)


def guess_dialect(models: Collection[str]) -> Dialect | None:
    """Return whose models these are, by their names, with or without a vendor before them.

    None: of several, or of others.
    """
    for dialect, name in _NAMES_OF_MODELS:
        if models and all(name.search(model) for model in models):
            return dialect
    return None


def known_dialect(base_url: str, api: ProviderApi) -> Dialect | None:
    """Return the dialect of a provider by its address and protocol; None: they say nothing."""
    return "anthropic" if api == "messages" else _dialect_of_host(_host_of(base_url), api)


def _host_of(base_url: str) -> str:
    return (urlsplit(base_url).hostname or "").rstrip(".").lower()


def _dialect_of_host(host: str, api: ProviderApi) -> Dialect | None:
    if _is_one_of(host, _OPENAI):
        return "openai-legacy" if api == "chat" else "openai"
    for dialect, hosts in _HOSTS:
        if _is_one_of(host, hosts):
            return dialect
    return None


def _call_ids_of_dialect(dialect: Dialect, api: ProviderApi) -> CallIdForm | None:
    if dialect == "anthropic":
        return _PLAIN
    if dialect in ("gemini", "plain"):
        return None
    return _UP_TO_40 if api == "chat" else _UP_TO_64


def without_strict(api: ProviderApi) -> Strictness:
    """Return what a tool says that is not strict: providers of Responses take silence for strict."""
    return "off" if api == "responses" else "unsaid"


def _is_one_of(host: str, names: tuple[str, ...]) -> bool:
    """Whether a host has one of these names, or one below it."""
    return any(host == name or host.endswith(f".{name}") for name in names)
