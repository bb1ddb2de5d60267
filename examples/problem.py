"""Errors of the sample API: one exception, one answer form (RFC 9457, `application/problem+json`)."""

import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus

from aiohttp import web
from aiohttp.typedefs import Handler

from .document_files import JsonObject, JsonValue


class ApiProblem(Exception):
    """A request that cannot be fulfilled, as the caller shall read it."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        problems: Iterable[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Note what is wrong; `problems` are pairs of a place in the request and a message."""
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.problems = tuple(problems)
        self.headers = headers or {}


def refuse(where: str, message: str) -> ApiProblem:
    """A 400 for one wrong place in the request."""
    return ApiProblem(400, f"{where}: {message}", problems=[(where, message)])


def problem_response(
    status: int,
    detail: str,
    *,
    problems: Iterable[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """The answer for a problem; its title is the standard phrase of the status."""
    content: JsonObject = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    listed: list[JsonValue] = [{"where": where, "message": message} for where, message in problems]
    if listed:
        content["problems"] = listed
    return web.Response(
        status=status,
        body=json.dumps(content, ensure_ascii=False).encode(),
        content_type="application/problem+json",
        headers=headers,
    )


@web.middleware
async def answer_problems(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn `ApiProblem` and aiohttp's own errors (no such path, method not allowed) into problem answers."""
    try:
        return await handler(request)
    except ApiProblem as problem:
        return problem_response(
            problem.status, problem.detail, problems=problem.problems, headers=problem.headers
        )
    except web.HTTPError as error:
        kept = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else None
        return problem_response(error.status, error.reason, headers=kept)
