"""What requests and frames are made of: names that the bridge reads, and values that readers stumble over."""

from typing import Any

from bridge.browsers.socket_frames import PAGE_EVENTS


def _words(text: str) -> list[str]:
    """A list that is easier to read as text."""
    return text.split()


BYTES = tuple(rb"\ " b'" % %00 %ff // \xff \xed\xa0\x80 \x85 \xc2\xb2 \xe2\x80\xae'.split(b" "))
CONTROLS = (b"\x00", b"\x1b[31m", b"\r", b"\n", b"\x7f")
"""aiohttp refuses a request for these in a header before anybody looks at the rest: they are rare."""

HEADERS = _words("""
    Host Authorization Authorization Content-Type Content-Encoding Content-Disposition Expect Origin TE
    Sec-Fetch-Site Sec-Fetch-Mode Cookie Range If-None-Match If-Modified-Since If-Range Accept Accept-Encoding
    X-Forwarded-For User-Agent Last-Event-ID Access-Control-Request-Method Idempotency-Key
    X-OpenWebUI-User-Jwt X-OpenWebUI-User-Id X-OpenWebUI-Chat-Id X-OpenWebUI-Message-Id X-Session-Id
    X-Tool-Bridge-Calls X-Tool-Bridge-Debug X-Tool-Bridge-Markers X-Tool-Bridge-Task X-Tool-Deadline
    X-Result-Token X-Result-Kind MCP-Protocol-Version Mcp-Method Mcp-Name
    Sec-WebSocket-Key Sec-WebSocket-Version Sec-WebSocket-Protocol Sec-WebSocket-Extensions
""")
LOGIN_COOKIE = "tool-bridge-login-PORT.invalid"
"""The only cookie that the bridge reads; its port is put in when it is sent."""

FRAMING = ("Content-Length", "Transfer-Encoding", "Connection", "Upgrade", "")
"""Headers after which a connection is mostly over: they are rare, too."""

TEXTS = [
    *_words("""
        0 -1 1e9 nan true null * */* bytes=0- bytes=-1 bytes=9-1 gzip chunked identity websocket Upgrade
        100-continue application/json text/html;charset=x Bearer Bearer=a.b.c http://x [::1 ../.. ${jndi} {}
        W/"x" form-data;name="x";filename*=UTF-8''%ff 2025-11-25
    """),
    *("", "9" * 40, "Bearer a.b.c", "Basic eA==", "'; drop table calls; --", "[" * 200, "a" * 7_000),
    *("keep-alive, Upgrade", "Thu, 01 Jan 1970 00:00:00 GMT"),
]
SCALARS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**63,
    10**30,
    1.5,
    200,
    99,
    1e308,
    "",
    "x",
    "\ud800",
    "\x00",
]

KNOWN = [
    *_words("""
        shop-json listProducts addProduct local x demo scripted always once denied call_x resp_x conv_x
        msg_x
    """),
    *("GET /products", "POST /products", f"call_{'0' * 32}", "0" * 32),
]
"""Names that lead to something in the bridge that is searched."""

LOGIN_TICKET = "login-x"
ACCEPTED = _words("""
    */* text/plain;version=1.0.0 application/openmetrics-text;version=1.0.0;escaping=values
    application/openmetrics-text;version=
""")
PUBLIC_KEY = {
    "kty": "EC",
    "crv": "P-256",
    "x": "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY",
    "y": "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU",
}
"""A point of the curve, without which no ticket is looked at."""

METHODS = _words("GET GET POST POST PUT PATCH DELETE OPTIONS HEAD QUERY TRACE get")
PATHS = _words("""
    / /healthz /metrics /metrics /mcp /servers/x/mcp /login
    /login/finished /api/openapi.json /openapi.json /api/config /system /probe /static/{x}/app.js
    /executor/x.js
    /files/x /ws/socket.io/ /tools/listProducts /tools/x /servers/shop-json/openapi.json /servers/x/tools/y
    /v1/models /v1/models/{x} /v1/chat/completions /v1/responses /v1/responses/{x} /v1/requests/{x}/log
    /v1/responses/{x}/input_items /conversations /conversations/{x}/messages /static/{x} /tools/{x}
    /servers/{x}/system // *
""")
BODY_MEMBERS = _words("""
    model messages input stream tools role content type store instructions after before limit content_type
    jsonrpc id method params _meta ticket
    disposition EIO transport sid previous_response_id background metadata include conversation arguments
""")
NEVER = ("url", "origin")
"""Members that lead to requests of the bridge: nothing here goes beyond this machine."""

PREFIXES = ["", *_words("0 1 2 2probe 3 5 6 40 41 42 43 44 45 46 420 430 4299999999999999")]
EVENTS = [*_words("connect disconnect events bridge:new __proto__ message"), *sorted(PAGE_EVENTS)]
FRAME_MEMBERS = _words("""
    call_id outcome status http_status error code message body kind text delivered protocol page_id instance
    epoch alive calls state visibility origins decision reason token headers content_type truncated cut_by
    total_bytes duration_ms detail
""")
FRAME_TEXTS = _words("answered failed network visible once denied waiting lost text empty bridge:hello")
