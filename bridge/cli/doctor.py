"""`tool-bridge doctor`: what is not right with the bridge, or with the place where it is to run."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import aiohttp
from pydantic import ValidationError

from bridge.app.readiness import ReadinessReport
from bridge.app.readiness_checks import write_probe
from bridge.cli.serve_settings import settings_of
from bridge.cli.store import DATABASE
from bridge.settings.declaration import SettingsError
from bridge.settings.models import ModelsFileError
from bridge.settings.network import NetworkSettings
from bridge.settings.running_bridge import refusal_to_listen, running_bridge
from bridge.settings.sources import read_section
from bridge.storage.database import StoreError, describe_database, postgresql_url

ANSWER_S = 7.0
"""Seconds for the answer of a running bridge, whose own checks take 5 at most."""

_ADVICE = {
    "database": "Read the log of the bridge. PostgreSQL: is the server up, and does it accept this machine? "
    "SQLite: does another program hold the file?",
    "data_folder": "Make room on its disk, and let the user who runs the bridge write there.",
    "documents": "Look again in a minute, as a process that hangs is replaced. Then look whether the machine "
    "lacks memory, and restart the bridge.",
    "canary": "Open the page of the canary's user (--canary-user) and accept its tool (--canary-tool). "
    "Does the page say Connected, and does the tool run there?",
    "cluster": "Does Redis run, and can the machine of this replica reach it (--redis)? tool-bridge replicas "
    "lists those that live. One that drains ends by itself.",
    "bridge": "Start it again when it has ended.",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    name: str
    ok: bool
    message: str
    advice: str = ""
    """What to do; "" when nothing is to be done."""


def doctor(options: argparse.Namespace) -> int:
    """Print what every check found; status 1 when one of them failed."""
    running = running_bridge(options.data)
    address: str | None = options.url or (running["base_url"] if running else None)
    findings = [Finding("python", ok=True, message=f"Python {platform.python_version()}.")]
    if address:
        pid = running["pid"] if running and not options.url else None
        findings += asyncio.run(_ask_bridge(address.rstrip("/"), pid))
    else:
        findings += _check_place(options)
    failed = sum(not finding.ok for finding in findings)
    if options.json:
        status = "not_ready" if failed else "ready"
        checks = [asdict(finding) for finding in findings]
        print(json.dumps({"status": status, "bridge": address, "checks": checks}))
    else:
        _print(findings, failed)
    return 1 if failed else 0


def _print(findings: list[Finding], failed: int) -> None:
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        print(f"{'ok' if finding.ok else 'FAILED':6}  {finding.name:{width}}  {finding.message}")
        if finding.advice:
            print(f"{'':6}  {'':{width}}  {finding.advice}")
    print(f"{failed} of {len(findings)} checks failed." if failed else "Everything works.")


async def _ask_bridge(address: str, pid: int | None) -> list[Finding]:
    """Return what a running bridge says of itself."""
    timeout = aiohttp.ClientTimeout(total=ANSWER_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as http,
            http.get(f"{address}/readyz") as answer,
        ):
            report = ReadinessReport.model_validate_json(await answer.read())
    except (aiohttp.ClientError, TimeoutError) as error:
        return [_silent(address, pid, str(error) or f"nothing within {ANSWER_S:g} s")]
    except ValidationError:
        advice = "Is another program there, or a bridge of an older version? --url names another address."
        return [Finding("bridge", ok=False, message=f"{address} does not answer as a bridge.", advice=advice)]
    found = [Finding("bridge", ok=True, message=f"A bridge answers at {address}/.")]
    for check in report.checks:
        advice = "" if check.ok else _ADVICE.get(check.name, "")
        found.append(Finding(check.name, check.ok, check.message, advice))
    return found


def _silent(address: str, pid: int | None, why: str) -> Finding:
    advice = "Is it running there? --url names another address."
    if pid is not None:
        advice = f"Its process is {pid}. Look whether it is stopped or busy, and restart it if need be."
    return Finding("bridge", ok=False, message=f"No bridge answers at {address}/: {why}.", advice=advice)


def _check_place(options: argparse.Namespace) -> Iterator[Finding]:
    """Return whether a bridge could start here."""
    yield _check_folder(options.data)
    yield _check_settings(options)
    yield _check_port(options)
    yield _check_database(options)


def _check_folder(folder: Path) -> Finding:
    if not folder.exists():
        return Finding("data_folder", ok=True, message=f"{folder} does not exist; the first start makes it.")
    try:
        write_probe(folder)
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}."
        advice = f"{_ADVICE['data_folder']} --data names another folder."
        return Finding("data_folder", ok=False, message=message, advice=advice)
    return Finding("data_folder", ok=True, message=f"{folder} can be written.")


def _check_settings(options: argparse.Namespace) -> Finding:
    try:
        settings_of(argparse.Namespace(**vars(options), limit=[]))
    except (SettingsError, ModelsFileError) as error:
        advice = "Correct it, or take it away for the default; docs/reference/settings.md has all of them."
        return Finding("settings", ok=False, message=str(error), advice=advice)
    return Finding("settings", ok=True, message="The environment and the file of models can be used.")


def _check_port(options: argparse.Namespace) -> Finding:
    given = {name: value for name, value in vars(options).items() if value is not None}
    try:
        network = read_section(NetworkSettings, {**os.environ, **given})
    except SettingsError:
        return Finding("port", ok=False, message="Not checked, because the settings cannot be used.")
    where = f"{network.host}:{network.port}"
    if refusal := refusal_to_listen(network.host, network.port):
        advice = "Stop the program that listens there, or choose another port with --port."
        message = f"A bridge cannot listen on {where}: {refusal}."
        return Finding("port", ok=False, message=message, advice=advice)
    return Finding("port", ok=True, message=f"A bridge can listen on {where}.")


def _check_database(options: argparse.Namespace) -> Finding:
    try:
        where = postgresql_url(options.database) if options.database else options.data / DATABASE
        return Finding("database", ok=True, message=describe_database(where))
    except StoreError as error:
        return Finding("database", ok=False, message=f"{error}.", advice=_ADVICE["database"])
