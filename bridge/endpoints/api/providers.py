"""`/api/providers`: providers of models that users set up in the page. A key comes in and never goes out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from typing import Literal, TypeAlias

from aiohttp import web
from pydantic import Field, ValidationError

from bridge.audit import AuditKind
from bridge.errors import BridgeError, ErrorCode
from bridge.http.access import caller_of
from bridge.http.audit import set_audit_detail
from bridge.http.body import read_body
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.routing import ApiModel, Confirmation, json_answer
from bridge.models.agent.dialect_changes import find_changes
from bridge.models.agent.model import ModelError
from bridge.models.providers.user_models import UserModels
from bridge.settings.chat.models import ANTHROPIC_URL, OPENAI_URL, DescriptionChars, ProviderSettings
from bridge.settings.chat.provider_rules import (
    Dialect,
    ProviderApi,
    ProviderRules,
    guess_dialect,
    known_dialect,
    rules_of,
)
from bridge.settings.chat.user_providers import MAX_CHOSEN_MODELS, MAX_KEY_CHARS, MAX_PROVIDERS, UserProvider
from bridge.settings.network import origin_of
from bridge.settings.users import Sharing, allows_sharing
from bridge.shown_names import check_shown_name
from bridge.storage.user_mapping import User
from toolserver.json_types import JsonObject

MAX_URL_CHARS = 2000

DefineTools: TypeAlias = Callable[[str], Awaitable[Mapping[str, JsonObject]]]

_OWN_PROTOCOLS: Mapping[str, ProviderApi] = {OPENAI_URL: "responses", ANTHROPIC_URL: "messages"}
"""Addresses whose own protocol is not Chat Completions."""


class WantedProvider(ApiModel):
    """A provider as a user wants it."""

    base_url: str = Field(max_length=MAX_URL_CHARS)
    """Address up to and including the version, such as `https://api.openai.com/v1`."""
    api: ProviderApi | None = None
    """Null: the Responses API for OpenAI's own address, the Messages API for Anthropic's, and Chat
    Completions for every other."""
    key: str | None = Field(default=None, max_length=MAX_KEY_CHARS, repr=False)
    """Null: the stored one, if the address is still of the same origin; empty: it needs none."""


class ProviderChoice(WantedProvider):
    """A provider to be stored."""

    models: list[str] = Field(default_factory=list[str], max_length=MAX_CHOSEN_MODELS)
    """Names of the models that are offered; empty: all that it lists."""
    shared: bool = False
    """Whether all users are offered it, with this key. Only for whom `TOOL_BRIDGE_SHARING` lets."""
    dialect: Dialect | None = None
    """Whose rules for tools hold, as for a gateway to them. Null: by its address."""
    strict_tools: bool | None = None
    """Whether it takes strict tools. Null: by its address."""
    max_description_chars: DescriptionChars = None
    """Maximum characters of a tool's description. Null: by its address."""
    tool_search: bool | None = None
    """Whether its models search for tools by themselves (Responses only). Null: by their names."""


class ProviderTrial(WantedProvider):
    """A provider to be asked for its models."""

    name: str = ""
    """Name of a stored provider, whose key is used where `key` is null."""
    dialect: Dialect | None = None
    """Whose rules for tools hold. Null: by its address, or by what it lists."""
    max_description_chars: DescriptionChars = None
    """Maximum characters of a tool's description. Null: by its address."""


class ProviderFacts(ApiModel):
    """A provider that the caller may use, without its key."""

    name: str
    base_url: str
    """Empty where it is none of the caller's concern: of what others have set up."""
    api: ProviderApi
    has_key: bool
    key_lost: bool = False
    """There is a key that cannot be read any more, because the bridge's secret was changed."""
    models: list[str] = Field(default_factory=list[str])
    """Those that are offered; empty: all that it lists."""
    source: Literal["settings", "shared", "own"]
    """`settings`: of the operator's file or environment; `shared`: of another user; `own` can be changed."""
    shared: bool = False
    dialect: Dialect | None = None
    """Null: by its address."""
    strict_tools: bool | None = None
    """Null: by its address."""
    max_description_chars: int | None = None
    """Null: by its address."""
    tool_search: bool | None = None
    """Null: by the names of its models."""


class ProviderList(ApiModel):
    """All providers of the caller."""

    providers: list[ProviderFacts]
    may_share: bool
    """Whether the caller may share providers; `TOOL_BRIDGE_SHARING` decides."""


class ChangeOfTool(ApiModel):
    """One thing that is otherwise in what a provider is sent of a tool."""

    kind: Literal["name", "description", "types", "keywords"]
    """Another name; a description that is cut; several types, which become forms of `anyOf`; keywords that
    words stand for."""
    name: str = ""
    """Of `name`: the other one."""
    before: int = 0
    """Of `description`: its characters."""
    after: int = 0
    """Of `description`: the characters that are left."""
    keywords: list[str] = Field(default_factory=list[str])


class ChangedTool(ApiModel):
    """A tool that a provider does not take as it is."""

    name: str
    changes: list[ChangeOfTool]


class ProviderModels(ApiModel):
    """What a provider lists now."""

    models: list[str]
    dialect: Dialect | None = None
    """Whose rules its models keep, by their names. Null: they do not say, or its address says it, or the
    caller."""
    tools: int = 0
    """Number of tools that a model is offered now."""
    changed_tools: list[ChangedTool] = Field(default_factory=list[ChangedTool])
    """Those that it does not take as they are."""


class ProviderRoutes(DeclaredApiRoutes):
    """Handlers of providers."""

    def __init__(self, models: UserModels, sharing: Sharing, define_tools: DefineTools) -> None:
        """`define_tools`: returns the definitions that a model gets of a user's tools, by name."""
        self._define_tools = define_tools
        self._sharing: Sharing = sharing
        self._store = models.store
        self._models = models

    @api_route(
        "GET /api/providers",
        ok("Providers.", ProviderList),
        access="page",
        errors=(ErrorCode.DATABASE_UNAVAILABLE,),
    )
    async def list_providers(self, request: web.Request) -> web.Response:
        """List the providers of models that the caller may use.

        They are the operator's, shared and own ones.
        """
        user = caller_of(request).user
        given = [
            _given_facts(settings, sees_address=user.is_operator)
            for settings in self._models.operators.provider_settings
        ]
        stored = [_facts(each, user.id) for each in await self._store.list_providers(user.id)]
        return json_answer(ProviderList(providers=[*given, *stored], may_share=self._may_share(user)))

    @api_route(
        "PUT /api/providers/{name}",
        ok("The provider.", ProviderFacts),
        body=ProviderChoice,
        access="page",
        errors=(ErrorCode.INVALID_REQUEST, ErrorCode.OPERATOR_ONLY, ErrorCode.DATABASE_UNAVAILABLE),
        audited=AuditKind.SETTINGS,
    )
    async def save_provider(self, request: web.Request) -> web.Response:
        """Add or change a provider of models of the caller's own."""
        user, name = caller_of(request).user, request.match_info["name"]
        user_id = user.id
        choice = await read_body(request, ProviderChoice)
        if choice.shared and not self._may_share(user):
            message = f"You may not share a provider: the bridge lets {self._sharing} do that."
            raise BridgeError(ErrorCode.OPERATOR_ONLY, message)
        if name in {settings.name for settings in self._models.operators.provider_settings}:
            raise _wrong("name", f"The operator's settings have a provider {name!r}: choose another name.")
        try:
            check_shown_name(name)
        except ValueError as error:
            raise _wrong("name", f"A name {error}.") from None
        settings = _settings_of(name, choice).model_copy(
            update={
                "dialect": choice.dialect,
                "strict_tools": choice.strict_tools,
                "max_description_chars": choice.max_description_chars,
                "tool_search": choice.tool_search,
            }
        )
        own = await self._own_providers(user_id)
        if name not in own and len(own) >= MAX_PROVIDERS:
            raise _wrong("name", f"There are {MAX_PROVIDERS} providers already, which is the limit.")
        key = _key_for(choice, own.get(name))
        models = tuple(dict.fromkeys(model.strip() for model in choice.models if model.strip()))
        provider = UserProvider(user_id, settings, key, models, is_shared=choice.shared)
        await self._store.save_provider(provider)
        self._models.clear_cache()
        set_audit_detail(request, provider=name, base_url=settings.base_url, shared=choice.shared)
        return json_answer(_facts(provider, user_id))

    @api_route(
        "DELETE /api/providers/{name}",
        ok("It is gone.", Confirmation),
        access="page",
        errors=(ErrorCode.NOT_FOUND, ErrorCode.DATABASE_UNAVAILABLE),
        audited=AuditKind.SETTINGS,
    )
    async def delete_provider(self, request: web.Request) -> web.Response:
        """Remove a provider of the caller's own, with its key."""
        user_id, name = caller_of(request).user.id, request.match_info["name"]
        if not await self._store.delete_provider(user_id, name):
            raise BridgeError(ErrorCode.NOT_FOUND, f"You have no provider {name[:100]!r}.")
        self._models.clear_cache()
        set_audit_detail(request, provider=name, removed=True)
        return json_answer(Confirmation())

    @api_route(
        "POST /api/providers/test",
        ok("Its models.", ProviderModels),
        body=ProviderTrial,
        access="page",
        errors=(
            *(ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_DOCUMENT, ErrorCode.MODEL_FAILED),
            ErrorCode.DATABASE_UNAVAILABLE,
        ),
    )
    async def test_provider(self, request: web.Request) -> web.Response:
        """Ask a provider for its models, and say which tools change for it; nothing is stored."""
        user_id = caller_of(request).user.id
        trial = await read_body(request, ProviderTrial)
        settings = _settings_of(trial.name or "provider", trial)
        key = _key_for(trial, (await self._own_providers(user_id)).get(trial.name))
        try:
            listed = await self._models.try_provider(user_id, settings, key)
        except ModelError as error:
            raise BridgeError(ErrorCode.MODEL_FAILED, error.message, detail={"code": error.code}) from None
        names = [model.name for model in listed]
        known = trial.dialect or known_dialect(settings.base_url, settings.api)
        guessed = None if known else guess_dialect(names)
        rules = rules_of(
            settings.base_url,
            settings.api,
            dialect=trial.dialect or guessed,
            max_description_chars=trial.max_description_chars,
        )
        tools = await self._define_tools(user_id)
        changed = await asyncio.to_thread(_changed_tools, tools, rules)
        return json_answer(
            ProviderModels(models=names, dialect=guessed, tools=len(tools), changed_tools=changed)
        )

    def _may_share(self, user: User) -> bool:
        return allows_sharing(self._sharing, is_operator=user.is_operator)

    async def _own_providers(self, user_id: str) -> dict[str, UserProvider]:
        stored = await self._store.list_providers(user_id)
        return {each.settings.name: each for each in stored if each.owner_id == user_id}


def _changed_tools(tools: Mapping[str, JsonObject], rules: ProviderRules) -> list[ChangedTool]:
    found = ((name, find_changes(tool, rules)) for name, tool in tools.items())
    return [
        ChangedTool(name=name, changes=[ChangeOfTool.model_validate(asdict(each)) for each in changes])
        for name, changes in found
        if changes
    ]


def _settings_of(name: str, wanted: WantedProvider) -> ProviderSettings:
    url = wanted.base_url.strip()
    api = wanted.api or _OWN_PROTOCOLS.get(url.rstrip("/"), "chat")
    try:
        return ProviderSettings(name=name, base_url=url, api=api)
    except ValidationError as error:
        first = error.errors()[0]
        raise _wrong(str(first["loc"][0]), first["msg"].removeprefix("Value error, ")) from None


def _key_for(wanted: WantedProvider, stored: UserProvider | None) -> str | None:
    """Return the key to use. A stored one goes only to the origin that it was entered for."""
    if wanted.key is not None:
        key = wanted.key.strip()
        if not key.isascii() or not key.isprintable():
            raise _wrong("key", "A key has only ASCII letters, digits and signs.")
        return key or None
    if stored is None or stored.key is None:
        return None
    if origin_of(wanted.base_url.strip()) != origin_of(stored.settings.base_url):
        raise _wrong("key", "The address is another server's now: enter its key.")
    return stored.key


def _facts(provider: UserProvider, user_id: str) -> ProviderFacts:
    settings, is_own = provider.settings, provider.owner_id == user_id
    return ProviderFacts(
        name=settings.name,
        base_url=settings.base_url if is_own else "",
        api=settings.api,
        has_key=provider.key is not None,
        key_lost=provider.is_key_lost,
        models=list(provider.models),
        source="own" if is_own else "shared",
        shared=provider.is_shared,
        dialect=settings.dialect,
        strict_tools=settings.strict_tools,
        max_description_chars=settings.max_description_chars,
        tool_search=settings.tool_search,
    )


def _given_facts(settings: ProviderSettings, *, sees_address: bool) -> ProviderFacts:
    return ProviderFacts(
        name=settings.name,
        base_url=settings.base_url if sees_address else "",
        api=settings.api,
        has_key=settings.api_key_env is not None,
        source="settings",
        shared=True,
        dialect=settings.dialect,
        strict_tools=settings.strict_tools,
        max_description_chars=settings.max_description_chars,
        tool_search=settings.tool_search,
    )


def _wrong(field: str, message: str) -> BridgeError:
    return BridgeError(ErrorCode.INVALID_REQUEST, f"{field}: {message}", detail={"field": field})
