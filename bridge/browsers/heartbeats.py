"""Beats: each second, a replica tells its pages that it lives.

A page that hears nothing for `SILENCE_S` connects again, to another replica: of one that froze, or whose
machine is gone, it would learn by nothing else for 45 s.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bridge.browser_protocol import EVENT_BEAT
from bridge.browsers.page_writer import PageWriter
from bridge.browsers.socket_frames import EVENT, MESSAGE, WholeMessage, frame_head
from bridge.tasks import sleep_safely

BEAT_S = 1
"""Seconds between two beats."""

SILENCE_S = 3 * BEAT_S
"""Seconds of silence after which a page connects again."""

SLOW_CHARS_PER_S = 64 * 1024
"""Characters of a message that a slow connection takes in a second."""

_TEXT = f'{MESSAGE}{EVENT}["{EVENT_BEAT}"]'.encode()
_BEAT = WholeMessage(_TEXT, frame_head(len(_TEXT)) + _TEXT)
"""Nothing in a beat differs from page to page, so all are written the same bytes."""


def silence_before(length: int) -> int | None:
    """Return the seconds of silence that a page has to bear until a message of `length` characters is there.

    None: it has arrived before the next beat is missed.
    """
    return None if length <= SLOW_CHARS_PER_S else SILENCE_S + -(-length // SLOW_CHARS_PER_S)


async def beat_pages(pages: Callable[[], Sequence[PageWriter]], every_s: float) -> None:
    """Write a beat to every page that reads what it is sent, again and again until cancelled."""
    while True:
        for page in pages():
            page.write_past_queue(_BEAT)
        await sleep_safely(every_s)
