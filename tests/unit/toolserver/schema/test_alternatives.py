"""What is known of a branch before it is written."""

import pytest

from toolserver.json_types import JsonObject, JsonValue
from toolserver.schema.alternatives import (
    Tag,
    is_enum,
    is_null,
    is_unconstrained,
    one_enum,
    only_requires,
    tag_of,
)

CAT: JsonObject = {"$ref": "#/components/schemas/Cat"}
KIND: JsonObject = {"propertyName": "kind"}
TAGS: list[tuple[JsonValue, JsonObject | None, Tag | None]] = [
    (CAT, KIND, Tag("kind", ("Cat",))),
    (CAT, {**KIND, "mapping": {"cat": "Cat", "dog": "Dog"}}, Tag("kind", ("cat",), mapped=("cat", "dog"))),
    (
        CAT,
        {**KIND, "mapping": {"cat": CAT["$ref"], "kitten": "Cat"}},
        Tag("kind", ("cat", "kitten"), mapped=("cat", "kitten")),
    ),
    (CAT, {**KIND, "mapping": {"dog": "Dog"}}, Tag("kind", ("Cat",))),
    (CAT, None, None),
    ({"type": "object"}, KIND, None),
]


@pytest.mark.parametrize(("branch", "discriminator", "tag"), TAGS)
def test_a_discriminator_names_the_values_of_a_branch(
    branch: JsonValue, discriminator: JsonObject | None, tag: Tag | None
) -> None:
    """Mapped values count, else the schema's name; an inline schema has none."""
    assert tag_of(branch, discriminator) == tag


def test_a_branch_without_rules_fits_every_value() -> None:
    """Texts and examples restrict nothing."""
    assert is_unconstrained({"title": "T", "example": 1})
    assert is_unconstrained(True)
    assert not is_unconstrained({"maxLength": 1})


def test_null_has_three_spellings() -> None:
    """All of them occur."""
    assert all(map(is_null, ({"type": "null"}, {"const": None}, {"enum": [None]})))
    assert not is_null({"type": ["string", "null"]})


def test_a_branch_that_only_requires_names_them() -> None:
    """Such branches are rules about the whole, not forms of their own."""
    assert only_requires({"required": ["a", "b"], "type": "object"}) == ["a", "b"]
    assert only_requires({"not": {"required": ["a"]}}) == []
    assert only_requires({"required": ["a"], "properties": {}}) is None


def test_lists_of_values_become_one_list() -> None:
    """With what was said about single values."""
    branches: list[JsonObject] = [{"const": 1, "title": "One"}, {"enum": [2, 3]}]
    assert all(map(is_enum, branches))
    assert one_enum(branches) == ({"enum": [1, 2, 3]}, "1 = One.")
    assert not is_enum({"enum": [{}]})
