"""The command-line parser, and how a failed command ends.

Error messages never repeat what may be a secret. Every command loads this module, and it loads
nothing but how a terminal is written to.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NoReturn

from bridge.cli.terminal import paint_help, takes_color
from bridge.close_names import suggest
from bridge.told_failure import ToldFailure

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

_UNKNOWN = "unrecognized arguments: "
_OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")
_AMBIGUOUS = re.compile(r"^(ambiguous option: --[a-z-]+)=.* (could match .*)$", re.DOTALL)
_MISTYPED = re.compile(r"[a-z]{1,12}(?:-[a-z]{1,12})?")
"""Pattern of a word that looks like a mistyped command, and not like a secret."""


class CommandFailed(ToldFailure):
    """The command ends; the text says why and what to do."""


class WrongUsage(CommandFailed):
    """The command was not asked for as it can be."""

    status = 2


class NoBridge(CommandFailed):
    """There is no bridge to talk to."""

    status = 2


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` whose messages hold no secrets: they end up in logs."""

    color = False
    """Python 3.14 would paint the help by itself, and differently."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and exit with status 2."""
        self.exit(2, f"{self.prog}: {without_values(message)}\n{self.prog} --help shows what there is.\n")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; painted on standard output, if that is a terminal."""
        text = self.format_help()
        if file is not None:
            file.write(text)
        else:
            sys.stdout.write(paint_help(text) if takes_color(sys.stdout) else text)

    def refuse_unknown(self, arguments: Sequence[str]) -> None:
        """Exit with status 2 if `arguments` name an option that this command does not have.

        Done before they are parsed: argparse first misses what the mistyped option was meant to give.
        """
        known = [name for name in self._option_string_actions if name.startswith("--")]
        named = list(dict.fromkeys(_options_in(arguments)))
        unknown = [name for name in named if not any(option.startswith(name) for option in known)]
        if unknown:
            self.error(f"{_UNKNOWN}{' '.join(unknown)}{suggest(unknown[0], known)}")


def describe_unknown_command(word: str, commands: Iterable[str]) -> str:
    """Return the message for a word that is no command; repeats it only if it looks like a mistyped one."""
    what = f"there is no command {word!r}" if _MISTYPED.fullmatch(word) else "there is no such command"
    return f"{what}{suggest(word, commands)}"


def without_values(message: str) -> str:
    """Return the message with the names of options but without their values.

    A password or a key may follow a mistyped option.
    """
    head, found, words = message.partition(_UNKNOWN)
    if not found:
        return _AMBIGUOUS.sub(r"\1 \2", message)
    listed, stop, advice = words.partition(". ")
    names = list(_options_in(listed.split(" ")))
    return head + found + (" ".join(names) + stop + advice if names else _SECRET)


_SECRET = "not repeated here, as they may be secret"


def _options_in(words: Iterable[str]) -> Iterator[str]:
    """Return the names of options among words, up to the word after which nothing is an option."""
    for word in words:
        if word == "--":
            return
        if _OPTION.fullmatch(name := word.partition("=")[0]):
            yield name
