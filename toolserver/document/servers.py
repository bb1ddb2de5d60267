"""Reads the server objects of a document, and derives the base URL from them.

Receives server arrays and the address of the document; gives absolute base URLs and origins. Pure string
work; nothing is looked up.
"""

import re
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from toolserver.json_types import JsonObject, JsonValue, array_at, object_at, scalar_text_at, text_at

_MAX_SERVERS = 50
_MAX_URL_CHARS = 4000
_MAX_VARIABLES = 50
_MAX_VALUE_CHARS = 1_000
_VARIABLE = r"\{([^{}]*)\}"
_LOGIN = re.compile(r"^((?:[a-zA-Z][a-zA-Z0-9+.-]*:)?[/\\]{2})[^/?#\\]*@")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """One server, with variables replaced by their defaults; the URL may still be relative."""

    url: str
    description: str
    variables: tuple[str, ...] = ()
    """Names of the variables that were replaced."""
    had_login: bool = False
    """Whether a user name or password was taken out of the URL."""


def read_servers(holder: JsonObject) -> tuple[ServerUrl, ...]:
    """The servers of a document, path item or operation, in order, at most 50, without broken entries."""
    found = [_read_server(entry) for entry in array_at(holder, "servers")[:_MAX_SERVERS]]
    return tuple(server for server in found if server is not None)


def _read_server(entry: JsonValue) -> ServerUrl | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("url"), str):
        return None
    template = text_at(entry, "url")
    names = tuple(dict.fromkeys(re.findall(_VARIABLE, template[:_MAX_URL_CHARS])))
    if len(template) > _MAX_URL_CHARS or len(names) > _MAX_VARIABLES:
        return None
    variables = object_at(entry, "variables")
    values = {name: _default_of(object_at(variables, name)) for name in names}
    if any(len(value) > _MAX_VALUE_CHARS for value in values.values()):
        return None
    url = re.sub(_VARIABLE, lambda match: values[match[1]], template)
    return without_login(ServerUrl(url.strip(), text_at(entry, "description"), names))


def without_login(server: ServerUrl) -> ServerUrl:
    """The server without a user name and password in its URL, which would be a secret in a public place."""
    url = _LOGIN.sub(r"\1", server.url)
    return server if url == server.url else replace(server, url=url, had_login=True)


def _default_of(variable: JsonObject) -> str:
    """The default of a server variable; if a document omits it, the first allowed value."""
    if "default" in variable:
        return scalar_text_at(variable, "default")
    allowed = (value for value in array_at(variable, "enum") if isinstance(value, str))
    return next(allowed, "")


def choose_base_url(servers: tuple[ServerUrl, ...], source_url: str | None) -> str:
    """The first server with an http(s) address, without a trailing slash; "" when none can be made absolute.

    Relative URLs are resolved against `source_url`. No servers at all means "/", as the specification says.
    If the first is also offered by https, that is chosen: a page served by https may not call http.
    """
    addresses = [absolute_url(server.url, source_url) for server in servers or (ServerUrl("/", ""),)]
    usable = [address for address in addresses if address]
    if not usable:
        return ""
    secure = usable[0].replace("http://", "https://", 1)
    return secure if secure in usable else usable[0]


def absolute_url(url: str, source_url: str | None) -> str:
    """`url` as an absolute http(s) URL without user, query, fragment and trailing slash; "" if it is not one.

    A URL with a scheme and no host, such as "https:/v1", takes the host of `source_url`.
    """
    try:
        joined = urljoin(source_url, url) if source_url else url
        if source_url and (hostless := re.fullmatch(r"(https?):(/(?!/).*)", url)):
            joined = f"{hostless[1]}://{urlsplit(source_url).netloc}{hostless[2]}"
        if joined.startswith("//"):
            joined = f"https:{joined}"
        parts = urlsplit(joined)
        authority = _authority(parts)
    except ValueError:
        return ""
    if not authority:
        return ""
    return urlunsplit((parts.scheme, authority, parts.path.rstrip("/"), "", ""))


def origin_of(base_url: str) -> str:
    """Scheme, host and non-default port of an absolute URL; "" for ""."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _authority(parts: SplitResult) -> str:
    """Host and port as a browser writes them; "" when there is no usable host.

    Raises:
        ValueError: an invalid port, or a host name that no browser accepts.
    """
    host = parts.hostname
    if parts.scheme not in _DEFAULT_PORTS or not host or re.search(r"[\s%<>\\^`{|}]", host):
        return ""
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    if ":" in host:
        host = f"[{host}]"
    port = parts.port
    return host if port is None or port == _DEFAULT_PORTS[parts.scheme] else f"{host}:{port}"
