"""Requests that one program may read as one and another as two, to be sent from one replica to another."""

LIST = "/tools/listProducts"

_SECOND = "POST /tools/listProducts HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
_CHUNKED = "Transfer-Encoding: chunked\r\n"

ODD_REQUESTS: tuple[tuple[str, str, str], ...] = (
    (LIST, f"Content-Length: {len(_SECOND)}\r\n", _SECOND),
    (LIST, _CHUNKED, f"2;x={'y' * 100}\r\n{{}}\r\n0\r\n\r\n"),
    (LIST, _CHUNKED, "2\r\n{}\r\n0\r\nContent-Length: 100\r\nHost: evil.example\r\n\r\n"),
    (LIST, _CHUNKED, f"0\r\n\r\n{_SECOND}"),
    (LIST, f"{_CHUNKED}Content-Length: 2\r\n", f"0\r\n\r\n{_SECOND}"),
    (LIST, f"Content-Length: 2\r\nContent-Length: {2 + len(_SECOND)}\r\n", "{}" + _SECOND),
    (LIST, "Content-Length: 2\r\nX-Odd: a\r b\r\n", "{}"),
    (LIST, "Content-Length: 2\r\nX-Odd: a\n b: c\r\n", "{}"),
    (LIST, "Content-Length: 2\r\nX-Odd: a\r\n folded: b\r\n", "{}"),
    (LIST, "Content-Length: 2\r\nX-Odd: a\0b\r\n", "{}"),
    (LIST, "Content-Length: 2\r\nX-Odd: a\x0bb\r\n", "{}"),
    (LIST, "Content-Length: 2\r\nX Odd: a\r\n", "{}"),
    (f"{LIST}?x=%0d%0aX-Odd:%20a%0d%0a%0d%0a", "Content-Length: 2\r\n", "{}"),
    (f"{LIST}?x=a\tb", "Content-Length: 2\r\n", "{}"),
    (f"http://evil.example{LIST}", "Content-Length: 2\r\n", "{}"),
    (f"//evil.example{LIST}", "Content-Length: 2\r\n", "{}"),
    ("evil.example:80", "Content-Length: 2\r\n", "{}"),
    ("*", "Content-Length: 2\r\n", "{}"),
)
"""Target, headers and the rest, each after a request line and headers that are good."""
