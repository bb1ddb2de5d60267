"""What ends a command. Needs nothing installed, as `bridge/storage/errors.py`."""

from __future__ import annotations


class ToldFailure(Exception):
    """A failure whose text tells the person at the command line what is wrong, and what to do."""

    status = 1
    """Exit status of a command that it ends."""
