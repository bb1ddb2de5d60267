"""The port to whoever reads foreign documents: compiles, bundles and validates them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from bridge.catalog.ports import Compiler
from bridge.catalog.server_view import Validation
from toolserver.document.bundle import Bundle


class DocumentReader(Compiler, Protocol):
    """A bridge that serves others has a `DocumentWorker`: what a document does to it ends with a process."""

    async def bundle_document(
        self, text: str, *, source_url: str | None, texts: Mapping[str, str], left_out: Mapping[str, str]
    ) -> Bundle:
        """`toolserver.document.bundle.bundle_document`.

        Raises:
            BridgeError: `invalid_document`.
        """
        ...

    async def validate_document(self, text: str) -> Validation:
        """What openapi-core says about a document; never raises for the document's sake."""
        ...

    async def close(self) -> None:
        """Nothing will be asked any more."""
        ...
