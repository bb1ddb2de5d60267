"""Path templates as gateways and frameworks write them, in the form of the specification.

Receives a path and the names of parameters that it has no place for; gives the path with `{name}` where a
spelling from outside OpenAPI means one of them. Only declared names are looked for, so a path whose colons
and angles are literal stays as it is.
"""

import re
from collections.abc import Collection, Mapping
from typing import NamedTuple

_PLACE = re.compile(
    r"""
    # {proxy+} AWS; {+name}, {name*} RFC 6570; {*path}, {**path}, {b?}, {id:int}, {id=5} ASP.NET;
    # {rest...} Go; {id:[0-9]{3}} JAX-RS and Spring; {name=projects/*} gRPC; { id }
    \{\s* (?P<sign>[+*]{0,2}) (?P<braced>[^{}\s+*?:=]+?)
      \s* (?P<form>[+?]|\*{1,2}|\.{3}|[:=](?:[^{}]|\{[^{}]*\})*)? \}
    # :id, :path*, :id(\d+) Express and Rails
    | (?<=/) : (?P<named>[A-Za-z_]\w*) (?P<modifier>[+*?]|\([^()/]*\))? (?![\w-])
    # <id>, <int:id>, <path:rest> Flask
    | < (?:(?P<converter>\w+):)? (?P<angled>[A-Za-z_]\w*) >
    """,
    re.VERBOSE | re.ASCII,
)
_GREEDY = re.compile(r"[+*]|\*\*|\.\.\.|:\s*(?:path|\.[*+])|=(?:.*/.*|\*\*)")


class Fitted(NamedTuple):
    """How a path writes the place of a parameter."""

    spelling: str
    greedy: bool
    """Whether the value may span several segments."""


def fit_template(path: str, names: Collection[str]) -> tuple[str, Mapping[str, Fitted]]:
    """The path with these names in braces, and those of them that it has a place for."""
    fitted: dict[str, Fitted] = {}

    def write_place(found: re.Match[str]) -> str:
        name = found["braced"] or found["named"] or found["angled"]
        if name not in names:
            return found[0]
        greedy = any(_GREEDY.fullmatch(found[group] or "") for group in ("sign", "form", "modifier"))
        fitted.setdefault(name, Fitted(found[0], greedy or found["converter"] == "path"))
        return f"{{{name}}}"

    return _PLACE.sub(write_place, path), fitted
