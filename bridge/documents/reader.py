"""The port for reading foreign documents: compiling, bundling and validating them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from bridge.catalog.ports import Compiler
from bridge.catalog.server_view import Validation
from bridge.documents.bodies import SplitBody
from toolserver.openapi.bundle import Bundle


class DocumentReader(Compiler, Protocol):
    """Reads foreign documents; a bridge that serves others runs a `DocumentWorker`, its own process."""

    async def bundle_document(
        self, text: str, *, source_url: str | None, texts: Mapping[str, str], left_out: Mapping[str, str]
    ) -> Bundle:
        """Bundle a document as `toolserver.openapi.bundle.bundle_document` does.

        Raises:
            BridgeError: `invalid_document`.
        """
        ...

    async def split_body(self, body: bytes) -> SplitBody:
        """Split the body of a request as `bridge.documents.bodies.split_body` does, off the event loop.

        Raises:
            BridgeError: `invalid_request`: it is not JSON; `invalid_document`: it took too long.
        """
        ...

    async def read_responses(
        self, text: str, digest: str, key: str, *, overlays: Sequence[str] = ()
    ) -> bytes:
        """Return what a compiled text says about the responses of one operation, as a JSON array.

        Its overlays have edited it.

        Raises:
            BridgeError: `invalid_document`.
        """
        ...

    async def read_places(self, text: str, digest: str, key: str, *, overlays: Sequence[str] = ()) -> bytes:
        """Return where an edit finds one operation of a compiled text, as `describe_places` says it, in JSON.

        Raises:
            BridgeError: `invalid_document`.
        """
        ...

    async def validate_document(self, text: str, *, overlays: Sequence[str] = ()) -> Validation:
        """Return what openapi-core says about a document as edited; a bad document never raises."""
        ...

    async def check_alive(self) -> float | None:
        """Return when it answers; while it reads a document it is not asked: for how many seconds it does.

        Raises:
            BridgeError: `invalid_document`: it ended while it was asked; the next request starts another one.
        """
        ...

    async def close(self) -> None:
        """Release everything; no further requests may follow."""
        ...
