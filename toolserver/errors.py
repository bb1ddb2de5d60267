"""What can be wrong with a document, with arguments or with a request: exceptions for people and models.

Exception
├─ DocumentError          The author of the document must read it, or the user who added it.
│    ├─ OverlayError      Its author must read it.
│    └─ ReferenceFailed   One `$ref`. The reader of one operation catches it, so it never ends a document.
├─ ArgumentError          The model must read it.
└─ RequestError           No request can be built of a plan and arguments.
"""

from collections.abc import Iterable

_MAX_QUOTED_CHARS = 200


def quote_text(text: str) -> str:
    """Foreign text for use in a message, in quotes and cut at 200 characters."""
    return repr(text if len(text) <= _MAX_QUOTED_CHARS else f"{text[: _MAX_QUOTED_CHARS - 1]}…")


def limit_warnings(warnings: Iterable[str], most: int) -> tuple[str, ...]:
    """The distinct warnings, at most `most`, and that there are more: at least, as readers stop counting."""
    distinct = tuple(dict.fromkeys(warnings))
    if len(distinct) <= most:
        return distinct
    return (*distinct[:most], f"and at least {len(distinct) - most:,} more of this kind")


class DocumentError(Exception):
    """A document that cannot be used as a whole.

    `code` is snake_case and stable; `message` is for people; `pointer` is "" or a JSON pointer such as
    "#/paths/~1pets/get". Codes: not_json_or_yaml, not_utf8, not_a_document, unsupported_version, too_large,
    too_deep, too_many_operations, too_many_files, yaml_alias_bomb, invalid_base_url.
    """

    def __init__(self, code: str, message: str, *, pointer: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.pointer = pointer


class ReferenceFailed(DocumentError):
    """A `$ref` that leads nowhere inside the document; `pointer` is the reference itself.

    Codes: external_reference, unresolved_reference, circular_reference.
    """


class OverlayError(DocumentError):
    """Overlays that cannot be read or applied; then nothing of the document is used.

    `pointer` leads into the overlay that `message` names. Codes: invalid_overlay, overlay_failed, too_large,
    too_deep.
    """


class ArgumentError(Exception):
    """Arguments that an operation cannot take; on the wire it is `invalid_arguments`.

    `argument` is the top-level argument at fault, None when it is the whole; `pointer` is its place in the
    arguments, "" for the root.
    """

    def __init__(self, message: str, *, argument: str | None = None, pointer: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.argument = argument
        self.pointer = pointer


class RequestError(Exception):
    """Why a request cannot be built.

    `code` is snake_case and stable; `message` is for people and models; `argument` is the argument at fault,
    None if it is none. Codes: invalid_arguments (the model can repair it), no_base_url (the document names no
    server), unsendable (what the document asks for cannot be sent).
    """

    def __init__(self, code: str, message: str, *, argument: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.argument = argument
