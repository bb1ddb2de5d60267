"""What the auditing tools said, and what of it makes `make check` fail. Pure."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

LONGEST_DAYS = 180
"""For which an advisory can be accepted, in days."""

_NO_SERVICE = re.compile(
    r"ConnectionError|ConnectTimeout|ReadTimeout|ProxyError|SSLError|ServiceError|NameResolution|timed out"
    r"|ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENOAUDIT|E4\d\d|E5\d\d"
    r"|\b[45]\d\d [A-Z]|audit endpoint returned an error|HTTPError"
)


class Unreachable(Exception):
    """The advisories could not be asked for; the text says what the tool said."""


class Unreadable(Exception):
    """A tool said something else than it should; the text says what."""


@dataclass(frozen=True, slots=True)
class Advisory:
    """An advisory about a version that a lock file pins."""

    package: str
    version: str
    id: str
    aliases: tuple[str, ...] = ()
    fixed_in: str = ""

    def __str__(self) -> str:
        better = f", fixed in {self.fixed_in}" if self.fixed_in else ""
        names = ", ".join([self.id, *self.aliases])
        return f"{self.package} {self.version}: {names}{better}"


@dataclass(frozen=True, slots=True)
class Acceptance:
    """An advisory that is accepted until a day."""

    id: str
    package: str
    reason: str
    expires: date


def read_acceptances(text: str) -> list[Acceptance]:
    """Read the list of accepted advisories.

    Raises:
        ValueError, KeyError, TypeError: an entry lacks something, or has something else.
    """
    found: list[Acceptance] = []
    for entry in cast("list[dict[str, Any]]", tomllib.loads(text).get("accepted", [])):
        if not str(entry["reason"]).strip() or not isinstance(entry["expires"], date):
            raise ValueError(f"{entry['id']}: it needs a reason and a day")
        acceptance = Acceptance(**entry)
        found.append(acceptance)
    return found


def advisories_of_pip(output: str, said: str) -> list[Advisory]:
    """Read the JSON of pip-audit; `said`: its standard error.

    Raises:
        Unreachable: the service did not answer.
        Unreadable: it is something else.
    """
    facts = _json_of(output, said)
    return [
        Advisory(
            package["name"],
            package["version"],
            known["id"],
            tuple(known.get("aliases", ())),
            ", ".join(known.get("fix_versions", ())),
        )
        for package in facts["dependencies"]
        for known in package.get("vulns", ())
    ]


def advisories_of_npm(output: str, said: str) -> list[Advisory]:
    """Read the JSON of `npm audit`; `said`: its standard error.

    Raises:
        Unreachable: the registry did not answer.
        Unreadable: it is something else.
    """
    facts = _json_of(output, said)
    if "vulnerabilities" not in facts:
        raise _failure(f"{said}\n{facts.get('message') or facts}")
    return [
        Advisory(name, entry["range"], _id_of(cast("dict[str, Any]", known)), fixed_in=_fix_of(entry))
        for name, entry in facts["vulnerabilities"].items()
        for known in entry["via"]
        if isinstance(known, dict)  # a text names another package that has it
    ]


def judge(
    found: Iterable[Advisory], accepted: Sequence[Acceptance], today: date
) -> tuple[list[str], list[str]]:
    """Return what makes the check fail, and what is accepted for now."""
    wrong: list[str] = []
    known: list[str] = []
    for advisory in found:
        entry = next((each for each in accepted if _fits(each, advisory)), None)
        if entry is None:
            wrong.append(f"{advisory}. Update it, or accept it with a reason in make/audit/accepted.toml.")
        elif entry.expires < today:
            wrong.append(f"{advisory}. It was accepted until {entry.expires}: {entry.reason}")
        else:
            known.append(f"{advisory}. Accepted until {entry.expires}: {entry.reason}")
    return wrong, known


def _fits(entry: Acceptance, advisory: Advisory) -> bool:
    return entry.package == advisory.package and entry.id in (advisory.id, *advisory.aliases)


def _json_of(output: str, said: str) -> dict[str, Any]:
    try:
        facts: Any = json.loads(output)
    except ValueError:
        raise _failure(said or output) from None
    if not isinstance(facts, dict):
        raise _failure(output)
    return cast("dict[str, Any]", facts)


def _failure(said: str) -> Exception:
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "nothing")
    return Unreachable(last[:300]) if _NO_SERVICE.search(said) else Unreadable(said[-2000:] or "nothing")


def _id_of(known: dict[str, Any]) -> str:
    return str(known.get("url", "")).rpartition("/")[2] or str(known.get("source"))


def _fix_of(entry: dict[str, Any]) -> str:
    fix = entry.get("fixAvailable")
    return str(cast("dict[str, Any]", fix).get("version", "")) if isinstance(fix, dict) else ""
