"""Options of `tool-bridge serve`, `demo` and `doctor`. Imports no server, and nothing that reads settings."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bridge.cli.arguments import add_store, parse_file, parse_source
from bridge.cli.options import add_json, add_references
from bridge.cli.setting_options import add_setting_options, arguments_of
from bridge.close_names import suggest
from bridge.settings.declaration import SettingsError, parse_setting, settings_of_section
from bridge.settings.limits import Limits
from bridge.settings.network import NetworkSettings


class _OverlayOfSpec(argparse.Action):
    """Adds the place of the document that was named last, and the file."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if not namespace.spec:
            parser.error("--overlay belongs behind the --spec whose document it edits")
        namespace.overlay = [*namespace.overlay, (len(namespace.spec) - 1, values)]


@dataclass(frozen=True, slots=True)
class NamedSpec:
    """A document that is offered to every user."""

    source: str
    """A file or an address."""
    named: str
    """What messages call it."""
    overlays: tuple[Path, ...] = ()
    """Files of the overlays that edit it, in order."""


def list_specs(options: argparse.Namespace) -> list[NamedSpec]:
    """Return the documents that a command line names."""
    overlays: Sequence[tuple[int, Path]] = getattr(options, "overlay", [])
    return [
        NamedSpec(spec, spec, tuple(file for place, file in overlays if place == number))
        for number, spec in enumerate(getattr(options, "spec", []))
    ]


def add_serve(command: argparse.ArgumentParser) -> None:
    """`tool-bridge serve`."""
    command.add_argument(
        "--spec",
        type=parse_source,
        action="append",
        default=[],
        metavar="FILE|URL",
        help="offer this OpenAPI document to every user (may be repeated)",
    )
    command.add_argument(
        "--overlay",
        type=parse_file,
        action=_OverlayOfSpec,
        default=[],
        metavar="FILE",
        help="edit the document of the --spec before by this OpenAPI Overlay (may be repeated, in order)",
    )
    add_references(command)
    _add_shared_options(command)


def add_demo(command: argparse.ArgumentParser) -> None:
    """`tool-bridge demo`."""
    command.add_argument(
        "--open",
        action="store_true",
        help="open the page in your browser, as make run does where it finds a screen",
    )
    command.add_argument(
        "--no-open", action="store_false", dest="open", help="do not, whatever was said before"
    )
    command.add_argument(
        "--build",
        type=Path,
        metavar="DIR",
        help="what make run has built: its page is served as long as it fits the sources",
    )
    _add_shared_options(command)


def add_doctor(command: argparse.ArgumentParser) -> None:
    """`tool-bridge doctor`."""
    command.add_argument("--url", help="the bridge's address (default: the one that runs on the data folder)")
    command.add_argument(
        "--key",
        help="API key to ask with (default: TOOL_BRIDGE_KEY, then the local user's, if --url is not given)",
    )
    add_json(command)
    add_store(command)
    for setting in settings_of_section(NetworkSettings):
        if setting.field in ("host", "port"):
            command.add_argument(setting.names.option, **arguments_of(setting))


def _add_shared_options(command: argparse.ArgumentParser) -> None:
    """Add the options that both have."""
    command.add_argument("--json", action="store_true", help="print one JSON line when ready")
    _add_sources(command)


def add_settings(command: argparse.ArgumentParser) -> None:
    """`tool-bridge settings`."""
    add_json(command)
    _add_sources(command)


def _add_sources(command: argparse.ArgumentParser) -> None:
    """Add the options that settings come from."""
    add_store(command)
    add_setting_options(command)
    command.add_argument(
        "--limit",
        type=parse_limit,
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="one of the limits, under the name of its environment variable (may be repeated)",
    )


def parse_limit(text: str) -> tuple[str, object]:
    """Return variable and value of `NAME=NUMBER`, whose name is a variable or an alias."""
    name, _, number = text.partition("=")
    limits = list(settings_of_section(Limits))
    setting = next((each for each in limits if name in (each.variable, each.names.alias)), None)
    if setting is None:
        variables = [each.variable for each in limits]
        advice = suggest(name, variables) or f"; the limits are {', '.join(variables)}"
        raise argparse.ArgumentTypeError(f"there is no limit {name[:100]!r}{advice}")
    try:
        return setting.variable, parse_setting(setting, number, name)
    except SettingsError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
