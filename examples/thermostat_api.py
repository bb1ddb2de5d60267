"""The Home Thermostat of `documents/thermostat.yaml`."""

from dataclasses import dataclass, field
from typing import cast

from aiohttp import web

from .document_files import JsonObject, JsonValue
from .problem import ApiProblem, refuse
from .reading import (
    DEMO_LOGIN,
    check_api_key,
    check_bearer,
    is_demo_login,
    read_body,
    read_choice,
    read_integer,
    read_object,
)

_DOCUMENT = "thermostat.yaml"
_SCHEMAS = "/components/schemas"
_KEY_HEADER = "X-Home-Key"
_UNITS_HEADER = "X-Units"
_NOTE_HEADER = "X-Request-Note"
_CLOCK = "2026-05-04T18:30:00Z"
_LONGEST_BOOST = 180
_LONGEST_NOTE = 100
_BOOST_STEP = 5


@dataclass(slots=True)
class Room:
    """One room; temperatures in degrees Celsius."""

    name: str
    temperature: float
    target: float
    until: str | None = None
    boost_minutes: int = 0

    def show(self, units: str) -> JsonObject:
        """The room as the API shows it."""
        return {
            "name": self.name,
            "temperature": convert_celsius(self.temperature, units),
            "target": convert_celsius(self.target, units),
            "until": self.until,
            "units": units,
            "boost_minutes": self.boost_minutes,
        }


def _first_rooms() -> dict[str, Room]:
    rows = [
        Room("kitchen", 20.4, 20.0),
        Room("living-room", 21.1, 21.5, "2026-05-04T22:00:00Z"),
        Room("bedroom", 17.9, 18.0),
        Room("bathroom", 22.6, 23.0),
    ]
    return {room.name: room for room in rows}


def _first_program() -> JsonValue:
    week: list[JsonValue] = ["mon", "tue", "wed", "thu", "fri"]
    return [
        {"days": week, "at": "06:30", "temperature": 20.5},
        {"days": ["sat", "sun"], "at": "08:00", "temperature": 21},
    ]


@dataclass(slots=True)
class House:
    """Everything the thermostat remembers."""

    rooms: dict[str, Room] = field(default_factory=_first_rooms)
    program: JsonValue = field(default_factory=_first_program)
    firmware: str = "5.0.2"

    def room(self, name: str) -> Room:
        """The room with this name; a 404 when there is none."""
        if name not in self.rooms:
            raise ApiProblem(404, f"There is no room called {name}.")
        return self.rooms[name]


HOUSE = web.AppKey("house", House)


def convert_celsius(celsius: float, units: str) -> float:
    """Degrees in the units asked for, one digit after the point."""
    return round(celsius * 9 / 5 + 32, 1) if units == "fahrenheit" else celsius


def _units(request: web.Request) -> str:
    return read_choice(
        request.headers.get(_UNITS_HEADER, "celsius"), _UNITS_HEADER, ("celsius", "fahrenheit")
    )


def _room(request: web.Request) -> Room:
    return request.app[HOUSE].room(request.match_info["room"])


async def _list_rooms(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    units = _units(request)
    note = request.headers.get(_NOTE_HEADER)
    if note is not None and len(note) > _LONGEST_NOTE:
        raise refuse(_NOTE_HEADER, f"must have at most {_LONGEST_NOTE} characters")
    headers = {} if note is None else {_NOTE_HEADER: note}
    rooms = [room.show(units) for room in request.app[HOUSE].rooms.values()]
    return web.json_response(rooms, headers=headers)


async def _get_room(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    return web.json_response(_room(request).show(_units(request)))


async def _set_target(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    room = _room(request)
    target = await read_object(request, _DOCUMENT, f"{_SCHEMAS}/Target")
    room.target = cast(float, target["temperature"])
    room.until = cast("str | None", target.get("until"))
    return web.json_response(room.show("celsius"))


async def _boost_room(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    room = _room(request)
    minutes = read_integer(request, "minutes", None, _BOOST_STEP, _LONGEST_BOOST)
    if minutes % _BOOST_STEP:
        raise refuse("minutes", f"must be a multiple of {_BOOST_STEP}")
    room.boost_minutes = min(_LONGEST_BOOST, room.boost_minutes + minutes)
    return web.json_response(room.show("celsius"))


async def _get_program(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    return web.json_response(request.app[HOUSE].program)


async def _replace_program(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    house = request.app[HOUSE]
    house.program = await read_body(request, _DOCUMENT, f"{_SCHEMAS}/Program")
    return web.json_response(house.program)


async def _get_history(request: web.Request) -> web.Response:
    check_api_key(request, _KEY_HEADER)
    house, units = request.app[HOUSE], _units(request)
    names = request.query.get("rooms", "").split("|")
    chosen = [house.rooms[read_choice(name, "rooms", tuple(house.rooms))] for name in names]
    hours = read_integer(request, "hours", 6, 1, 48)
    steps = [-0.4, -0.1, 0.2, 0.3, 0.1, -0.2]
    return web.json_response(
        {
            room.name: [
                convert_celsius(round(room.temperature + steps[hour % len(steps)], 1), units)
                for hour in range(hours)
            ]
            for room in chosen
        }
    )


async def _update_firmware(request: web.Request) -> web.Response:
    check_bearer(request)
    pointer = "/paths/~1firmware~1update/post/requestBody/content/application~1json/schema"
    wanted = await read_object(request, _DOCUMENT, pointer)
    request.app[HOUSE].firmware = str(wanted["version"])
    return web.json_response(
        {"installing": wanted["version"], "restart": wanted.get("restart", True)}, status=202
    )


async def _get_service_report(request: web.Request) -> web.Response:
    if not is_demo_login(request):
        try:
            check_api_key(request, _KEY_HEADER)
            check_bearer(request)
        except ApiProblem:
            headers = {"WWW-Authenticate": 'Basic realm="sample"'}
            login = " and ".join(DEMO_LOGIN)
            raise ApiProblem(401, f"Log in with {login}, or send key and token.", headers=headers) from None
    report = {"firmware": request.app[HOUSE].firmware, "burner_hours": 4812, "remarks": None}
    return web.json_response(report)


async def _get_status(request: web.Request) -> web.Response:
    return web.json_response({"online": True, "firmware": request.app[HOUSE].firmware, "clock": _CLOCK})


def thermostat_routes() -> list[web.RouteDef]:
    """Every operation of the document, below `/thermostat`."""
    return [
        web.get("/thermostat/rooms", _list_rooms),
        web.get("/thermostat/rooms/{room}", _get_room),
        web.put("/thermostat/rooms/{room}/target", _set_target),
        web.post("/thermostat/rooms/{room}/boost", _boost_room),
        web.get("/thermostat/program", _get_program),
        web.put("/thermostat/program", _replace_program),
        web.get("/thermostat/history", _get_history),
        web.post("/thermostat/firmware/update", _update_firmware),
        web.get("/thermostat/service/report", _get_service_report),
        web.get("/thermostat/status", _get_status),
    ]
