"""What edits a document before it is read, as `parse_document` sees it.

Receives nothing. `toolserver.openapi.overlay` implements it; this module stands apart from that one, so that
reading a document loads no reader of JSONPath.
"""

from dataclasses import dataclass
from typing import Protocol

from toolserver.json_types import JsonObject

EXTENSION = "x-tool-bridge"
"""What documents and edits say of tools beyond OpenAPI, see `docs/reference/x-tool-bridge.md`."""


@dataclass(frozen=True, slots=True)
class IdleEdit:
    """An edit that found nothing to change."""

    text: str
    """Which edit it is and what it looked for, for people."""
    digest: str
    """Hex SHA-256 of the edit."""
    place: tuple[str, ...]
    """The names that its target begins with, such as ("paths", "/pets", "get"); () for one of any place."""

    def concerns(self, path: str, method: str) -> bool:
        """Whether it was meant for the operation at `path`, or might have been."""
        if not self.place or self.place[0] != "paths":
            return self.place[:1] != ("info",)
        return all(name in (path, method.lower()) for name in self.place[1:3])


class DocumentEdits(Protocol):
    """Edits of one document, in order."""

    @property
    def digest(self) -> str:
        """Hex SHA-256 of all of them."""
        ...

    def edit_root(self, root: JsonObject) -> tuple[JsonObject, tuple[IdleEdit, ...]]:
        """The edited root, and the edits that changed nothing; `root` itself stays as it is.

        Raises:
            DocumentError: one of them cannot be applied.
        """
        ...
