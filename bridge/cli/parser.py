"""The command line: how it is parsed, and how a command ends that could not do its work.

What is said of a mistake does not repeat what may be a secret. Every command loads this module, and it loads
no other one.
"""

from __future__ import annotations

import argparse
import re
from typing import NoReturn

_UNKNOWN = "unrecognized arguments: "
_OPTION = re.compile(r"--[a-z]+(?:-[a-z]+)*")
_AMBIGUOUS = re.compile(r"^(ambiguous option: --[a-z-]+)=.* (could match .*)$", re.DOTALL)
_NO_COMMAND = re.compile(
    r"^(argument COMMAND: invalid choice): (?!'[a-z]{1,12}(?:-[a-z]{1,12})?' ).* (\(choose .*)$", re.DOTALL
)
"""A word that is no command, unless it looks like one that was mistyped."""


class CommandFailed(Exception):
    """The command ends with status 1; the text says why and what to do."""


class Parser(argparse.ArgumentParser):
    """As `ArgumentParser`, whose words on standard error end up in logs and in files of other people."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end with status 2."""
        super().error(without_values(message))


def without_values(message: str) -> str:
    """What is wrong, with the names of options and without their values.

    A password or a key stands behind an option that was mistyped, or in the place of a command.
    """
    head, found, words = message.partition(_UNKNOWN)
    if not found:
        return _NO_COMMAND.sub(r"\1 \2", _AMBIGUOUS.sub(r"\1 \2", message))
    names = [name for word in words.split(" ") if _OPTION.fullmatch(name := word.partition("=")[0])]
    return head + found + (" ".join(names) or "not repeated here, as they may be secret")
