"""How much work it is to validate arguments, so that those of one call hold up nobody.

Receives values and the schemas that tools are advertised with; gives numbers, and values that are shorter.
Both come from strangers: a mebibyte of arguments may have half a million values, a schema 400 nodes.
"""

from toolserver.json_types import JsonObject, JsonValue, array_at

TEXT_CHARS = 1024
"""Characters of a text, or of names together, that count as one more value: errors repeat them."""

LISTED_ITEMS = 20
"""Items of a list that are looked at for what is wrong with all of them."""

_LISTED_VALUES = 8
"""Values of a list that take as long to compare as one alternative takes to try (measured)."""


def count_values(value: JsonValue, limit: int) -> int:
    """The number of values in a value, itself included; counting ends beyond the limit."""
    waiting, count = [value], 0
    while waiting and count <= limit:
        each = waiting.pop()
        count += 1
        if isinstance(each, str):
            count += len(each) // TEXT_CHARS
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
            count += sum(map(len, each)) // TEXT_CHARS
    return count


def count_alternatives(schema: JsonObject) -> int:
    """The number of nodes that may be tried in vain on one value: alternatives, and long lists of values."""
    waiting: list[JsonValue] = [schema]
    count = 0
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            waiting += node.values()
            values = array_at(node, "enum")
            is_compared = not all(isinstance(value, str) for value in values)  # texts are looked up
            count += len(array_at(node, "anyOf")) + (len(values) // _LISTED_VALUES if is_compared else 0)
    return count


def shorten_lists(value: JsonValue) -> JsonValue:
    """The value with at most the first `LISTED_ITEMS` items of every list. It recurses as deep as that."""
    if isinstance(value, list):
        return [shorten_lists(item) for item in value[:LISTED_ITEMS]]
    if isinstance(value, dict):
        return {name: shorten_lists(inner) for name, inner in value.items()}
    return value
