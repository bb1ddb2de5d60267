"""Documents read in this process: for tests whose subject is not the worker process that reads them."""

from collections.abc import Mapping, Sequence
from functools import cache

import orjson

from bridge.catalog.server_view import Validation
from bridge.documents.bodies import SplitBody, split_body
from bridge.documents.reader import DocumentReader
from bridge.documents.validation_child import validate_document
from bridge.errors import BridgeError, ErrorCode
from tests.support.documents.compiled import tools_of
from toolserver.errors import DocumentError
from toolserver.openapi.bundle import Bundle, bundle_document
from toolserver.tool.argument_schemas import ToolSchema
from toolserver.tool.compile import CompiledDocument, DocumentTools


class InlineReader(DocumentReader):
    """What the worker's process would say. Each text is compiled and validated once for all tests."""

    async def compile_document(
        self, text: str, *, source_url: str | None, base_url: str | None, overlays: Sequence[str] = ()
    ) -> CompiledDocument:
        return _tools_of(text, source_url, base_url, tuple(overlays)).compiled

    async def compile_schemas(
        self, text: str, digest: str, keys: Sequence[str], *, bare: str = "", overlays: Sequence[str] = ()
    ) -> Mapping[str, ToolSchema]:
        tools = _tools_of(text, None, None, tuple(overlays))
        return {key: tools.schema_of(key, bare=bare) for key in keys}

    async def read_responses(
        self, text: str, digest: str, key: str, *, overlays: Sequence[str] = ()
    ) -> bytes:
        return _tools_of(text, None, None, tuple(overlays)).responses_of(key)

    async def read_places(self, text: str, digest: str, key: str, *, overlays: Sequence[str] = ()) -> bytes:
        return _tools_of(text, None, None, tuple(overlays)).places_of(key)

    async def bundle_document(
        self, text: str, *, source_url: str | None, texts: Mapping[str, str], left_out: Mapping[str, str]
    ) -> Bundle:
        try:
            return bundle_document(text, source_url=source_url, texts=texts, omitted=left_out)
        except DocumentError as error:
            raise _invalid(error) from None

    async def split_body(self, body: bytes) -> SplitBody:
        try:
            return split_body(body)
        except orjson.JSONDecodeError as error:
            raise BridgeError(ErrorCode.INVALID_REQUEST, f"The body is not JSON: {error}.") from None

    async def validate_document(self, text: str, *, overlays: Sequence[str] = ()) -> Validation:
        problems = _problems_of(text, tuple(overlays))
        return Validation("invalid" if problems else "valid", problems)

    async def check_alive(self) -> float | None:
        """It is this process."""

    async def close(self) -> None:
        """There is nothing to end."""


@cache
def _tools_of(
    text: str, source_url: str | None, base_url: str | None, overlays: tuple[str, ...]
) -> DocumentTools:
    try:
        return tools_of(text, source_url=source_url, base_url=base_url, overlays=overlays)
    except DocumentError as error:
        raise _invalid(error) from None


@cache
def _problems_of(text: str, overlays: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(validate_document(text, overlays))


def _invalid(error: DocumentError) -> BridgeError:
    detail = {"code": error.code, "pointer": error.pointer}
    return BridgeError(ErrorCode.INVALID_DOCUMENT, error.message, detail=detail)
