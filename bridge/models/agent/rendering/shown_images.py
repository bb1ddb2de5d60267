"""Images of calls, for callers that show them beside an answer's text. Pure.

Open WebUI stores the `images` of a delta as files of its own, so that they neither burden the chat's history
nor expire (0.12.4, read 2026-11-23). In the `files` of a call it replaces addresses of others by its logo. An
image too large to be sent along is a Markdown image, which it does load from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bridge.models.agent.turn import CallFile
from toolserver.json_types import JsonObject

_TITLE = "Image, available for a day"
_LINK = re.compile(rf"!\[{_TITLE}\]\([^\s()]*\)")


def embedded_images(files: Iterable[CallFile]) -> list[JsonObject]:
    """Return the content parts of the images that are sent along."""
    return [{"type": "image_url", "image_url": {"url": file.data_url}} for file in files if file.data_url]


def image_links(files: Iterable[CallFile]) -> str:
    """Return the Markdown of the other images, a paragraph each; "" when there are none."""
    images = (file for file in files if file.kind == "image" and not file.data_url)
    return "\n\n".join(f"![{_TITLE}]({image.url})" for image in images)


def without_image_links(text: str) -> str:
    """Return a text without the Markdown of `image_links`, and without the white space around it. Linear."""
    first, *others = _LINK.split(text) if f"![{_TITLE}]" in text else [text]
    if not others:
        return text
    *inner, last = others
    left = (first.rstrip(), *(each.strip() for each in inner), last.lstrip())
    return "\n\n".join(filter(None, left)).strip("\n")
