"""Requests that one program may read as one and another as two, to be sent from one replica to another."""

ROUTE = "/tools/listProducts"

_SECOND = "POST /tools/listProducts HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
_CHUNKED = "Transfer-Encoding: chunked\r\n"

ODD_REQUESTS: tuple[tuple[str, str, str], ...] = (
    (ROUTE, f"Content-Length: {len(_SECOND)}\r\n", _SECOND),
    (ROUTE, _CHUNKED, f"2;x={'y' * 100}\r\n{{}}\r\n0\r\n\r\n"),
    (ROUTE, _CHUNKED, "2\r\n{}\r\n0\r\nContent-Length: 100\r\nHost: evil.example\r\n\r\n"),
    (ROUTE, _CHUNKED, f"0\r\n\r\n{_SECOND}"),
    (ROUTE, f"{_CHUNKED}Content-Length: 2\r\n", f"0\r\n\r\n{_SECOND}"),
    (ROUTE, f"Content-Length: 2\r\nContent-Length: {2 + len(_SECOND)}\r\n", "{}" + _SECOND),
    (ROUTE, "Content-Length: 2\r\nX-Odd: a\r b\r\n", "{}"),
    (ROUTE, "Content-Length: 2\r\nX-Odd: a\n b: c\r\n", "{}"),
    (ROUTE, "Content-Length: 2\r\nX-Odd: a\r\n folded: b\r\n", "{}"),
    (ROUTE, "Content-Length: 2\r\nX-Odd: a\0b\r\n", "{}"),
    (ROUTE, "Content-Length: 2\r\nX-Odd: a\x0bb\r\n", "{}"),
    (ROUTE, "Content-Length: 2\r\nX Odd: a\r\n", "{}"),
    (f"{ROUTE}?x=%0d%0aX-Odd:%20a%0d%0a%0d%0a", "Content-Length: 2\r\n", "{}"),
    (f"{ROUTE}?x=a\tb", "Content-Length: 2\r\n", "{}"),
    (f"http://evil.example{ROUTE}", "Content-Length: 2\r\n", "{}"),
    (f"//evil.example{ROUTE}", "Content-Length: 2\r\n", "{}"),
    ("evil.example:80", "Content-Length: 2\r\n", "{}"),
    ("*", "Content-Length: 2\r\n", "{}"),
)
"""Target, headers and the rest, each after a request line and headers that are good."""
