"""Stored answers of other replicas: a call's id names the one that keeps its answer, which is copied once.

Only replicas with folders of their own need this; with one folder for all, or alone, every answer is here.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from bridge.browser_protocol import FILE_BYTES
from bridge.calls.call_ids import CallIds, made_at
from bridge.errors import BridgeError, ErrorCode
from bridge.http.file_links import FileLinks, LinkedFile
from bridge.storage.answer_files import FILE, KEEP_SECONDS, TEXT, AnswerFolder, Upload, store_upload

ENDINGS = (TEXT, FILE)

_MIME = "application/octet-stream"


class KeeperGone(Exception):
    """No live replica is one that the call's id names."""


class OtherReplicas(Protocol):
    """The live replicas but this one."""

    def open_answer(
        self, user_id: str, call_id: str, path: str
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes] | None]:
        """Open the answer behind the path of a signed link, at the replica that the call's id names.

        Gives the bytes; None: that replica has no such answer, or no longer.

        Raises:
            KeeperGone: that replica does not live.
            BridgeError: `cluster_unavailable`: it lives and is not reached.
        """
        ...


class AnswersElsewhere:
    """Brings answers here that another replica keeps."""

    def __init__(
        self, folder: AnswerFolder, links: FileLinks, ids: CallIds, replicas: OtherReplicas | None
    ) -> None:
        """`replicas`: None: every other replica counts as gone."""
        self._folder = folder
        self._links = links
        self._ids = ids
        self._replicas = replicas

    async def bring_answer(self, user_id: str, call_id: str, endings: Sequence[str] = ENDINGS) -> None:
        """Copy the answer of a call that another replica made, if that has one, into the folder of this one.

        The copy expires with the original. Does nothing for calls of this replica, and for none of ours.

        Raises:
            BridgeError: `answer_lost`: the replica is gone that would have it; `cluster_unavailable`: it
                lives and is not reached, or the copy has no room here.
        """
        if not self._ids.was_made_for(call_id, user_id) or self._ids.was_made_here(call_id):
            return
        if made_at(call_id) < time.time() - KEEP_SECONDS:
            return
        try:
            for ending in endings:
                if await self._copy_file(user_id, call_id, ending):
                    return
        except KeeperGone:
            raise _lost(call_id) from None

    async def _copy_file(self, user_id: str, call_id: str, ending: str) -> bool:
        """Copy one file; returns whether the other replica has it."""
        if self._replicas is None:
            raise KeeperGone
        name = f"{call_id}{ending}"
        path = self._links.make_link(LinkedFile(f"{user_id}/{name}", _MIME, ""))
        async with self._replicas.open_answer(user_id, call_id, path) as chunks:
            if chunks is None:
                return False
            upload = Upload(self._folder, user_id, name, max_bytes=FILE_BYTES)
            file_id = await store_upload(upload, chunks)
        if file_id is None:
            raise _no_room(call_id)
        await asyncio.to_thread(self._folder.date_file, file_id, made_at(call_id))
        return True


def _lost(call_id: str) -> BridgeError:
    message = (
        f"The answer of {call_id} is lost: the replica of the bridge that kept it stopped or is gone. Do not "
        "repeat a call that changes something; read what it changed."
    )
    return BridgeError(ErrorCode.ANSWER_LOST, message, detail={"call_id": call_id})


def _no_room(call_id: str) -> BridgeError:
    message = f"The answer of {call_id} is in another replica, and there is no room for it here. Try again."
    return BridgeError(ErrorCode.CLUSTER_UNAVAILABLE, message, retryable=True)
