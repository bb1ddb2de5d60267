"""The Town Library of `documents/library.yaml`."""

from dataclasses import asdict
from typing import cast

from aiohttp import web
from aiohttp.web_request import FileField

from .document_files import JsonObject, JsonValue
from .library import LIBRARY, prune_tree
from .problem import ApiProblem, refuse
from .reading import (
    check_bearer,
    check_value,
    read_body,
    read_choice,
    read_integer,
    read_object,
)

_DOCUMENT = "library.yaml"
_BASE = "/library/v1"
_GENRES = ("novel", "poetry", "science", "history", "children")
_DEEPEST = 10
_LONGEST_SUGGESTION = 1000


def _body_schema(path: str, method: str, content_type: str = "application/json") -> str:
    escaped = path.replace("~", "~0").replace("/", "~1")
    return f"/paths/{escaped}/{method}/requestBody/content/{content_type.replace('/', '~1')}/schema"


def _filters(request: web.Request) -> dict[str, str]:
    found = {key[7:-1]: value for key, value in request.query.items() if key.startswith("filter[")}
    if unknown := set(found) - {"author", "published_after", "available"}:
        raise refuse("filter", f"has no property {sorted(unknown)[0]}")
    if not found.get("published_after", "0").lstrip("-").isdigit():
        raise refuse("filter[published_after]", "must be a year")
    read_choice(found.get("available", "true"), "filter[available]", ("true", "false"))
    return found


def _matches(item: JsonObject, genres: set[str], filters: dict[str, str]) -> bool:
    available = filters.get("available")
    return (
        (not genres or not genres.isdisjoint(cast(list[str], item.get("genres", []))))
        and filters.get("author", "").lower() in str(item["author"]).lower()
        and cast(int, item.get("published", 0)) > int(filters.get("published_after", -(10**6)))
        and (available is None or item["available"] is (available == "true"))
    )


async def _search_books(request: web.Request) -> web.Response:
    library = request.app[LIBRARY]
    page = read_integer(request, "page", 1, 1, 10**6)
    size = read_integer(request, "page_size", 10, 1, 100)
    wanted = [part for value in request.query.getall("genre", []) for part in value.split(",")]
    genres = {read_choice(genre, "genre", _GENRES) for genre in wanted}
    filters = _filters(request)
    shown = [library.show(isbn) for isbn in library.items]
    books = sorted(
        (item for item in shown if _matches(item, genres, filters)), key=lambda item: str(item["title"])
    )
    following = page + 1 if page * size < len(books) else None
    part = books[(page - 1) * size : page * size]
    return web.json_response({"books": part, "total": len(books), "next_page": following})


async def _add_book(request: web.Request) -> web.Response:
    check_bearer(request)
    item = await read_object(request, _DOCUMENT, _body_schema("/books", "post"))
    return web.json_response(request.app[LIBRARY].add(item), status=201)


async def _get_book(request: web.Request) -> web.Response:
    return web.json_response(request.app[LIBRARY].show(request.match_info["isbn"]))


async def _remove_book(request: web.Request) -> web.Response:
    check_bearer(request)
    library = request.app[LIBRARY]
    isbn = str(library.show(request.match_info["isbn"])["isbn"])
    del library.items[isbn]
    library.loans = {key: loan for key, loan in library.loans.items() if loan.isbn != isbn}
    return web.Response(status=204)


async def _upload_cover(request: web.Request) -> web.Response:
    check_bearer(request)
    item = request.app[LIBRARY].show(request.match_info["isbn"])
    if request.content_type != "multipart/form-data":
        raise ApiProblem(415, "The body must be multipart/form-data.")
    form = await request.post()
    picture = form.get("picture")
    caption = form.get("caption")
    if picture is None:
        raise refuse("picture", "is required")
    if isinstance(picture, FileField):
        size = len(picture.file.read())
    else:
        size = len(picture.encode() if isinstance(picture, str) else picture)
    shown = caption if isinstance(caption, str) else None
    return web.json_response({"isbn": item["isbn"], "bytes": size, "caption": shown})


async def _look_up_books(request: web.Request) -> web.Response:
    wanted = cast(list[str], await read_body(request, _DOCUMENT, _body_schema("/books/lookup", "post")))
    library = request.app[LIBRARY]
    return web.json_response([library.show(isbn) if isbn in library.items else None for isbn in wanted])


async def _get_categories(request: web.Request) -> web.Response:
    depth = read_integer(request, "depth", _DEEPEST, 1, _DEEPEST)
    return web.json_response(prune_tree(request.app[LIBRARY].categories, depth))


async def _add_category(request: web.Request) -> web.Response:
    check_bearer(request)
    category = await read_object(request, _DOCUMENT, "/components/schemas/Category")
    library = request.app[LIBRARY]
    cast(list[JsonValue], library.categories["children"]).append(category)
    return web.json_response(prune_tree(library.categories, _DEEPEST), status=201)


async def _list_loans(request: web.Request) -> web.Response:
    check_bearer(request)
    readers = set(request.query.getall("reader", []))
    loans = request.app[LIBRARY].loans.values()
    return web.json_response([asdict(loan) for loan in loans if not readers or loan.reader in readers])


async def _borrow_book(request: web.Request) -> web.Response:
    check_bearer(request)
    wanted = await read_object(request, _DOCUMENT, _body_schema("/loans", "post"))
    return web.json_response(asdict(request.app[LIBRARY].lend(wanted)), status=201)


async def _return_book(request: web.Request) -> web.Response:
    check_bearer(request)
    loan_id = request.match_info["loan_id"]
    if request.app[LIBRARY].loans.pop(loan_id, None) is None:
        raise ApiProblem(404, f"There is no loan {loan_id}.")
    return web.Response(status=204)


async def _register_reader(request: web.Request) -> web.Response:
    if request.content_type != "application/x-www-form-urlencoded":
        raise ApiProblem(415, "The body must be application/x-www-form-urlencoded.")
    form = await request.post()
    newsletter = read_choice(str(form.get("newsletter", "false")), "newsletter", ("true", "false"))
    reader: JsonObject = {
        "interests": [str(value) for value in form.getall("interests", [])],
        "newsletter": newsletter == "true",
    }
    if "name" in form:
        reader["name"] = str(form["name"])
    check_value(reader, _DOCUMENT, _body_schema("/readers", "post", "application/x-www-form-urlencoded"))
    return web.json_response(reader, status=201)


async def _suggest_book(request: web.Request) -> web.Response:
    if request.content_type != "text/plain":
        raise ApiProblem(415, "The body must be text/plain.")
    text = await request.text()
    if not 1 <= len(text) <= _LONGEST_SUGGESTION:
        raise refuse("body", f"must have 1 to {_LONGEST_SUGGESTION} characters")
    waiting = request.app[LIBRARY].suggestions
    waiting.append(text)
    return web.json_response({"received": text, "waiting": len(waiting)}, status=202)


def library_routes() -> list[web.RouteDef]:
    """Every operation of the document, below `/library/v1`."""
    return [
        web.get(f"{_BASE}/books", _search_books),
        web.post(f"{_BASE}/books", _add_book),
        web.post(f"{_BASE}/books/lookup", _look_up_books),
        web.get(f"{_BASE}/books/{{isbn}}", _get_book),
        web.delete(f"{_BASE}/books/{{isbn}}", _remove_book),
        web.put(f"{_BASE}/books/{{isbn}}/cover", _upload_cover),
        web.get(f"{_BASE}/categories", _get_categories),
        web.post(f"{_BASE}/categories", _add_category),
        web.get(f"{_BASE}/loans", _list_loans),
        web.post(f"{_BASE}/loans", _borrow_book),
        web.delete(f"{_BASE}/loans/{{loan_id}}", _return_book),
        web.post(f"{_BASE}/readers", _register_reader),
        web.post(f"{_BASE}/suggestions", _suggest_book),
    ]
