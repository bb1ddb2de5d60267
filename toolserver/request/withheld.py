"""What edits keep from callers, applied to the values of one call: refuses names, and adds fixed values.

Receives a plan and values; gives values as they are sent. The same as `static/request/withheld.js`.
"""

from collections.abc import Iterable

from toolserver.errors import RequestError
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at


def refuse_withheld_names(plan: JsonObject, arguments: Iterable[str]) -> None:
    """Refuse arguments by the names of what is withheld.

    Raises:
        RequestError: invalid_arguments.
    """
    names = array_at(object_at(plan, "withheld"), "names")
    for argument in arguments if names else ():
        if argument in names:
            raise RequestError("invalid_arguments", f'There is no argument "{argument}".', argument=argument)


def fill_place(
    plan: JsonObject, holder: JsonObject, value: JsonValue, argument: str, *, is_text_read: bool
) -> JsonValue:
    """The value of a parameter or body with the fixed values in it. `holder`: its entry in the plan.

    `is_text_read`: whether the API would read a text there as more than a text, as in a form.

    Raises:
        RequestError: invalid_arguments: the value has a name that is withheld.
    """
    index = holder.get("place")
    if not isinstance(index, int):
        return value
    places = array_at(object_at(plan, "withheld"), "places")
    return _Filling(places, argument, is_text_read).fill(value, index, argument)


class _Filling:
    """Goes through one value."""

    def __init__(self, places: list[JsonValue], argument: str, is_text_read: bool) -> None:
        self._places = places
        self._argument = argument
        self._is_text_read = is_text_read

    def fill(self, value: JsonValue, index: JsonValue, where: str) -> JsonValue:
        place = self._places[index] if isinstance(index, int) else None
        if not isinstance(place, dict):
            return value
        if isinstance(value, list):
            return [self.fill(item, place.get("items"), where) for item in value]
        if isinstance(value, str) and self._is_text_read and not place.get("takes_text"):
            raise self._refusal(f'"{where}" must be an object, not a text.')
        return self._fill_object(value, place, where) if isinstance(value, dict) else value

    def _fill_object(self, value: JsonObject, place: JsonObject, where: str) -> JsonObject:
        refused = array_at(place, "refused")
        members = _pairs(place, "members")
        filled: JsonObject = {}
        for name, member in value.items():
            if name in refused:
                raise self._refusal(f'There is no property "{name}" in "{where}".')
            filled[name] = self.fill(member, members.get(name, place.get("others")), f"{where}.{name}")
        return filled | _pairs(place, "fixed")

    def _refusal(self, message: str) -> RequestError:
        return RequestError("invalid_arguments", message, argument=self._argument)


def _pairs(place: JsonObject, key: str) -> JsonObject:
    pairs = (pair for pair in array_at(place, key) if isinstance(pair, list))
    return {str(name): value for name, value in pairs}
