"""`/api/documents/bundle`: tells a page what to fetch for a document, and bundles it into one text."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
from aiohttp import web
from pydantic import Field

from bridge.documents.sources import BundleDocument
from bridge.endpoints.api.document_bodies import SplitBodyOf, read_document_body
from bridge.errors import ErrorCode
from bridge.http.declared_routes import DeclaredApiRoutes, api_route, ok
from bridge.http.long_lists import SLICE_BYTES, long_answer
from bridge.http.routing import ApiModel, json_answer


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


class DocumentBundleRoutes(DeclaredApiRoutes):
    """Handlers of document bundles."""

    def __init__(self, bundle: BundleDocument, split_body: SplitBodyOf) -> None:
        self._bundle = bundle
        self._split_body = split_body

    @api_route(
        "POST /api/documents/bundle",
        ok("The text, or what is missing.", BundledDocument),
        body=DocumentFiles,
        access="page",
        errors=(ErrorCode.INVALID_DOCUMENT, ErrorCode.INVALID_REQUEST, ErrorCode.TOO_LARGE),
    )
    async def bundle_document(self, request: web.Request) -> web.Response:
        """Bundle a document with the files it refers to.

        A page repeats this with more texts until nothing is missing. Nothing is stored.
        """
        body = await read_document_body(request, DocumentFiles, self._split_body)
        bundle = await self._bundle(
            body.text, source_url=body.source_url, texts=body.texts, left_out=body.left_out
        )
        problems = [UnreadableFile(url=problem.url, reason=problem.reason) for problem in bundle.problems]
        facts = BundledDocument(text=None, missing=list(bundle.missing), problems=problems)
        if bundle.text is None:
            return json_answer(facts)
        start = facts.model_dump_json(exclude={"text"}).encode().removesuffix(b"}") + b',"text":"'
        return long_answer(start, _escaped(bundle.text), b'"}', between=b"")


def _escaped(text: str) -> Iterator[bytes]:
    """The inside of a JSON string, piece by piece."""
    for start in range(0, len(text), SLICE_BYTES):
        yield orjson.dumps(text[start : start + SLICE_BYTES])[1:-1]
