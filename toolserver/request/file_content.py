"""File arguments: `{"base64" | "text" | "url": …, "filename"?, "content_type"?}` to bytes, name and type.

A plain string is a `data:` URL or the file's own text. Nothing is fetched: of URLs only `data:` can be read.
"""

import base64
import binascii
import re
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import unquote, unquote_to_bytes

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject, JsonValue, text_at
from toolserver.openapi.media_type import OCTETS, base_type

_MEDIA_TYPE = re.compile(r"[!#$%&'+.^_`|~\w-]+/[!#$%&'+.^_`|~\w-]+(?:[ \t]*;[\x20-\x7E]*)?", re.ASCII)
_DATA_URL = re.compile(r"data:([^,]*?)(;base64)?,(.*)", re.IGNORECASE | re.DOTALL)
_BROKEN_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")

_TYPES = {
    ending: content_type
    for content_type, endings in {
        "application/epub+zip": "epub",
        "application/gzip": "gz tgz",
        "application/json": "json",
        "application/msword": "doc",
        "application/pdf": "pdf",
        "application/rtf": "rtf",
        "application/vnd.ms-excel": "xls",
        "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.oasis.opendocument.presentation": "odp",
        "application/vnd.oasis.opendocument.spreadsheet": "ods",
        "application/vnd.oasis.opendocument.text": "odt",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/xml": "xml",
        "application/yaml": "yaml yml",
        "application/x-tar": "tar",
        "application/zip": "zip",
        "audio/flac": "flac",
        "audio/mp4": "m4a",
        "audio/mpeg": "mp3",
        "audio/ogg": "ogg oga opus",
        "audio/wav": "wav",
        "image/avif": "avif",
        "image/bmp": "bmp",
        "image/gif": "gif",
        "image/heic": "heic",
        "image/jpeg": "jpg jpeg",
        "image/png": "png",
        "image/svg+xml": "svg",
        "image/tiff": "tif tiff",
        "image/webp": "webp",
        "message/rfc822": "eml",
        "text/calendar": "ics",
        "text/css": "css",
        "text/csv": "csv",
        "text/html": "html htm",
        "text/javascript": "js mjs",
        "text/markdown": "md",
        "text/plain": "txt log",
        "text/vcard": "vcf",
        "video/mp4": "mp4",
        "video/quicktime": "mov",
        "video/webm": "webm",
    }.items()
    for ending in endings.split()
}
"""By what names end in; the same table as in `static/request/file_types.js`."""


class FileContent(NamedTuple):
    """One file as it is sent."""

    content: bytes
    filename: str | None
    content_type: str | None
    """As the call says; None: it does not."""


def read_file(value: JsonValue, argument: str) -> FileContent:
    """The file that an argument, or an item of one, describes.

    Raises:
        RequestError: invalid_arguments; unsendable for a URL that has to be fetched.
    """
    if isinstance(value, str):
        data_url = _DATA_URL.fullmatch(value)
        return _from_inline_url(data_url, argument) if data_url else FileContent(_encoded(value), None, None)
    if not isinstance(value, dict):
        raise _invalid(argument, 'must be a file: {"base64": …}, {"text": …} or {"url": …}')
    given = [key for key in ("base64", "text", "url") if value.get(key) is not None]
    if len(given) != 1:
        raise _invalid(argument, 'must hold exactly one of "base64", "text" and "url"')
    content_type = text_at(value, "content_type") or None
    if content_type is not None and not _MEDIA_TYPE.fullmatch(content_type):
        raise _invalid(argument, "has a content_type that is not a media type")
    content = _content_of(value, given[0], argument)
    return FileContent(
        content.content, text_at(value, "filename") or content.filename, content_type or content.content_type
    )


def type_by_name(filename: str | None, listed: Sequence[str]) -> str | None:
    """The type of a file by its name, among the types and ranges that a document lists.

    None: the name says nothing, or its type is not listed.
    """
    ending = re.search(r"\.([^./\\]+)\Z", filename or "")
    content_type = _TYPES.get(ending[1].lower()) if ending else None
    if content_type is None:
        return None
    found = next((each for each in listed if fits(content_type, each)), None)
    if found is None:
        found = next((each for each in listed if base_type(each) == OCTETS), None)
    return content_type if found is not None and "*" in found else found


def fits(content_type: str, listed: str) -> bool:
    """Whether a type is `listed`, or in that range."""
    essence = base_type(content_type)
    wanted = base_type(listed)
    return wanted in ("*/*", essence) or (wanted.endswith("/*") and essence.startswith(wanted[:-1]))


def _content_of(file: JsonObject, kind: str, argument: str) -> FileContent:
    text = file[kind]
    if not isinstance(text, str):
        raise _invalid(argument, f'needs a string as "{kind}"')
    if kind == "text":
        return FileContent(_encoded(text), None, None)
    if kind == "base64":
        return FileContent(_from_base64(text, argument), None, None)
    data_url = _DATA_URL.fullmatch(text)
    if data_url is None:
        message = f'The file at the URL in "{argument}" has not been read.'
        raise RequestError("unsendable", message, argument=argument)
    return _from_inline_url(data_url, argument)


def _from_inline_url(url: re.Match[str], argument: str) -> FileContent:
    head, is_base64, data = url.groups()
    content_type, *parameters = head.split(";")
    if _BROKEN_PERCENT.search(data):
        raise _invalid(argument, "holds a data: URL with broken percent-encoding")
    named = next((each for each in parameters if re.match(r"(file)?name=", each, re.IGNORECASE)), None)
    content = unquote_to_bytes(data)
    return FileContent(
        _from_base64(content.decode("utf-8", "replace"), argument) if is_base64 else content,
        unquote(named.partition("=")[2]) if named else None,
        content_type if _MEDIA_TYPE.fullmatch(content_type) else None,
    )


def _from_base64(text: str, argument: str) -> bytes:
    """Takes the standard and the URL-safe alphabet, with or without padding and line breaks."""
    plain = re.sub(r"\s+", "", text).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise _invalid(argument, "holds Base64 that cannot be read") from None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _invalid(argument: str, problem: str) -> RequestError:
    return RequestError("invalid_arguments", f'"{argument}" {problem}.', argument=argument)
