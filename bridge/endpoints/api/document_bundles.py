"""`/api/documents/bundle`: tells a page what to fetch for a document, and bundles it into one text."""

from __future__ import annotations

from aiohttp import web
from pydantic import Field

from bridge.documents.sources import BundleDocument
from bridge.errors import ErrorCode
from bridge.http.body import DOCUMENT_BODY_BYTES, read_body
from bridge.http.routing import ApiModel, ApiRoute, RouteAnswer, json_answer


class DocumentFiles(ApiModel):
    """A document, its source, and the files it refers to that were fetched or skipped."""

    text: str
    source_url: str | None = None
    """Base of relative references; for files without an address any `file:` URL."""
    texts: dict[str, str] = Field(default_factory=dict)
    """Texts by address, as listed in `missing`."""
    left_out: dict[str, str] = Field(default_factory=dict)
    """Addresses of files that are not available, each with the reason as a sentence."""


class UnreadableFile(ApiModel):
    """A file that is neither JSON nor YAML, or too deeply nested. References to it do not resolve."""

    url: str
    reason: str


class BundledDocument(ApiModel):
    """The bundled text, or the files missing for it."""

    text: str | None
    """None while anything is missing."""
    missing: list[str]
    problems: list[UnreadableFile]


class DocumentBundleRoutes:
    """Handlers of document bundles."""

    def __init__(self, bundle: BundleDocument) -> None:
        self._bundle = bundle

    def list_routes(self) -> list[ApiRoute]:
        """Return the routes of this class."""
        return [
            ApiRoute(
                "POST",
                "/api/documents/bundle",
                self.bundle_document,
                "bundleDocument",
                "Bundle a document with the files it refers to",
                {200: RouteAnswer("The text, or what is missing.", BundledDocument)},
                body=DocumentFiles,
                access="page",
                errors=(ErrorCode.INVALID_DOCUMENT, ErrorCode.INVALID_REQUEST, ErrorCode.TOO_LARGE),
            )
        ]

    async def bundle_document(self, request: web.Request) -> web.Response:
        """Bundle a document; stores nothing. A page repeats this with more texts until nothing is missing."""
        body = await read_body(request, DocumentFiles, max_bytes=DOCUMENT_BODY_BYTES)
        bundle = await self._bundle(
            body.text, source_url=body.source_url, texts=body.texts, left_out=body.left_out
        )
        problems = [UnreadableFile(url=problem.url, reason=problem.reason) for problem in bundle.problems]
        return json_answer(BundledDocument(text=bundle.text, missing=list(bundle.missing), problems=problems))
