"""Values of JSON, as others send them: what is not of the type that is expected is taken as empty."""

from typing import Any, cast

Json = dict[str, Any]


def as_object(value: Any) -> Json:
    """An object, or an empty one."""
    return cast(Json, value) if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[Json]:
    """The objects of an array."""
    return [cast(Json, each) for each in as_array(value) if isinstance(each, dict)]


def as_array(value: Any) -> list[Any]:
    """An array, or an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []
