"""Answers to programs, of which there are thousands a second, written in one piece.

aiohttp gathers the headers of an answer in a mapping, has signals add to it, and makes text of it again: most
of what an answer costs. What a program gets is always the same, but for its length and the date.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.helpers import rfc822_formatted_time
from aiohttp.http import SERVER_SOFTWARE

from bridge.http.connections import is_relay_request, may_answer_straight
from bridge.http.security_headers import lacking_headers

_RELAY_ENDING = f"\r\n{hdrs.SERVER}: {SERVER_SOFTWARE}\r\n\r\n".encode()
"""For another replica, which adds what its caller needs."""


class AnswerHead:
    """What the answers of one kind begin with: status 200, and fixed headers."""

    __slots__ = ("ending", "headers", "start")

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.headers = headers
        self.start = f"HTTP/1.1 200 OK\r\n{_lines(headers.items())}{hdrs.CONTENT_LENGTH}: ".encode()
        added = [(hdrs.SERVER, SERVER_SOFTWARE), (hdrs.VARY, "Origin"), *lacking_headers(headers)]
        self.ending = f"\r\n{_lines(added)}\r\n".encode()


def _lines(headers: Iterable[tuple[str, str]]) -> str:
    return "".join(f"{name}: {value}\r\n" for name, value in headers)


JSON_HEAD = AnswerHead({hdrs.CONTENT_TYPE: "application/json"})


class ProgramAnswer(web.Response):
    """A response whose body is at hand, on a route that other origins may use.

    Its bytes are those that aiohttp and the signals of the application would write, which is what they do for
    pages of other origins, and connections that end with the answer.
    """

    def __init__(self, body: bytes, head: AnswerHead = JSON_HEAD) -> None:
        super().__init__(body=body, headers=head.headers)
        self._whole = body
        self._head = head

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Write all of the answer where its head is known; aiohttp calls this, and `write_eof` after it.

        Raises:
            ClientConnectionResetError: the caller is gone.
        """
        if not may_answer_straight(request) or not _is_known(request):
            return await super().prepare(request)
        if self._eof_sent:  # by a handler that had to know whether it was written
            return None
        body, date = self._whole, rfc822_formatted_time()
        ending = _RELAY_ENDING if is_relay_request(request) else self._head.ending
        head = b"%b%d\r\nDate: %b%b" % (self._head.start, len(body), date.encode(), ending)
        self._keep_alive = True
        await request.writer.write_eof(head + body)
        self._body_length = len(body)
        self._eof_sent = True
        return None


def _is_known(request: web.BaseRequest) -> bool:
    """Whether the head of the answer depends on nothing that the request says."""
    stays_open = request.version == HttpVersion11 and request.keep_alive and request.method != hdrs.METH_HEAD
    return stays_open and hdrs.ORIGIN not in request.headers
