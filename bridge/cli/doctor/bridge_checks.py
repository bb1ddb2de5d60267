"""What `tool-bridge doctor` asks a running bridge."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

import aiohttp
from pydantic import ValidationError

from bridge import __version__
from bridge.cli.doctor.findings import ADVICE, Finding, check_address
from bridge.cli.terminal import printable
from bridge.endpoints.api.account import Me
from bridge.readiness.readiness import ReadinessReport

ANSWER_S = 7.0
"""Seconds for the answer of a running bridge, whose own checks take 5 at most."""


async def ask_bridge(address: str, pid: int | None, key: str) -> list[Finding]:
    """Return what a running bridge says of itself, and of the user of a key."""
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as http,
            http.get(f"{address}/readyz") as answer,
        ):
            report = ReadinessReport.model_validate_json(await answer.read())
            account = await _ask_account(http, address, key)
    except aiohttp.ClientConnectorCertificateError as error:
        return [_distrusted(address, error)]
    except (aiohttp.ClientError, TimeoutError) as error:
        return [_silent(address, pid, str(error) or f"nothing within {ANSWER_S:g} s")]
    except ValidationError:
        advice = "Is another program there, or a bridge of an older version? --url names another address."
        return [Finding("bridge", ok=False, message=f"{address} does not answer as a bridge.", advice=advice)]
    found = [Finding("bridge", ok=True, message=f"A bridge answers at {address}/.")]
    for check in report.checks:
        advice = "" if check.ok else ADVICE.get(check.name, "")
        found.append(Finding(check.name, check.ok, check.message, advice))
    return [*found, *account]


async def _ask_account(http: aiohttp.ClientSession, address: str, key: str) -> list[Finding]:
    """Return what the bridge knows of the user of a key, and where it thinks it is."""
    if not key:
        message = "There is no key to ask with, so pages and address are not checked."
        advice = "--key or TOOL_BRIDGE_KEY gives one; tool-bridge key --user NAME makes one."
        return [Finding("key", ok=True, message=message, advice=advice, warning=True)]
    async with http.get(f"{address}/api/me", headers={"Authorization": f"Bearer {key}"}) as answer:
        content = await answer.read()
    if answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        message = f"The bridge refuses the key (status {answer.status})."
        advice = "Was it revoked, or is it another bridge's? tool-bridge key --user NAME makes one."
        return [Finding("key", ok=False, message=message, advice=advice)]
    if answer.status != HTTPStatus.OK:
        message = f"The bridge cannot check the key now (status {answer.status})."
        return [Finding("key", ok=False, message=message, advice="See what else fails, above all database.")]
    me = Me.model_validate_json(content)
    return [*_check_account(me), *check_address(me.base_url)]


def _check_account(me: Me) -> Iterator[Finding]:
    yield Finding("key", ok=True, message=f"The key is one of {printable(me.user)}.")
    if me.version != __version__:
        message = f"The bridge has version {printable(me.version)}, this program {__version__}."
        yield Finding("version", ok=True, message=message, advice="Restart the bridge.", warning=True)
    if me.pages:
        pages = "1 page" if me.pages == 1 else f"{me.pages} pages"
        yield Finding("page", ok=True, message=f"{pages} of {printable(me.user)} connected.")
    else:
        message = f"No page of {printable(me.user)} is connected, so calls of tools find no browser."
        yield Finding("page", ok=True, message=message, advice="tool-bridge open opens it.", warning=True)


def _distrusted(address: str, error: aiohttp.ClientConnectorCertificateError) -> Finding:
    why = getattr(error.certificate_error, "verify_message", "") or str(error.certificate_error)
    message = f"The certificate at {address}/ is not trusted here: {why.rstrip('.')}."
    advice = (
        "Name the bridge by a name that its certificate has, or name the file of the authority that signed "
        "it: SSL_CERT_FILE=authority.pem tool-bridge doctor …"
    )
    return Finding("bridge", ok=False, message=message, advice=advice)


def _silent(address: str, pid: int | None, why: str) -> Finding:
    advice = "Is it running there? --url names another address."
    if pid is not None:
        advice = f"Its process is {pid}. Look whether it is stopped or busy, and restart it if need be."
    return Finding("bridge", ok=False, message=f"No bridge answers at {address}/: {why}.", advice=advice)
