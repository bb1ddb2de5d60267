"""Stored answers: received from the page, read in parts, downloaded by signed URLs, shown to models."""

from __future__ import annotations

import asyncio
import codecs
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

from bridge.browser_protocol import FILE_BYTES, RESULT_BYTES
from bridge.calls.call_ids import CallIds
from bridge.calls.outcome import CallOutcome
from bridge.errors import BridgeError, ErrorCode
from bridge.http.answers_elsewhere import AnswersElsewhere, OtherReplicas
from bridge.http.file_links import FileLinks, LinkedFile
from bridge.storage.answer_files import FILE as BINARY
from bridge.storage.answer_files import TEXT, AnswerFolder, Upload, store_upload
from toolserver.answer.result import FileBody, TextBody
from toolserver.answer.truncation import beginning_of
from toolserver.json_types import JsonObject
from toolserver.tool.meta_tools import pages_of

MAX_BYTES_OF_CHARACTER = 4
"""Most bytes that UTF-8 has for one character."""

_MIME = re.compile(r"[\w.+-]{1,64}/[\w.+-]{1,64}")


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A stored answer."""

    path: Path
    mime: str
    """With the charset, for text."""
    filename: str
    """"" when the API gave it none."""


class AnswerFiles:
    """The stored answers of all users. Without disk space an answer is cut or lost, but never an error."""

    def __init__(
        self,
        folder: Path,
        links: FileLinks,
        max_answer_bytes: int,
        *,
        of_replica: CallIds | None = None,
        replicas: OtherReplicas | None = None,
    ) -> None:
        """`of_replica`: for a replica that has its own folder, what knows the ids that all of them issue.

        `replicas` asks the others; without it each of them counts as gone.
        """
        self._folder = AnswerFolder(folder)
        self._elsewhere: AnswersElsewhere | None = None
        if of_replica is not None:
            self._elsewhere = AnswersElsewhere(self._folder, links, of_replica, replicas)
        self._links = links
        self._max_answer_bytes = max_answer_bytes or RESULT_BYTES

    async def sweep_files(self) -> None:
        """Delete expired files, and the oldest beyond the size limit."""
        await asyncio.to_thread(self._folder.sweep_files)

    async def receive_file(self, user_id: str, call_id: str, chunks: AsyncIterator[bytes]) -> FileBody:
        """Store the bytes that the page uploads.

        Raises:
            BridgeError: `too_large`.
        """
        upload = Upload(self._folder, user_id, f"{call_id}{BINARY}", max_bytes=FILE_BYTES)
        file_id = await store_upload(upload, chunks)
        return FileBody(file_id, upload.size)

    async def receive_text(self, user_id: str, call_id: str, chunks: AsyncIterator[bytes]) -> TextBody:
        """Store the text that the page uploads; the part that a caller reads stays in memory.

        Raises:
            BridgeError: `too_large`.
        """
        cap = self._max_answer_bytes
        upload = Upload(self._folder, user_id, f"{call_id}{TEXT}", max_bytes=RESULT_BYTES, head_bytes=cap)
        file_id = await store_upload(upload, chunks)
        stored_file = None if file_id is None else FileBody(file_id, upload.size)
        if upload.size <= cap:
            return TextBody(upload.head.decode("utf-8", "replace"), stored_file=stored_file)
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(upload.head)
        return TextBody(text, total_bytes=upload.size, stored_file=stored_file)

    async def fit_answer(
        self, user_id: str, outcome: CallOutcome, max_bytes: int | None = None
    ) -> CallOutcome:
        """Return the outcome with as much text as its caller reads; the whole is stored (engine's port)."""
        answered, most = outcome.answered, self.limit_of(max_bytes)
        body = answered.body if answered else None
        if answered is None or not isinstance(body, TextBody):
            return outcome
        if len(body.text) * MAX_BYTES_OF_CHARACTER <= most:
            return outcome
        content = body.text.encode("utf-8", "replace")
        if len(content) <= most:
            return outcome
        stored_file = await self.store_text(user_id, outcome.call_id, body)
        beginning = beginning_of(body.text, most)
        cut = TextBody(beginning, total_bytes=body.total_bytes or len(content), stored_file=stored_file)
        return replace(outcome, answered=replace(answered, body=cut))

    async def store_text(self, user_id: str, call_id: str, body: TextBody) -> FileBody | None:
        """Return the whole text as a file, stored if it is not yet; None without space."""
        if body.stored_file is not None or body.total_bytes is not None:
            return body.stored_file
        content = body.text.encode("utf-8", "replace")
        upload = Upload(self._folder, user_id, f"{call_id}{TEXT}", max_bytes=len(content))
        file_id = await store_upload(upload, _single_chunk(content))
        return None if file_id is None else FileBody(file_id, len(content))

    def limit_of(self, max_bytes: int | None) -> int:
        """Return how many bytes a caller reads that reads `max_bytes` at most; None: as much as all do."""
        return min(self._max_answer_bytes, max_bytes or RESULT_BYTES)

    async def read_page(
        self, user_id: str, call_id: str, offset: int, max_bytes: int | None = None
    ) -> JsonObject:
        """Return one part of a stored text, at most as large as its caller reads (the engine's port).

        `offset` counts characters (code points) of the text.

        Raises:
            BridgeError: `not_found`: this user has no such answer, or no longer; `answer_lost`: the replica
                is gone that may have had it; `cluster_unavailable`: it is not reached; `invalid_arguments`:
                it is not text, or ends before `offset`.
        """
        path = await self.find_text(user_id, call_id)
        return await asyncio.to_thread(_page_of, path, offset, self.limit_of(max_bytes))

    async def find_text(self, user_id: str, call_id: str) -> Path:
        """Return the stored text of a call.

        Raises:
            BridgeError: as `read_page`.
        """
        file_id = await self._find_answer(user_id, call_id)
        path = self._folder.find_file(file_id) if file_id else None
        if path is None:
            message = (
                f"No answer of a call {call_id[:80]!r} is stored. Answers that were cut are stored for "
                "24 hours, or until newer ones need the space. Run the operation again."
            )
            raise BridgeError(ErrorCode.NOT_FOUND, message, detail={"call_id": call_id[:80]})
        if path.suffix != TEXT:
            message = f"The answer of {call_id} is a file, not text. Its url is in the answer of the call."
            raise BridgeError(ErrorCode.INVALID_ARGUMENTS, message, detail={"argument": "call_id"})
        return path

    async def sign_link(
        self, user_id: str, call_id: str, mime: str, filename: str = ""
    ) -> tuple[str, int] | None:
        """Return the signed URL and the size of a call's stored answer; None without one.

        Raises:
            BridgeError: `answer_lost`: the replica is gone that may have had it; `cluster_unavailable`.
        """
        file_id = await self._find_answer(user_id, call_id)
        path = self._folder.find_file(file_id) if file_id else None
        if file_id is None or path is None:
            return None
        return self.url_path(file_id, mime, filename), path.stat().st_size

    def url_path(self, file_id: str, content_type: str, filename: str = "") -> str:
        """Return the path of the signed URL; its holder may read this one file until it expires."""
        mime = plain_mime(content_type)
        if file_id.endswith(TEXT):
            mime += "; charset=utf-8"
        return self._links.make_link(LinkedFile(file_id, mime, filename))

    def path_of(self, file_id: str) -> Path | None:
        """Return the path of a stored answer; None when it no longer exists."""
        return self._folder.find_file(file_id)

    def user_of_link(self, token: str) -> str:
        """Return the id of the user whose file a signed URL stands for.

        Raises:
            BridgeError: `unauthorized`: the token is forged or expired.
        """
        return self._links.read_link(token).file_id.partition("/")[0]

    async def open_file(self, token: str) -> StoredAnswer | None:
        """Return the file that a signed URL stands for; None when it no longer exists.

        Raises:
            BridgeError: `unauthorized`: the token is forged or expired; `answer_lost`: the replica is gone
                that may have had the file; `cluster_unavailable`: it is not reached.
        """
        linked = self._links.read_link(token)
        path = self._folder.find_file(linked.file_id)
        if path is None and self._elsewhere is not None:
            user_id, _, name = linked.file_id.partition("/")
            call_id, _, ending = name.partition(".")
            await self._elsewhere.bring_answer(user_id, call_id, [f".{ending}"])
            path = self._folder.find_file(linked.file_id)
        return None if path is None else StoredAnswer(path, linked.mime, linked.filename)

    async def _find_answer(self, user_id: str, call_id: str) -> str | None:
        """Return the id of a call's stored answer, which another replica may have had; None without one."""
        file_id = self._folder.of_call(user_id, call_id)
        if file_id is None and self._elsewhere is not None:
            await self._elsewhere.bring_answer(user_id, call_id)
            file_id = self._folder.of_call(user_id, call_id)
        return file_id


def _page_of(path: Path, offset: int, max_bytes: int) -> JsonObject:
    text = path.read_bytes().decode("utf-8", "replace")
    if offset > len(text):
        message = f"The answer has {len(text)} characters; offset {offset} is beyond its end."
        detail = {"argument": "offset", "total": len(text)}
        raise BridgeError(ErrorCode.INVALID_ARGUMENTS, message, detail=detail)
    part = beginning_of(text[offset : offset + max_bytes], max_bytes)
    return pages_of(text, offset, len(part))


def plain_mime(content_type: str) -> str:
    """Return type and subtype of a `Content-Type`, or `application/octet-stream` when it is invalid."""
    found = _MIME.match(content_type)
    return found[0].lower() if found else "application/octet-stream"


async def _single_chunk(content: bytes) -> AsyncIterator[bytes]:
    yield content


class TurnFiles:
    """The model loop's port to stored files."""

    def __init__(self, files: AnswerFiles, base_url: str) -> None:
        """`base_url`: of the bridge, as its users reach it."""
        self._files = files
        self._base_url = base_url

    def sign_url(self, file_id: str, content_type: str, filename: str) -> str:
        """Return the signed address of a file, valid for a day."""
        return self._base_url + self._files.url_path(file_id, content_type, filename)

    async def read_content(self, file_id: str) -> bytes | None:
        """Return the bytes of a file; None when it no longer exists."""
        path = self._files.path_of(file_id)
        return await asyncio.to_thread(_read, path) if path else None


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:  # newer answers needed the room
        return None
