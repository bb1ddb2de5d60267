"""Routes declared on their handlers: a decorator gives a method its rows of the table of routes.

The operation id of a described route is the method's name, its summary the first sentence of the docstring.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Protocol, TypeVar, cast, get_args

from aiohttp import web
from pydantic import BaseModel

from bridge.audit import AuditKind
from bridge.errors import ErrorCode
from bridge.http.routing import Access, ApiRoute, Handler, Method, Route, RouteAnswer


class _Declared(Protocol):
    """A method that answers requests."""

    __name__: str

    def __call__(self, owner: Any, request: web.Request, /) -> Awaitable[web.StreamResponse]: ...


_D = TypeVar("_D", bound=_Declared)
_Row = Callable[[Handler], Route]
"""Takes the method bound to its object: gives the row."""

_ROWS = "_declared_rows"
_NO_QUERY: Mapping[str, str] = {}


def ok(
    description: str, model: type[BaseModel] | None = None, *, media_type: str = "application/json"
) -> Mapping[int, RouteAnswer]:
    """Return the successful answer of a route, if that has the status 200."""
    return {200: RouteAnswer(description, model, media_type)}


def created(description: str, model: type[BaseModel]) -> Mapping[int, RouteAnswer]:
    """Return the successful answer of a route, if that has the status 201."""
    return {201: RouteAnswer(description, model)}


def route(place: str, *, access: Access = "caller", answers_head: bool = False) -> Callable[[_D], _D]:
    """Declare a route such as `GET /login`, which the OpenAPI document leaves out."""
    method, path = _parsed(place)

    def declare(declared: _D) -> _D:
        return _add_row(
            declared, lambda handler: Route(method, path, handler, access=access, answers_head=answers_head)
        )

    return declare


def api_route(
    place: str,
    answers: Mapping[int, RouteAnswer],
    *,
    name: str = "",
    access: Access = "caller",
    body: type[BaseModel] | None = None,
    body_required: bool = True,
    errors: tuple[ErrorCode, ...] = (),
    audited: AuditKind | None = None,
    query: Mapping[str, str] = _NO_QUERY,
) -> Callable[[_D], _D]:
    """Declare a route such as `GET /api/keys/{id}`; `name`: of the second one that a method serves."""
    method, path = _parsed(place)

    def declare(declared: _D) -> _D:
        operation_id = name or re.sub(r"_(\w)", lambda match: match[1].upper(), declared.__name__)
        summary = re.split(r"\.(?:\s|$)", declared.__doc__ or "", maxsplit=1)[0]
        described = (operation_id, summary, answers, body, body_required, errors, audited, query)
        return _add_row(declared, lambda handler: ApiRoute(method, path, handler, *described, access=access))

    return declare


class DeclaredRoutes:
    """A class whose methods declare routes."""

    bases: ClassVar[tuple[str, ...]] = ("",)
    """What stands before each path: every base has all routes."""

    def list_routes(self) -> list[Route]:
        """Return the declared routes, in the order of the methods and of the decorators of each."""
        return [replace(row, path=base + row.path) for base in self.bases for row in _rows_of(self)]


class DeclaredApiRoutes:
    """A class whose methods declare described routes, and perhaps files."""

    def list_routes(self) -> list[ApiRoute]:
        """Return the described routes, in the order of the methods and of the decorators of each."""
        return [row for row in _rows_of(self) if isinstance(row, ApiRoute)]

    def list_files(self) -> list[Route]:
        """Return the other routes: files that browsers load."""
        return [row for row in _rows_of(self) if not isinstance(row, ApiRoute)]


def _parsed(place: str) -> tuple[Method, str]:
    method, _, path = place.partition(" ")
    if method not in get_args(Method):
        raise ValueError(f"A route is a method and a path, not {place!r}.")
    return cast("Method", method), path


def _add_row(declared: _D, row: _Row) -> _D:
    setattr(declared, _ROWS, [row, *_declared_rows(declared)])  # decorators are applied from the last one up
    return declared


def _declared_rows(member: object) -> list[_Row]:
    return cast("list[_Row]", getattr(member, _ROWS, []))


def _rows_of(owner: object) -> list[Route]:
    """Return what the methods of an object's own class declare; those of its bases are left out."""
    return [
        row(getattr(owner, name))
        for name, member in vars(type(owner)).items()
        for row in _declared_rows(member)
    ]
