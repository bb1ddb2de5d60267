"""`python -m tests.clients.table`: writes the tables of `docs/reference/mcp-clients.md`, from the tests.

What stands between `<!-- NAME -->` and `<!-- end -->` is written; all else on the page is by hand.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.clients.clients import CLIENTS, Ability, McpClient
from tests.clients.conformance import BASELINES, scenarios_by_reason, suite_version

ROOT = Path(__file__).parents[2]
PAGE = "docs/reference/mcp-clients.md"

_PART = re.compile(r"(<!-- (?P<name>clients|missing|suite) -->\n).*?(<!-- end -->)", re.DOTALL)


def page(text: str) -> str:
    """The page as it must be now."""
    parts = {"clients": _clients, "missing": _missing, "suite": _suite}
    return _PART.sub(lambda found: "\n".join([found[1].strip(), *parts[found["name"]](), found[3]]), text)


def _clients() -> Iterator[str]:
    heads = ["client", "speaks", *Ability, "gives up a call"]
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for client in CLIENTS:
        cells = [client.title, client.protocol, *(_cell(client, each) for each in Ability), client.patience]
        yield f"| {' | '.join(cells)} |"


def _cell(client: McpClient, ability: Ability) -> str:
    return "no such thing" if ability in client.lacks else "passed"


def _missing() -> Iterator[str]:
    for client in CLIENTS:
        for ability, instead in client.lacks.items():
            yield f"- {client.title}, {ability}: {instead}."


def _suite() -> Iterator[str]:
    yield from (f"| revision | exceptions in {suite_version()} | scenarios |", "|---|---|---|")
    for revision in BASELINES:
        for reason, scenarios in scenarios_by_reason(revision).items():
            yield f"| {revision} | {reason} | {', '.join(f'`{name}`' for name in scenarios)} |"


def main() -> None:
    """Write the page."""
    path = ROOT / PAGE
    path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
