"""Requests that are almost right, or not at all; the same source gives the same bytes."""

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any
from urllib.parse import quote

from tests.fuzz.vocabulary import (
    BODY_MEMBERS,
    BYTES,
    CONTROLS,
    FRAMING,
    HEADERS,
    LOGIN_COOKIE,
    METHODS,
    NEVER,
    PATHS,
    SCALARS,
    TEXTS,
)


class RequestMaker:
    """Makes requests to the routes of one bridge."""

    def __init__(self, document: Mapping[str, Any], host: str, credentials: list[str]) -> None:
        """`document`: the bridge's own OpenAPI document."""
        self._host = host
        self._credentials = credentials
        self._routes = [(method.upper(), path) for path, item in document["paths"].items() for method in item]
        schemas = document["components"]["schemas"].values()
        names = sorted({name for schema in schemas for name in schema.get("properties", {})})
        self._members = [*BODY_MEMBERS, *(name for name in names if not any(part in name for part in NEVER))]

    def make(self, source: Random) -> tuple[bytes, int]:
        """A request, and how many of its headers are odd."""
        headers = [("Host", self._host), ("Content-Type", "application/json")]
        if source.random() < 0.8:
            headers.append(("Authorization", f"Bearer {source.choice(self._credentials)}"))
        odd = source.choice([0, 1, 2, 2, 3, 5])
        for _ in range(odd):
            name = source.choice(FRAMING if source.random() < 0.02 else HEADERS)
            if source.random() < 0.5 or name == "Host":
                headers = [header for header in headers if header[0] != name]
            value = self._value(source)
            if name == "Cookie" and source.random() < 0.5:
                value = f"{LOGIN_COOKIE}={value}"
            headers.insert(source.randrange(len(headers) + 1), (name, value))
        body = self._body(source)
        if source.random() < 0.99:
            headers.append(("Content-Length", str(len(body))))
        head = [self._line(source), *(f"{name}: {value}" for name, value in headers), "", ""]
        request = "\r\n".join(head).encode("latin-1", "replace") + body
        return (scrambled(request, source) if source.random() < 0.05 else request), odd

    def _line(self, source: Random) -> str:
        method, path = source.choice(self._routes)
        if source.random() < 0.4:
            method, path = source.choice(METHODS), source.choice(PATHS)
        while "{" in path:
            before, _, rest = path.partition("{")
            path = before + self._value(source)[:300].replace("{", "%7B") + rest.partition("}")[2]
        if source.random() < 0.3:
            pairs = [f"{source.choice(self._members)}={self._value(source)[:200]}" for _ in range(3)]
            path += "?" + "&".join(pairs)
        if source.random() < 0.98:  # aiohttp refuses other characters before anybody looks at the rest
            path = quote(path.encode("latin-1"), safe="/?&=%;,:@+$!*'()[]{}|~<>.\\^`-_#")
        return f"{method} {path} HTTP/1.{source.choice('11111111110')}"

    def _value(self, source: Random) -> str:
        value = source.choice(TEXTS)
        if source.random() < 0.3:
            at = source.randrange(len(value) + 1)
            put_in = source.choice(CONTROLS if source.random() < 0.02 else BYTES)
            value = value[:at] + put_in.decode("latin-1") + value[at:]
        return value

    def _body(self, source: Random) -> bytes:
        if source.random() < 0.2:
            return b""
        text = json.dumps(self._json(source, 3), ensure_ascii=source.random() < 0.8)
        body = text.encode("utf-8", "surrogatepass")
        return scrambled(body, source) if source.random() < 0.1 else body

    def _json(self, source: Random, depth: int) -> Any:
        if depth == 0 or source.random() < 0.2:
            return source.choice(source.choice((SCALARS, TEXTS)))
        if source.random() < 0.2:
            return [self._json(source, depth - 1) for _ in range(source.randrange(4))]
        return {
            source.choice(self._members): self._json(source, depth - 1) for _ in range(source.randrange(6))
        }


def scrambled(text: bytes, source: Random) -> bytes:
    """Bytes with a few of them changed, left out, doubled or put in."""
    changed = bytearray(text)
    ways: tuple[Callable[[int], bytes], ...] = (
        lambda _at: source.randbytes(1),
        lambda _at: b"",
        lambda at: bytes(changed[at : at + 9]) * 2,
        lambda _at: source.choice((*BYTES, *CONTROLS)),
    )
    for _ in range(source.choice([1, 1, 2, 5])):
        at = source.randrange(len(changed) + 1)
        changed[at : at + source.choice([0, 1, 9])] = source.choice(ways)(at)
    return bytes(changed)
