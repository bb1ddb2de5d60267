"""The Untidy Depot of `documents/untidy.yaml`: the service is in better order than its document."""

from dataclasses import dataclass, field

from aiohttp import web

from .document_files import JsonObject
from .problem import ApiProblem, refuse
from .reading import read_id, read_integer, read_json, read_text


def _first_items() -> dict[int, JsonObject]:
    names = ("ladder", "rope", "lantern", "bucket")
    return {number: {"id": number, "name": name, "shelf": "A"} for number, name in enumerate(names, 1)}


@dataclass(slots=True)
class Depot:
    """Everything the depot remembers."""

    items: dict[int, JsonObject] = field(default_factory=_first_items)
    last_id: int = 4

    def item(self, request: web.Request) -> JsonObject:
        """The item that the path names; a 404 when there is none."""
        number = read_id(request, "item_id")
        if number not in self.items:
            raise ApiProblem(404, f"There is no item {number}.")
        return self.items[number]

    def add(self, name: str, shelf: str = "A") -> JsonObject:
        """Add an item under the next number."""
        self.last_id += 1
        self.items[self.last_id] = {"id": self.last_id, "name": name, "shelf": shelf}
        return self.items[self.last_id]


DEPOT = web.AppKey("depot", Depot)


async def _get_status(_request: web.Request) -> web.Response:
    return web.json_response({"open": True})


async def _list_items(request: web.Request) -> web.Response:
    count = read_integer(request, "$top", 3, 1, 10)
    part = read_text(request, "filter[name]")
    found = [item for item in request.app[DEPOT].items.values() if part in str(item["name"])]
    return web.json_response({"items": found[:count]})


async def _add_item(request: web.Request) -> web.Response:
    body = await read_json(request)
    name = body.get("name") if isinstance(body, dict) else None
    if not isinstance(name, str):
        raise refuse("body/name", "must be a text")
    return web.json_response(request.app[DEPOT].add(name), status=201)


async def _get_item(request: web.Request) -> web.Response:
    return web.json_response(request.app[DEPOT].item(request))


async def _delete_item(request: web.Request) -> web.Response:
    depot = request.app[DEPOT]
    item = depot.item(request)
    depot.items = {number: kept for number, kept in depot.items.items() if kept is not item}
    return web.json_response({"deleted": item["id"]})


async def _move_item(request: web.Request) -> web.Response:
    item = request.app[DEPOT].item(request)
    if not (shelf := read_text(request, "shelf")):
        raise refuse("shelf", "is required")
    item["shelf"] = shelf
    return web.json_response(item)


async def _copy_item(request: web.Request) -> web.Response:
    depot = request.app[DEPOT]
    item = depot.item(request)
    return web.json_response(depot.add(str(item["name"]), str(item["shelf"])), status=201)


async def _count_items(request: web.Request) -> web.Response:
    return web.json_response({"count": len(request.app[DEPOT].items)})


async def _break(_request: web.Request) -> web.Response:
    return web.json_response({"reached": True})


def untidy_routes() -> list[web.RouteDef]:
    """Every operation of the document, the broken one too, below `/untidy`."""
    return [
        web.get("/untidy/status", _get_status),
        web.get("/untidy/items", _list_items),
        web.post("/untidy/items", _add_item),
        web.get("/untidy/items/{item_id}", _get_item),
        web.delete("/untidy/items/{item_id}", _delete_item),
        web.post("/untidy/items/{item_id}/move", _move_item),
        web.post("/untidy/items/{item_id}/copy", _copy_item),
        web.get("/untidy/inventory", _count_items),
        web.post("/untidy/broken", _break),
    ]
