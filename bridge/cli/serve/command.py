"""`tool-bridge serve` and `tool-bridge demo`: run a bridge until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from contextlib import AsyncExitStack
from functools import partial

from bridge.app.listening import AddressInUse
from bridge.app.parts.documents import DocumentsPart
from bridge.app.server import Bridge
from bridge.app.start import start_bridge
from bridge.bundled import BUILD_PAGE, UNBUILT_PAGE, lacks_built_page
from bridge.cli.parser import CommandFailed
from bridge.cli.reference_rules import reference_rules
from bridge.cli.serve.announcement import Started
from bridge.cli.serve.browser import Doorway
from bridge.cli.serve.options import NamedSpec, list_specs
from bridge.cli.serve.samples import start_samples
from bridge.cli.serve.start_checks import ask_issuers, check_settings, list_warnings
from bridge.cli.store import open_engines
from bridge.cli.terminal import takes_color
from bridge.documents.sources import ReferenceRules
from bridge.errors import BridgeError
from bridge.heap import freeze_heap
from bridge.library_versions import may_use_insides
from bridge.log_lines import log_as_json
from bridge.operating_system import call_on_stop, raise_descriptor_limit
from bridge.settings.bridge import BridgeSettings
from bridge.settings.chat.models import ModelsFileError
from bridge.settings.declaration import SettingsError
from bridge.settings.running_bridge import describe_running
from bridge.storage.database import Engines
from bridge.storage.errors import FolderInUse

LISTING_SECONDS = 2.0
_log = logging.getLogger(__name__)


def serve(options: argparse.Namespace) -> int:
    """Run a bridge until SIGINT or SIGTERM; returns the exit status."""
    return _run(options, with_samples=False)


def demo(options: argparse.Namespace) -> int:
    """Run a bridge and the samples until SIGINT or SIGTERM; returns the exit status."""
    return _run(options, with_samples=True)


def _run(options: argparse.Namespace, *, with_samples: bool) -> int:
    warnings: list[str] = []
    try:
        settings, loop = check_settings(options, warnings.append)
    except (SettingsError, ModelsFileError) as error:
        print("\n".join([*warnings, f"tool-bridge: {error}"]), file=sys.stderr)
        return 2
    _set_up_log(settings)
    for warning in warnings:  # as lines of the form that was asked for
        _log.warning(warning)
    is_straight = may_use_insides()
    if lacks_built_page():
        _log.warning("%s %s", UNBUILT_PAGE, BUILD_PAGE)
    _log.info("Event loop: %s (%s).", loop.name, loop.reason)
    raise_descriptor_limit()
    engines = open_engines(options)
    try:
        with loop.open_runner() as runner:
            return runner.run(
                _serve(settings, engines, options, with_samples=with_samples, is_straight=is_straight)
            )
    except FolderInUse as error:
        raise CommandFailed(f"{error}. {describe_running(options.data)}".rstrip()) from None
    except AddressInUse as error:
        advice = "--port chooses another port, 0 any free one"
        if running := describe_running(options.data):
            advice += f". A bridge already runs on {options.data}. {running} tool-bridge open shows its page"
        raise CommandFailed(f"{error}. {advice}") from None


def _set_up_log(settings: BridgeSettings) -> None:
    if settings.telemetry.log_format == "json":
        log_as_json()
    logging.getLogger("bridge").setLevel(settings.model_defaults.log_level.upper())
    for each in settings.telemetry.log_levels:
        part, _, level = each.partition("=")
        logging.getLogger(f"bridge.{part}").setLevel(level.upper())


async def _serve(
    settings: BridgeSettings,
    engines: Engines,
    options: argparse.Namespace,
    *,
    with_samples: bool,
    is_straight: bool,
) -> int:
    stop = asyncio.Event()
    call_on_stop(asyncio.get_running_loop(), stop.set)
    async with AsyncExitStack() as stack:
        samples, specs = None, list_specs(options)
        if with_samples:
            samples = await start_samples(stack, options.data, is_fixed=settings.network.port != 0)
            specs = [NamedSpec(*document) for document in samples.list_documents()]
        offer = partial(_share, specs=specs, rules=reference_rules(options))
        bridge = await start_bridge(settings, engines, offer=offer, is_straight=is_straight)
        stack.push_async_callback(bridge.close)
        page = await bridge.page_url()
        started = Started.of(bridge, page, await _model_names(bridge), samples)
        words = started.as_json() if options.json else started.in_words(in_color=takes_color(sys.stdout))
        print(words, flush=True)
        if with_samples and options.open:
            doorway = stack.enter_context(Doorway(options.build or options.data))
            doorway.open_page(page)
        for warned in list_warnings(settings, options.database):
            _log.warning(f"{warned.message} {warned.advice}".rstrip())
        bridge.components.ground.tasks.start_task(_warn_of_issuers(settings), "ask the issuers")
        freeze_heap()
        await stop.wait()
    return 0


async def _warn_of_issuers(settings: BridgeSettings) -> None:
    for warned in await ask_issuers(settings):
        _log.warning(warned.message)


async def _model_names(bridge: Bridge) -> list[str] | None:
    """What providers list soon enough; a start does not wait for one that is slow. None: no models."""
    if (wing := bridge.components.wing) is None:
        return None
    try:
        async with asyncio.timeout(LISTING_SECONDS):
            return [entry.id for entry in await wing.models.models.operators.list_models()]
    except TimeoutError:
        return []


async def _share(documents: DocumentsPart, *, specs: list[NamedSpec], rules: ReferenceRules) -> None:
    for spec in specs:
        try:
            await documents.share_document(spec.source, named=spec.named, rules=rules, overlays=spec.overlays)
        except BridgeError as error:
            _log.error("%s is left out: %s", spec.source, error.error.message)
