"""Parts of a page that are written from the code: between `<!-- generated: NAME -->` and `<!-- end -->`."""

import re
from collections.abc import Iterable, Mapping

_PART = re.compile(r"(<!-- generated: (?P<name>[\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_parts(text: str, parts: Mapping[str, Iterable[str]]) -> str:
    """The page with the lines of each part as they must be now.

    Raises:
        KeyError: the page has a part that nobody writes.
    """
    return _PART.sub(lambda found: "\n".join([found[1].strip(), *parts[found["name"]], found[3]]), text)


def names_of_parts(text: str) -> list[str]:
    """The names of the parts that a page has."""
    return [found["name"] for found in _PART.finditer(text)]


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], ruler: str = "") -> Iterable[str]:
    """A table in Markdown; `ruler` is its second line, where columns are aligned."""
    titles = list(heads)
    yield f"| {' | '.join(titles)} |"
    yield ruler or f"|{'---|' * len(titles)}"
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row]
        yield f"| {' | '.join(cells)} |"
