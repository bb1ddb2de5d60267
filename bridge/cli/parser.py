"""The command-line parser, and how a failed command ends.

Error messages never repeat what may be a secret. Every command loads this module, and it loads
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
"""Pattern of a word that is not a command, unless it looks like a mistyped one."""


class CommandFailed(Exception):
    """The command ends with status 1; the text says why and what to do."""


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` whose messages hold no secrets: they end up in logs."""

    def error(self, message: str) -> NoReturn:
        """Print what is wrong, and exit with status 2."""
        super().error(without_values(message))


def without_values(message: str) -> str:
    """Return the message with the names of options but without their values.

    A password or a key may follow a mistyped option, or stand in place of a command.
    """
    head, found, words = message.partition(_UNKNOWN)
    if not found:
        return _NO_COMMAND.sub(r"\1 \2", _AMBIGUOUS.sub(r"\1 \2", message))
    names = [name for word in words.split(" ") if _OPTION.fullmatch(name := word.partition("=")[0])]
    return head + found + (" ".join(names) or "not repeated here, as they may be secret")
