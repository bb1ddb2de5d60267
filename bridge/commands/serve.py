"""`tool-bridge serve` and `tool-bridge demo`: run a bridge until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
from contextlib import AsyncExitStack

from aiohttp import web

from bridge.commands import options as option_values
from bridge.commands.model_options import TEMPLATE_VARIABLE, add_models, is_strict, models_of
from bridge.config import (
    DEFAULT_APPROVAL_S,
    DEFAULT_AUDIT_DAYS,
    DEFAULT_MAX_ANSWER_BYTES,
    DEFAULT_PORT,
    SAMPLES_PORT,
    Settings,
)
from bridge.edges.document_sources import ReferenceRules
from bridge.edges.model_book import DEMO_ID
from bridge.edges.store import Store
from bridge.limits import read_given
from bridge.models import ModelsFileError
from bridge.policy import APPROVAL_MODES
from bridge.service import AddressInUse, Bridge, start_bridge
from bridge.wire import BridgeError
from examples.sample_api import start_sample_api
from toolserver.selection import MODEL_LIMIT

SAMPLES = ("shop.json", "library.yaml", "thermostat.yaml", "answers.yaml", "mirror.yaml", "untidy.yaml")
"""The sample documents of the demo, most inviting first."""


LISTING_SECONDS = 2.0
SHOWN_MODELS = 5
"""Names that are printed at a start."""

_TRY_IT = """\
Talk to the demo model, once the page is open and its tools are accepted:
  curl {url}/v1/chat/completions -H "Authorization: Bearer {key}" -H "Content-Type: application/json" \\
    -d '{{"model": "demo", "messages": [{{"role": "user", "content": "CALL listProducts {{}}"}}]}}'"""


def add_arguments(parser: argparse.ArgumentParser, *, with_specs: bool) -> None:
    """The options of `serve` and `demo`."""
    if with_specs:
        parser.add_argument(
            "--spec",
            action="append",
            default=[],
            metavar="FILE|URL",
            help="offer this OpenAPI document to every user (may be repeated)",
        )
        option_values.add_references(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--port",
        type=option_values.port,
        default=DEFAULT_PORT,
        help=f"default: {DEFAULT_PORT}; 0: any free one",
    )
    parser.add_argument(
        "--public-url",
        type=option_values.origin,
        metavar="ORIGIN",
        help="canonical address of the page, when it is behind a proxy",
    )
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="HOST[:PORT]", help="answer this Host header too"
    )
    parser.add_argument(
        "--allow-origin",
        type=option_values.origin,
        action="append",
        default=[],
        metavar="ORIGIN",
        help="pages of this origin may use the tools (Open WebUI's, for direct tool servers)",
    )
    _add_bounds(parser)
    parser.add_argument(
        "--audit-days",
        type=option_values.audit_days,
        default=DEFAULT_AUDIT_DAYS,
        metavar="DAYS",
        help=f"for which the audit log is kept (default: {DEFAULT_AUDIT_DAYS})",
    )
    _add_approval(parser)
    _add_model_limits(parser)
    add_models(parser)
    _add_forwarding(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON line when ready")


def _add_bounds(parser: argparse.ArgumentParser) -> None:
    """How long, and how much at once."""
    parser.add_argument(
        "--deadline",
        type=option_values.seconds,
        metavar="SECONDS",
        help="for one call, 1 to 600; short for --limit TOOL_TIMEOUT_SECONDS=SECONDS",
    )
    parser.add_argument(
        "--limit",
        type=option_values.limit,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="one of the limits, which are read from environment variables too (may be repeated)",
    )


def _add_model_limits(parser: argparse.ArgumentParser) -> None:
    """What a model is shown, and reads of an answer."""
    parser.add_argument(
        "--max-tools",
        type=option_values.tool_count,
        default=MODEL_LIMIT,
        metavar="NUMBER",
        help=f"shown to a model at most; the others are found by search (default: {MODEL_LIMIT})",
    )
    parser.add_argument(
        "--max-tool-tokens",
        type=option_values.token_budget,
        metavar="NUMBER",
        help="that the definitions shown to a model may take (default: no budget)",
    )
    parser.add_argument(
        "--max-answer-bytes",
        type=option_values.answer_bytes,
        default=DEFAULT_MAX_ANSWER_BYTES,
        metavar="BYTES",
        help="text of one answer that a caller reads; the rest is kept "
        f"(default: {DEFAULT_MAX_ANSWER_BYTES}; 0: all of it, up to 16 MiB)",
    )


def _add_approval(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--approve",
        choices=APPROVAL_MODES,
        default="safe",
        help="safe: calls that only read run, others ask in the page (default) · ask: every call asks · "
        "all: none does; each user may choose otherwise in the page",
    )
    parser.add_argument(
        "--approval-time",
        type=option_values.seconds,
        default=DEFAULT_APPROVAL_S,
        metavar="SECONDS",
        help=f"to answer, 1 to 600; then it is a denial (default: {DEFAULT_APPROVAL_S:g})",
    )


def _add_forwarding(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--user-jwt-secret",
        type=option_values.secret_of_file,
        default=None,
        metavar="FILE",
        help="the secret that Open WebUI signs its users with (default: the environment variable "
        "FORWARD_USER_INFO_HEADER_JWT_SECRET)",
    )
    parser.add_argument(
        "--trust-user-headers",
        action="store_true",
        help="believe forwarder keys that name their user in plain headers",
    )


def serve(options: argparse.Namespace) -> int:
    """Run a bridge until SIGINT or SIGTERM; returns the exit status."""
    return _run(options, with_samples=False)


def demo(options: argparse.Namespace) -> int:
    """Run a bridge and a sample API on another port until SIGINT or SIGTERM; returns the exit status."""
    return _run(options, with_samples=True)


def _run(options: argparse.Namespace, *, with_samples: bool) -> int:
    try:
        settings = settings_of(options)
    except (argparse.ArgumentTypeError, BridgeError, ModelsFileError) as error:
        print(f"tool-bridge: {error}", file=sys.stderr)
        return 2
    store = option_values.open_store(settings.data_dir)
    try:
        return asyncio.run(_serve(settings, store, options, with_samples=with_samples))
    except AddressInUse as error:
        print(f"tool-bridge: {error}", file=sys.stderr)
        return 1


def settings_of(options: argparse.Namespace) -> Settings:
    """Settings from parsed options and the environment.

    Raises:
        ArgumentTypeError, BridgeError, ModelsFileError: a variable of the environment, or the file of models,
            says what cannot be used.
    """
    limits, warnings = read_given({**os.environ, **dict(options.limit)})
    if options.deadline is not None:
        limits["TOOL_TIMEOUT_SECONDS"] = options.deadline
    for warning in warnings:
        logging.getLogger(__name__).warning(warning)
    return Settings(
        data_dir=options.data,
        host=options.host,
        port=options.port,
        public_url=options.public_url,
        allowed_hosts=tuple(options.allow_host),
        allowed_origins=tuple(options.allow_origin),
        user_jwt_secret=options.user_jwt_secret or option_values.secret_of_environment(),
        trust_user_headers=options.trust_user_headers,
        limits=limits,
        models=models_of(options, os.environ),
        environ=os.environ,
        enable_strict_tool_calling=is_strict(os.environ),
        limit_reached_template=os.environ.get(TEMPLATE_VARIABLE, ""),
        audit_days=options.audit_days,
        approve=options.approve,
        approval_s=options.approval_time,
        max_tools=options.max_tools,
        max_tool_tokens=options.max_tool_tokens,
        max_answer_bytes=options.max_answer_bytes,
    )


async def _serve(settings: Settings, store: Store, options: argparse.Namespace, *, with_samples: bool) -> int:
    stop = asyncio.Event()
    _stop_on_signals(stop)
    async with AsyncExitStack() as stack:
        bridge = await start_bridge(settings, store)
        stack.push_async_callback(bridge.close)
        samples_url, specs = None, [(spec, spec) for spec in getattr(options, "spec", [])]
        if with_samples:
            runner, samples_url = await _start_samples(SAMPLES_PORT if settings.port else 0)
            stack.push_async_callback(runner.cleanup)
            specs = [(f"{samples_url}/documents/{name}", f"sample {name}") for name in SAMPLES]
        await _share(bridge, specs, option_values.reference_rules(options))
        page = await bridge.page_url()
        _announce(options, bridge, page, samples_url, await _model_names(bridge))
        await stop.wait()
    return 0


async def _model_names(bridge: Bridge) -> list[str]:
    """What providers list soon enough; a start does not wait for one that is slow."""
    try:
        async with asyncio.timeout(LISTING_SECONDS):
            return [entry.id for entry in await bridge.rooms.models.entries()]
    except TimeoutError:
        return []


def _stop_on_signals(stop: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))
        else:
            loop.add_signal_handler(number, stop.set)


async def _start_samples(port: int) -> tuple[web.AppRunner, str]:
    """On its usual port if that is free, else on any: two demos may run side by side."""
    try:
        return await start_sample_api("127.0.0.1", port)
    except OSError:
        logging.getLogger(__name__).warning("Port %d is taken; the sample API takes another one.", port)
        return await start_sample_api("127.0.0.1", 0)


async def _share(bridge: Bridge, specs: list[tuple[str, str]], rules: ReferenceRules) -> None:
    for spec, named in specs:
        try:
            await bridge.share(spec, named=named, rules=rules)
        except BridgeError as error:
            logging.getLogger(__name__).error("%s is left out: %s", spec, error.error.message)


def _announce(
    options: argparse.Namespace, bridge: Bridge, page: str, samples_url: str | None, models: list[str]
) -> None:
    if options.json:
        facts = {
            "page_url": page,
            "base_url": bridge.base_url,
            "key": bridge.key,
            "samples_url": samples_url,
            "model_url": f"{bridge.base_url}/v1",
            "models": models,
        }
        print(json.dumps(facts), flush=True)
        return
    print(f"Open this page in your browser: {page}")
    print(f"Tool server: {bridge.base_url}   key: {bridge.key}")
    shown = ", ".join(models[:SHOWN_MODELS]) + (", …" if len(models) > SHOWN_MODELS else "")
    print(f"Model API:   {bridge.base_url}/v1   models: {shown or 'none could be listed'}", flush=True)
    if samples_url and DEMO_ID in models:
        print(_TRY_IT.format(url=bridge.base_url, key=bridge.key), flush=True)
