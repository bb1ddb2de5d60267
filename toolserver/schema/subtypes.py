"""Schemas that extend another one by `allOf`, as the alternatives that its discriminator stands for.

OpenAPI lets a base schema carry a `discriminator` and no `oneOf`: whoever may send a Pet may send a Cat that
extends it (3.0.4 §4.7.25.2, 3.1.2 §4.8.25.4). Receives such a base; gives branches as a `oneOf` would have
them. Looks for extensions among named schemas only.
"""

from collections.abc import Callable, Iterator
from itertools import islice

from toolserver.errors import ReferenceFailed
from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, text_at
from toolserver.openapi.json_pointer import pointer_token
from toolserver.schema.alternatives import discriminator_of

MAX_SUBTYPES = 50
"""Maximum number of one base's subtypes. With more, only the base is described: there would be no room for so
many forms."""

_MAX_MAPPED = 1_000
"""Maximum number of values of one mapping that are examined."""

_CONTAINERS = ("#/components/schemas", "#/definitions")
"""Locations of named schemas in OpenAPI 3 and in Swagger 2.0."""


class Subtypes:
    """Finds extensions among one document's named schemas."""

    def __init__(self, resolve: Callable[[str], JsonValue]) -> None:
        """`resolve` gives the node of a reference or raises `ReferenceFailed`."""
        self._resolve = resolve
        self._extensions: dict[str, list[str]] | None = None

    def branches_below(self, ref: str, base: JsonObject) -> list[JsonValue]:
        """Branches for `base`, to which `ref` leads; [] when nothing extends it.

        Those that its mapping names come first. The base itself is the last, unless a mapping leaves it out.
        With more than `MAX_SUBTYPES` there are none.
        """
        refs = self.references_below(ref, base)
        if not refs:
            return []
        branches: list[JsonValue] = [{"$ref": each} for each in refs if each != ref]
        if own := _own_values(ref, base):
            name = text_at(discriminator_of(base), "propertyName")
            branches.append({"type": "object", "properties": {name: {"enum": own}}, "required": [name]})
        return branches

    def references_below(self, ref: str, base: JsonObject) -> list[str]:
        """The references that `branches_below` turns into branches."""
        discriminator = discriminator_of(base)
        if not ref or not discriminator or "oneOf" in base or "anyOf" in base:
            return []
        found = list(dict.fromkeys(self._mapped(discriminator)))
        looked_at = 0
        extending = self._extending(ref)
        while True:
            found += [each for each in dict.fromkeys(extending) if each != ref and each not in found]
            if looked_at == len(found) or len(found) > MAX_SUBTYPES:
                return found
            extending = self._extending(found[looked_at])
            looked_at += 1

    def _mapped(self, discriminator: JsonObject) -> Iterator[str]:
        for target in islice(object_at(discriminator, "mapping").values(), _MAX_MAPPED):
            if not isinstance(target, str):
                continue
            ref = target if "#" in target else f"{_CONTAINERS[0]}/{pointer_token(target)}"
            try:
                if isinstance(self._resolve(ref), dict):
                    yield ref
            except ReferenceFailed:
                continue

    def _extending(self, ref: str) -> list[str]:
        if self._extensions is None:
            self._extensions = self._find()
        return self._extensions.get(ref, [])

    def _find(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for container in _CONTAINERS:
            for name, schema in self._schemas_in(container).items():
                for base in _bases_of(schema):
                    found.setdefault(base, []).append(f"{container}/{pointer_token(name)}")
        return found

    def _schemas_in(self, container: str) -> JsonObject:
        try:
            schemas = self._resolve(container)
        except ReferenceFailed:
            return {}
        return schemas if isinstance(schemas, dict) else {}


def _bases_of(schema: JsonValue) -> Iterator[str]:
    for part in array_at(schema, "allOf") if isinstance(schema, dict) else ():
        base = part.get("$ref") if isinstance(part, dict) else None
        if isinstance(base, str):
            yield base


def _own_values(ref: str, base: JsonObject) -> list[JsonValue]:
    """The values of the discriminator that mean the base itself."""
    discriminator = discriminator_of(base)
    mapping = object_at(discriminator, "mapping")
    name = ref.rsplit("/", 1)[-1]
    if mapping:
        return [value for value, target in mapping.items() if target in (ref, name)]
    stated = object_at(object_at(base, "properties"), text_at(discriminator, "propertyName")).get("enum")
    return [name] if not isinstance(stated, list) or name in stated else []
