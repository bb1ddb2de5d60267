"""`tool-bridge page`: the bridge page in a headless browser, until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import os
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from bridge.cli.parser import CommandFailed, WrongUsage
from bridge.log_lines import log_as_json
from bridge.operating_system import (
    call_on_stop,
    can_drive_browsers,
    measures_groups,
    notify_systemd,
)
from bridge.settings.path_prefix import prefix_of
from bridge.tasks import Tasks, sleep_safely
from bridge.unattended.browser import (
    BrowserChoice,
    check_sandbox,
    claim_profile,
    default_profile,
    find_browser,
)
from bridge.unattended.health import PageStanding, start_health
from bridge.unattended.policy import (
    Policy,
    origin_of,
    prepare_policy,
    read_policy,
    secret_variables,
)
from bridge.unattended.service import PageService, ServiceSettings

MAX_TICKET_BYTES = 4096

TELL_EVERY_S = 10.0
"""Seconds between two signs of life to systemd; `WatchdogSec` must be more than twice that."""


def page(options: argparse.Namespace) -> int:
    """Run the page until SIGINT or SIGTERM; returns the exit status."""
    if options.json_log:
        log_as_json()
    if not can_drive_browsers():
        raise CommandFailed("this system cannot run a page without a person: Linux and macOS can")
    if options.memory_limit is not None and not measures_groups():
        raise WrongUsage("--memory-limit needs Linux, which says how much memory processes use")
    settings = _settings_of(options)
    claim_profile(settings.browser.profile)
    asyncio.run(_run(settings, options.health_port))
    return 0


async def _run(settings: ServiceSettings, health_port: int | None) -> None:
    stop = asyncio.Event()
    standing = PageStanding()
    call_on_stop(asyncio.get_running_loop(), stop.set)
    async with AsyncExitStack() as stack:
        if health_port is not None:
            stack.push_async_callback((await start_health(health_port, standing)).cleanup)
        tasks = Tasks()
        stack.push_async_callback(tasks.close)
        tasks.start_task(_keep_notifying(standing), "notify systemd")
        await PageService(settings, standing, _show_code).run(stop)


async def _keep_notifying(standing: PageStanding) -> None:
    """Tell systemd that this process lives, and how the page is."""
    notify_systemd("READY=1")
    while True:
        notify_systemd(f"WATCHDOG=1\nSTATUS={standing.as_json()['reason'] or 'The page takes calls.'}")
        await sleep_safely(TELL_EVERY_S)


def _settings_of(options: argparse.Namespace) -> ServiceSettings:
    policy = read_policy(options.policy)
    check_sandbox(sandbox=not options.no_sandbox)
    return ServiceSettings(
        url=options.url,
        browser=BrowserChoice(
            path=find_browser(options.browser),
            profile=options.profile or default_profile(os.environ),
            sandbox=not options.no_sandbox,
            environ=_environ_of_browser(policy),
        ),
        policy=prepare_policy(policy, os.environ),
        local_network=policy.local_network,
        ticket=_read_ticket(options.ticket_file, options.url) if options.ticket_file else "",
        by_code=options.code,
        memory_limit_bytes=options.memory_limit and options.memory_limit * 2**20,
    )


def _environ_of_browser(policy: Policy) -> dict[str, str]:
    """The environment without what is secret: other programs of the same user can read it."""
    secret = secret_variables(policy)
    return {
        name: value
        for name, value in os.environ.items()
        if name not in secret and not name.startswith("TOOL_BRIDGE_")
    }


def _read_ticket(path: Path, url: str) -> str:
    """Return the ticket in a file: a link as it was printed, or the ticket alone."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_TICKET_BYTES).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise WrongUsage(f"the ticket file {path} cannot be read: {reason}") from None
    if not text.startswith(("http://", "https://")):
        ticket = text
    elif (named := origin_of(text) + prefix_of(text)) != origin_of(url) + prefix_of(url):
        raise WrongUsage(f"the link in {path} is for {named}, not for {url}")
    else:
        ticket = next(iter(parse_qs(urlsplit(text).fragment).get("ticket", [])), "")
    if not ticket or not ticket.replace("-", "").replace("_", "").isalnum():
        raise WrongUsage(f"the ticket file {path} holds no link or ticket: tool-bridge link prints one")
    return ticket


def _show_code(text: str) -> None:
    print(text, flush=True)
