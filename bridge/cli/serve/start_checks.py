"""What refuses a start, and what a start warns of: asked by `serve`, `demo`, and beforehand by `doctor`."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from bridge.app.login_composition import compose_provider
from bridge.auth.openid_provider import OpenIdProvider
from bridge.auth.signing_keys import FETCH_S, UnusableAnswer, fetch_keys
from bridge.cli.arguments import DATABASE_VARIABLE
from bridge.cli.event_loop import EventLoop, choose_event_loop
from bridge.cli.serve.settings import settings_of
from bridge.extras import Extra, MissingExtra, is_installed, need_extra
from bridge.http.json_fetch import fetch_json
from bridge.settings.bridge import BridgeSettings
from bridge.settings.cluster import REDIS_VARIABLE, check_cluster
from bridge.settings.declaration import SettingsError
from bridge.settings.login import check_login
from bridge.settings.network import lacks_tls
from bridge.settings.storage import KEYS_VARIABLE, has_guessable_key
from bridge.settings.telemetry import TRACES_VARIABLE
from bridge.storage.database import believes_any_server, postgresql_url
from bridge.storage.errors import StoreError


class Warned(NamedTuple):
    """Something that works, and should be otherwise."""

    about: str
    """Name of the check."""
    message: str
    advice: str = ""


WITHOUT_TLS = Warned(
    "tls",
    "Other machines can reach this bridge without TLS: whoever listens on the way reads keys and answers.",
    "Put a proxy with TLS before it, and name its address: --public-url https://…",
)
UNKNOWN_DATABASE = Warned(
    "database_certificate",
    "The database is on another machine, and no certificate of it is checked: whoever answers in its place "
    "reads and changes everything.",
    "Add ?sslmode=verify-full to its address, and sslrootcert=FILE where an authority of your own has signed "
    "its certificate (docs/how-to/use-postgresql.md). In a network that you trust, say so: ?sslmode=disable.",
)
GUESSABLE_KEY = Warned(
    "encryption_key",
    f"A key in {KEYS_VARIABLE} is short: whoever gets the database may find it by trying.",
    "Put a new one in front of it, such as the output of openssl rand -base64 32, and run: "
    "tool-bridge encrypt",
)


def check_settings(
    options: argparse.Namespace, warn: Callable[[str], None], environ: Mapping[str, str] = os.environ
) -> tuple[BridgeSettings, EventLoop]:
    """Return the settings of options and environment, and the event loop that they mean.

    `warn` is told of names that have no effect.

    Raises:
        SettingsError, ModelsFileError: a bridge could not start with them.
    """
    settings = settings_of(options, warn, environ)
    check_cluster(settings.cluster, settings.network, on_postgresql=options.database is not None)
    check_login(settings.login, settings.network)
    check_extras(settings, options.database)
    return settings, choose_event_loop(settings.network.event_loop)


def check_extras(
    settings: BridgeSettings, database: str | None, can_import: Callable[[str], bool] = is_installed
) -> None:
    """Check that the drivers which settings want are installed.

    Raises:
        SettingsError: one is not; the text names the setting, and the extra that brings the driver.
    """
    wanted: tuple[tuple[str | None, Extra, str], ...] = (
        (database, "postgresql", DATABASE_VARIABLE),
        (settings.cluster.redis_url, "replicas", REDIS_VARIABLE),
        (settings.telemetry.traces_endpoint, "tracing", TRACES_VARIABLE),
    )
    for value, extra, variable in wanted:
        try:
            if value is not None:
                need_extra(extra, variable, can_import)
        except MissingExtra as error:
            raise SettingsError(str(error)) from None


def list_warnings(
    settings: BridgeSettings, database: str | None, environ: Mapping[str, str] = os.environ
) -> Iterator[Warned]:
    """Return what is wrong with settings though a bridge starts with them.

    `database`: the URL of a PostgreSQL, if it is one.
    """
    if lacks_tls(settings.network):
        yield WITHOUT_TLS
    if database and _is_believed(database, environ):
        yield UNKNOWN_DATABASE
    if has_guessable_key(settings.storage):
        yield GUESSABLE_KEY
    for message in settings.budgets.list_warnings():
        yield Warned("budgets", message)


def _is_believed(database: str, environ: Mapping[str, str]) -> bool:
    try:
        return believes_any_server(postgresql_url(database), environ)
    except StoreError:  # it is malformed, and will be refused for that
        return False


async def ask_issuers(settings: BridgeSettings) -> list[Warned]:
    """Ask the authorization servers that settings name; returns what is wrong with them now."""
    warned: list[Warned] = []
    if (provider := compose_provider(settings.login)) is not None:
        why = await _fault_of(provider.issuer, provider)
        warned += [Warned("login", f"Nobody can log in: {why}.")] if why else []
    if (issuer := settings.oauth.oauth_issuer) is not None:
        why = await _fault_of(issuer)
        warned += [Warned("oauth", f"No access token can be checked at /mcp: {why}.")] if why else []
    return warned


async def _fault_of(issuer: str, provider: OpenIdProvider | None = None) -> str:
    """Return why an issuer cannot be used; "" if its keys come, and what a login needs of a provider."""
    try:
        async with asyncio.timeout(FETCH_S):
            if provider is not None:
                await provider.authorization_url({})
            await fetch_keys(issuer, fetch_json)
    except UnusableAnswer as error:
        return str(error)
    except TimeoutError:
        return f"{issuer} did not answer within {FETCH_S:g} s"
    return ""
