"""Handlers declare their own routes; the bridge collects them into its one table."""

from typing import cast

import pytest
from aiohttp import web

from bridge.errors import ErrorCode
from bridge.http.declared_routes import (
    DeclaredApiRoutes,
    DeclaredRoutes,
    api_route,
    created,
    ok,
    route,
)
from bridge.http.routing import ApiRoute, Confirmation, RouteAnswer

REQUEST = cast("web.Request", None)
"""The handlers of these tests look at none."""


class Teapots(DeclaredApiRoutes):
    def __init__(self, colour: str) -> None:
        self._colour = colour

    @api_route("POST /teapots", created("The teapot.", Confirmation), access="page", body=Confirmation)
    async def brew_tea_slowly(self, _request: web.Request) -> web.Response:
        """Brew tea of recipe 2.0, slowly. It takes minutes."""
        return web.Response(text=self._colour)

    @route("GET /teapot.png", access="public", answers_head=True)
    async def picture(self, _request: web.Request) -> web.Response:
        """Serve a picture."""
        return web.Response()

    @api_route("PATCH /teapots/{id}", ok("Filled.", Confirmation), errors=(ErrorCode.NOT_FOUND,))
    @api_route("PUT /teapots/{id}", ok("Filled.", Confirmation), name="putTeapot")
    async def fill(self, _request: web.Request) -> web.Response:
        """Fill a teapot."""
        return web.Response()


class Kettles(DeclaredRoutes):
    bases = ("", "/servers/{server}")

    @route("GET /b")
    async def second(self, _request: web.Request) -> web.Response:
        return web.Response()

    @route("GET /a")
    async def first(self, _request: web.Request) -> web.Response:
        return web.Response()


def test_id_and_summary_of_a_route_are_the_name_and_the_first_sentence_of_its_handler() -> None:
    """Finding house-H11: a row that repeats them is a third place to forget when the handler changes."""
    row = Teapots("blue").list_routes()[0]
    assert (row.operation_id, row.summary) == ("brewTeaSlowly", "Brew tea of recipe 2.0, slowly")
    assert (row.method, row.path, row.access, row.body) == ("POST", "/teapots", "page", Confirmation)
    assert row.answers == {201: RouteAnswer("The teapot.", Confirmation)}


def test_rows_come_in_the_order_in_which_they_stand_in_the_class() -> None:
    """The first matching route answers, and the OpenAPI document keeps the order of the table."""
    rows = Teapots("blue").list_routes()
    assert [(row.method, row.operation_id) for row in rows] == [
        ("POST", "brewTeaSlowly"),
        ("PATCH", "fill"),
        ("PUT", "putTeapot"),
    ]
    assert [row.errors for row in rows] == [(), (ErrorCode.NOT_FOUND,), ()]


def test_files_are_in_the_table_but_not_among_the_described_routes() -> None:
    """The OpenAPI document is for programs; a page loads its files without it."""
    [row] = Teapots("blue").list_files()
    assert not isinstance(row, ApiRoute)
    assert (row.path, row.access, row.answers_head) == ("/teapot.png", "public", True)


@pytest.mark.asyncio
async def test_each_object_has_rows_of_its_own() -> None:
    """The decorator sees the class only, and tests run several bridges in one process."""
    rows = [Teapots(colour).list_routes()[0] for colour in ("blue", "red")]
    answers = [await row.handler(REQUEST) for row in rows]
    assert [cast("web.Response", answer).text for answer in answers] == ["blue", "red"]


def test_every_base_has_all_routes() -> None:
    """One server's tools are served below its own address by the same handlers."""
    paths = [row.path for row in Kettles().list_routes()]
    assert paths == ["/b", "/a", "/servers/{server}/b", "/servers/{server}/a"]


@pytest.mark.parametrize("place", ["/teapots", "FETCH /teapots", "get /teapots", ""])
def test_a_place_without_a_known_method_is_refused(place: str) -> None:
    """The router would take any word as a method, and answer to it."""
    with pytest.raises(ValueError, match="is a method and a path"):
        api_route(place, ok("Done.", Confirmation))
