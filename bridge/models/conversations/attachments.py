"""Files of a user's message: kept in its item, and what a model and a tool get of them. Pure."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import quote

from bridge.errors import BridgeError, ErrorCode
from bridge.models.agent.items import Item
from bridge.models.conversations.conversation import Message
from toolserver.json_types import JsonObject, JsonValue, array_at, text_at

PART_TYPE = "tool_bridge_attachment"
"""Type of the part of a message that holds a file. Providers never get it: `sent_items` replaces it."""

MAX_ATTACHMENTS = 10
MAX_ATTACHMENT_BYTES = 5 * 1024 * 1024
"""Maximum bytes of one file: as much as providers take of an image."""

MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""Maximum bytes of all files of one message. Chosen."""

MAX_TEXT_CHARS = 200_000
"""Maximum characters that a model is sent of a text file; it is told when there are more. Chosen."""

SEEN_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types of images that models are sent."""

_PDF = "application/pdf"
_REFERENCE = "attachment:"


@dataclass(frozen=True, slots=True)
class Attachment:
    """One file of a message."""

    name: str
    mime: str
    """Type and subtype, lower case."""
    data: str = field(repr=False)
    """Content as Base64."""

    @property
    def content(self) -> bytes:
        """The bytes of the file."""
        return base64.b64decode(self.data)

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data) // 4 * 3 - self.data[-2:].count("=")

    @property
    def inline_url(self) -> str:
        """The file with its type and name, as one text."""
        return f"data:{self.mime};name={quote(self.name, safe='')};base64,{self.data}"


def check_attachments(attachments: Sequence[Attachment]) -> None:
    """Check what a client sends.

    Raises:
        BridgeError: `invalid_request`: no Base64, or too many; `too_large`.
    """
    if len(attachments) > MAX_ATTACHMENTS:
        message = f"attachments: a message may have {MAX_ATTACHMENTS} files."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "attachments"})
    for each in attachments:
        try:
            base64.b64decode(each.data, validate=True)
        except binascii.Error:
            message = f"attachments: the data of {each.name!r} is no Base64."
            raise BridgeError(ErrorCode.INVALID_REQUEST, message, detail={"field": "attachments"}) from None
    sizes = [each.size for each in attachments]
    if max(sizes, default=0) > MAX_ATTACHMENT_BYTES or sum(sizes) > MAX_MESSAGE_BYTES:
        message = (
            f"A file may have {MAX_ATTACHMENT_BYTES // 1024**2} MiB, and all of a message "
            f"{MAX_MESSAGE_BYTES // 1024**2} MiB."
        )
        raise BridgeError(ErrorCode.TOO_LARGE, message, detail={"limit_bytes": MAX_ATTACHMENT_BYTES})


def with_attachments(item: Item, attachments: Sequence[Attachment]) -> Item:
    """Return a message's item with files after its text."""
    parts: list[JsonValue] = [
        {"type": PART_TYPE, "name": each.name, "mime": each.mime, "data": each.data} for each in attachments
    ]
    return {**item, "content": [*array_at(item, "content"), *parts]} if parts else item


def attachments_of(message: Message) -> list[Attachment]:
    """Return the files of a message, in their order."""
    return [
        Attachment(text_at(part, "name"), text_at(part, "mime"), text_at(part, "data"))
        for item in message.items
        for part in array_at(item, "content")
        if isinstance(part, dict) and part.get("type") == PART_TYPE
    ]


def number_attachments(path: Sequence[Message]) -> Mapping[str, int]:
    """Return the number of the first file of each message of a branch that has some, by the message's id."""
    numbers: dict[str, int] = {}
    count = 1
    for message in path:
        if message.role == "user" and (found := attachments_of(message)):
            numbers[message.id] = count
            count += len(found)
    return numbers


def references_of(path: Sequence[Message]) -> Mapping[str, str]:
    """Return what a call's argument may name, `attachment:1` and so on, with the file as a `data:` URL."""
    files = [each for message in path if message.role == "user" for each in attachments_of(message)]
    return {f"{_REFERENCE}{number}": each.inline_url for number, each in enumerate(files, 1)}


def sent_items(message: Message, first: int) -> list[Item]:
    """Return a message's items as a model gets them. `first`: number of its first file in the branch."""
    return [_sent_item(item, first) for item in message.items]


def _sent_item(item: Item, first: int) -> Item:
    parts: list[JsonValue] = []
    for part in array_at(item, "content"):
        if isinstance(part, dict) and part.get("type") == PART_TYPE:
            file = Attachment(text_at(part, "name"), text_at(part, "mime"), text_at(part, "data"))
            parts += _sent_parts(file, first)
            first += 1
        else:
            parts.append(part)
    return cast(Item, {**item, "content": parts})


def _sent_parts(file: Attachment, number: int) -> list[JsonObject]:
    about = f"[Attachment {number}: {file.name}, {file.mime}, {file.size} bytes."
    if file.mime in SEEN_TYPES:
        image: JsonObject = {"type": "input_image", "image_url": _plain_url(file), "detail": "auto"}
        return [_text(f"{about} {_how_to_pass(number)}]"), image]
    if file.mime == _PDF:
        document: JsonObject = {"type": "input_file", "filename": file.name, "file_data": _plain_url(file)}
        return [_text(f"{about} {_how_to_pass(number)}]"), document]
    text = text_in(file)
    if text is None:
        return [_text(f"{about} Its content is not shown to you. {_how_to_pass(number)}]")]
    cut = f" Its first {MAX_TEXT_CHARS} characters:" if len(text) > MAX_TEXT_CHARS else " Its text:"
    return [_text(f"{about} {_how_to_pass(number)}{cut}]\n\n{text[:MAX_TEXT_CHARS]}")]


def text_in(file: Attachment) -> str | None:
    """Return the text of a text file; None when it is none."""
    if file.mime in SEEN_TYPES or file.mime == _PDF:
        return None
    content = file.content
    if b"\0" in content:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _how_to_pass(number: int) -> str:
    return f'A tool that takes a file gets it as {{"url": "{_REFERENCE}{number}"}}.'


def _plain_url(file: Attachment) -> str:
    return f"data:{file.mime};base64,{file.data}"


def _text(text: str) -> JsonObject:
    return {"type": "input_text", "text": text}
