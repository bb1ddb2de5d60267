"""Schemas for files as arguments: what a model writes where an operation expects a file.

`static/request.js` reads the values. Text and base64 are part of the call itself; a URL is fetched by the
user's page.
"""

from toolserver.json_types import JsonObject

_FILE: JsonObject = {
    "type": "object",
    "description": "A file: exactly one of base64, text or url.",
    "properties": {
        "base64": {"type": "string", "description": "The bytes of the file in base64."},
        "text": {"type": "string", "description": "The text of the file, sent as UTF-8."},
        "url": {
            "type": "string",
            "description": "A kept answer's link, an address an accepted operation reads, or a data: URL.",
        },
        "filename": {"type": "string"},
        "content_type": {"type": "string", "description": "The media type of the file, such as image/png."},
    },
    "additionalProperties": False,
    "minProperties": 1,
}
_FILES: JsonObject = {"type": "array", "items": _FILE}


def file_schema(*, many: bool = False) -> JsonObject:
    """The schema of a file argument, or of an array of files. Always the same object: treat as read-only."""
    return _FILES if many else _FILE
