"""Opening the page in the user's own browser, without its link in the list of processes.

The link pairs the browser that comes first, and every user of a machine can read the arguments of every
program. So the browser gets a file that only its user can read. The file leads on to the link.
"""

from __future__ import annotations

import logging
import threading
import webbrowser
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Self

from bridge.operating_system import can_show_pages, replace_private_file

DOORWAY = "open.html"
"""Name of the file with the link, in the folder of what `make run` builds or in the data folder."""

_LEADING_ON = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Tool Bridge</title>
<meta http-equiv="refresh" content="0; url={url}"><a href="{url}">Open the page of the bridge</a>
"""
_NOT_OPENED = "No browser was opened%s; open the link yourself."

_log = logging.getLogger(__name__)


def lead_on(url: str) -> str:
    """Return a page that leads on to an address."""
    return _LEADING_ON.format(url=escape(url))


class Doorway:
    """A private file that leads a browser to a link."""

    def __init__(self, folder: Path) -> None:
        self._path = folder.absolute() / DOORWAY

    def open_page(self, url: str) -> None:
        """Start a browser; returns at once, and whatever goes wrong is a line in the log."""
        if not can_show_pages():
            _log.warning(_NOT_OPENED, ": there is no screen here")
            return
        try:
            replace_private_file(self._path, lead_on(url))
        except OSError as error:
            _log.warning(_NOT_OPENED, f": {error}")
            return
        # Some browsers block until they are closed, so nothing joins this thread, not even the stop.
        _log.info("Your browser is asked to open the page; --no-open prevents that.")
        threading.Thread(target=self._start_browser, name="browser", daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_failure: object) -> None:
        """Remove the file, if it can be."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _start_browser(self) -> None:
        try:
            is_open = webbrowser.open(self._path.as_uri())
        except (webbrowser.Error, OSError):
            is_open = False
        if not is_open:
            _log.warning(_NOT_OPENED, "")
