"""`tool-bridge` in this process, as a user types it: its arguments and variables, what it prints, its status.

A start of Python with everything that a command imports takes seconds; tests whose subject is the process
start one.
"""

import io
import logging
import os
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from bridge.__main__ import main


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    status: int
    output: str
    errors: str


def run_command(*words: str, environ: Mapping[str, str | None] | None = None) -> Ended:
    """A command that ends by itself. `environ`: variables to set, or to take away (None)."""
    output, errors = io.StringIO(), io.StringIO()
    root, levels = logging.getLogger(), _levels()
    handlers = list(root.handlers)
    root.handlers.clear()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(output), redirect_stderr(errors):
        for name, value in (environ or {}).items():
            patched.delenv(name, raising=False) if value is None else patched.setenv(name, value)
        try:
            status = main(words)
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            root.handlers[:] = handlers
            for logger, level in levels.items():
                logger.setLevel(level)
    return Ended(status, output.getvalue(), errors.getvalue())


def without(*names: str) -> dict[str, str | None]:
    """These variables taken away, if whoever runs the tests has them."""
    return {name: None for name in names if name in os.environ}


def _levels() -> dict[logging.Logger, int]:
    """Of the loggers that a command sets."""
    names = ("", "bridge", "alembic", "aiohttp.access", "httpx2")
    return {logging.getLogger(name): logging.getLogger(name).level for name in names}
