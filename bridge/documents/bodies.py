"""The bodies of requests that carry documents, split into long texts and the few bytes around them.

Parsing such a body at once would keep the event loop for up to a tenth of a second; what is left without its
long texts is parsed and validated as any other body.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, cast

import orjson

LONG_TEXT_CHARS = 4 * 1024
"""Characters from which a text is taken out."""


@dataclass(slots=True)
class SplitBody:
    """A body as JSON, with tokens in place of its long texts."""

    members: Any
    texts: dict[str, str] = field(default_factory=dict[str, str])
    """The texts by their tokens, which nobody can guess."""

    def whole(self, value: Any) -> Any:
        """Return a value of the body with its long texts: a text, or texts by name; any other unchanged."""
        if isinstance(value, str):
            return self.texts.get(value, value)
        if isinstance(value, dict):
            return {name: self.whole(text) for name, text in cast(dict[str, Any], value).items()}
        return value


def split_body(body: bytes) -> SplitBody:
    """Take the long texts out of a body: those of its members, and those by name inside a member.

    Raises:
        orjson.JSONDecodeError: it is not JSON.
    """
    members = orjson.loads(body or b"{}")
    texts: dict[str, str] = {}
    if isinstance(members, dict):
        named = cast(dict[str, Any], members)
        _take_out(named, texts)
        for member in named.values():
            if isinstance(member, dict):
                _take_out(cast(dict[str, Any], member), texts)
    return SplitBody(cast(Any, members), texts)


def _take_out(holder: dict[str, Any], texts: dict[str, str]) -> None:
    for name, value in holder.items():
        if isinstance(value, str) and len(value) >= LONG_TEXT_CHARS:
            token = secrets.token_hex(16)
            texts[token] = value
            holder[name] = token
