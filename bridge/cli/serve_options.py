"""The options of `tool-bridge serve` and `demo`, and the settings they make."""

from __future__ import annotations

import argparse
import logging
import os
from collections.abc import Mapping
from pathlib import Path

from bridge.browser_protocol import RESULT_BYTES
from bridge.cli.arguments import add_store, parse_origin
from bridge.cli.options import add_references
from bridge.cli.storage_options import is_yes, kept_settings, kept_warnings, memory_settings
from bridge.errors import BridgeError
from bridge.limits.settings import range_of, read_given, refuse_unknown
from bridge.settings.bridge import (
    APPROVAL_MODES,
    DEFAULT_APPROVAL_S,
    DEFAULT_AUDIT_DAYS,
    DEFAULT_MAX_ANSWER_BYTES,
    DEFAULT_PORT,
    MAX_AUDIT_DAYS,
    MIN_AUDIT_DAYS,
    MIN_MAX_ANSWER_BYTES,
    Settings,
)
from bridge.settings.model_defaults import read_defaults
from bridge.settings.models import ModelsFile, ModelsFileError, key_of, models_of_environment, read_models
from toolserver.tool.selection_bounds import MAX_LIMIT, MAX_TOKENS, MIN_LIMIT, MIN_TOKENS, MODEL_LIMIT

MODELS_VARIABLE = "TOOL_BRIDGE_MODELS"
MODELS_FILE = "models.toml"
"""In the data folder."""

STRICT_VARIABLE = "ENABLE_STRICT_TOOL_CALLING"
TEMPLATE_VARIABLE = "MAX_FUNCTION_CALL_LOOPS_REACHED_TEMPLATE"


def add_models(parser: argparse.ArgumentParser) -> None:
    """The option `--models`."""
    parser.add_argument(
        "--models",
        type=Path,
        metavar="FILE",
        help=f"providers and models (default: {MODELS_VARIABLE}, {MODELS_FILE} in the data folder, "
        "OPENAI_API_KEY and OPENAI_BASE_URL; without any of them: the demo model)",
    )


def models_of(options: argparse.Namespace, environ: Mapping[str, str]) -> ModelsFile:
    """The models that options, data folder or environment name, the first that says anything.

    Raises:
        ModelsFileError: what they say cannot be used.
    """
    named = options.models or (Path(environ[MODELS_VARIABLE]) if environ.get(MODELS_VARIABLE) else None)
    path = named or options.data / MODELS_FILE
    if named is None and not path.exists():
        return models_of_environment(environ)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ModelsFileError(f"{path} cannot be read: {error}.") from None
    models = read_models(text, str(path))
    for provider in models.provider:
        key_of(provider, environ)
    return models


def add_serve(command: argparse.ArgumentParser) -> None:
    """`tool-bridge serve`."""
    command.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="FILE|URL",
        help="offer this OpenAPI document to every user (may be repeated)",
    )
    add_references(command)
    add_settings(command)


def add_demo(command: argparse.ArgumentParser) -> None:
    """`tool-bridge demo`."""
    add_settings(command)


SECRET_VARIABLE = "FORWARD_USER_INFO_HEADER_JWT_SECRET"
"""Open WebUI reads its half of the secret from the same variable."""

MIN_SECRET_BYTES = 32
"""Of the secret that signs tokens; RFC 7518 asks for as much with HS256."""

MAX_PORT = 65535


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The options of `serve` and `demo` alike."""
    add_store(parser)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--port",
        type=parse_port,
        default=DEFAULT_PORT,
        help=f"default: {DEFAULT_PORT}; 0: any free one",
    )
    parser.add_argument(
        "--public-url",
        type=parse_origin,
        metavar="ORIGIN",
        help="public address of the page, if it is behind a proxy",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="HOST[:PORT]",
        help="also accept this Host header",
    )
    parser.add_argument(
        "--allow-origin",
        type=parse_origin,
        action="append",
        default=[],
        metavar="ORIGIN",
        help="pages of this origin may use the tools (Open WebUI's, for direct tool servers)",
    )
    _add_bounds(parser)
    parser.add_argument(
        "--audit-days",
        type=audit_days,
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
        type=parse_seconds,
        metavar="SECONDS",
        help="for one call, 1 to 600; short for --limit TOOL_TIMEOUT_SECONDS=SECONDS",
    )
    parser.add_argument(
        "--limit",
        type=parse_limit,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="one of the limits, which are read from environment variables too (may be repeated)",
    )


def _add_model_limits(parser: argparse.ArgumentParser) -> None:
    """What a model is shown, and reads of an answer."""
    parser.add_argument(
        "--max-tools",
        type=tool_count,
        default=MODEL_LIMIT,
        metavar="NUMBER",
        help=f"shown to a model at most; the others are found by search (default: {MODEL_LIMIT})",
    )
    parser.add_argument(
        "--max-tool-tokens",
        type=token_budget,
        metavar="NUMBER",
        help="that the definitions shown to a model may take (default: no budget)",
    )
    parser.add_argument(
        "--max-answer-bytes",
        type=answer_bytes,
        default=DEFAULT_MAX_ANSWER_BYTES,
        metavar="BYTES",
        help="text of one answer that a caller gets; the rest is stored "
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
        type=parse_seconds,
        default=DEFAULT_APPROVAL_S,
        metavar="SECONDS",
        help=f"to answer, 1 to 600; no answer counts as a denial (default: {DEFAULT_APPROVAL_S:g})",
    )


def _add_forwarding(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--user-jwt-secret",
        type=secret_of_file,
        default=None,
        metavar="FILE",
        help="the secret with which Open WebUI signs its users' names (default: the environment variable "
        "FORWARD_USER_INFO_HEADER_JWT_SECRET)",
    )
    parser.add_argument(
        "--trust-user-headers",
        action="store_true",
        help="trust forwarder keys that name their user in plain headers",
    )


def settings_of(options: argparse.Namespace) -> Settings:
    """Settings from parsed options and the environment.

    Raises:
        ArgumentTypeError, BridgeError, ModelsFileError: a variable of the environment, or the file of models,
            says what cannot be used.
    """
    limits, warnings = read_given({**os.environ, **dict(options.limit)})
    if options.deadline is not None:
        limits["TOOL_TIMEOUT_SECONDS"] = options.deadline
    model_defaults, more = read_defaults(os.environ)
    for warning in (*warnings, *more, *kept_warnings(os.environ)):
        logging.getLogger(__name__).warning(warning)
    return Settings(
        data_dir=options.data,
        host=options.host,
        port=options.port,
        public_url=options.public_url,
        allowed_hosts=tuple(options.allow_host),
        allowed_origins=tuple(options.allow_origin),
        user_jwt_secret=options.user_jwt_secret or secret_of_environment(),
        trust_user_headers=options.trust_user_headers,
        limits=limits,
        models=models_of(options, os.environ),
        model_defaults=model_defaults,
        environ=os.environ,
        enable_strict_tool_calling=is_yes(os.environ, STRICT_VARIABLE, default=True),
        limit_reached_template=os.environ.get(TEMPLATE_VARIABLE, ""),
        audit_days=options.audit_days,
        approve=options.approve,
        approval_s=options.approval_time,
        max_tools=options.max_tools,
        max_tool_tokens=options.max_tool_tokens,
        max_answer_bytes=options.max_answer_bytes,
        kept=kept_settings(os.environ),
        memory=memory_settings(os.environ),
    )


def parse_port(text: str) -> int:
    """A port number; 0 means any free one."""
    return _integer(text, 0, MAX_PORT)


def parse_seconds(text: str) -> float:
    """A deadline."""
    number = float(text)
    least, most = range_of("TOOL_TIMEOUT_SECONDS")
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"must be between {least:g} and {most:g}")
    return number


def answer_bytes(text: str) -> int:
    """How much of an answer's text a caller reads; 0 means all that is kept."""
    number = int(text)
    if number != 0 and not MIN_MAX_ANSWER_BYTES <= number <= RESULT_BYTES:
        raise argparse.ArgumentTypeError(f"must be 0, or between {MIN_MAX_ANSWER_BYTES} and {RESULT_BYTES}")
    return number


def parse_limit(text: str) -> tuple[str, str]:
    """`NAME=NUMBER` of a limit; obsolete names are limits too."""
    name, _, number = text.partition("=")
    try:
        refuse_unknown([name])
        read_given({name: number})
    except BridgeError as error:
        raise argparse.ArgumentTypeError(error.error.message) from None
    return name, number


def audit_days(text: str) -> int:
    """For how many days entries of the audit log are kept."""
    return _integer(text, MIN_AUDIT_DAYS, MAX_AUDIT_DAYS)


def tool_count(text: str) -> int:
    """How many tools are shown to a model."""
    return _integer(text, MIN_LIMIT, MAX_LIMIT)


def token_budget(text: str) -> int:
    """How many tokens their definitions may take."""
    return _integer(text, MIN_TOKENS, MAX_TOKENS)


def _integer(text: str, least: int, most: int) -> int:
    number = int(text)
    if not least <= number <= most:
        raise argparse.ArgumentTypeError(f"must be between {least} and {most}")
    return number


def secret_of_file(text: str) -> str:
    """The secret that a file holds, without white space around it."""
    try:
        secret = Path(text).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"cannot read {text}: {error}") from None
    return _long_enough(secret, text)


def secret_of_environment() -> str | None:
    """The secret in Open WebUI's own variable, so that both programs can be given the same environment.

    Raises:
        ArgumentTypeError: it is too short to be one.
    """
    secret = os.environ.get(SECRET_VARIABLE, "").strip()
    return _long_enough(secret, SECRET_VARIABLE) if secret else None


def _long_enough(secret: str, where: str) -> str:
    if len(secret.encode()) < MIN_SECRET_BYTES:
        message = f"the secret in {where} needs {MIN_SECRET_BYTES} bytes; openssl rand -hex 32 makes one"
        raise argparse.ArgumentTypeError(message)
    return secret
