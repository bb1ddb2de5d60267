"""Reads the server objects of a document, and derives the base URL from them.

Receives server arrays and the address of the document; gives absolute base URLs and origins. Pure string
work; nothing is looked up.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from toolserver.errors import quote_text
from toolserver.json_types import (
    JsonObject,
    JsonValue,
    array_at,
    object_at,
    scalar_text,
    text_at,
    written_items,
    written_member,
)

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
    unknown: tuple[str, ...] = ()
    """Names of the variables that have no value; then the URL is the template."""
    problems: tuple[str, ...] = ()
    """Sentences about values that are no texts."""


Values = Mapping[str, str]
"""Values of server variables by name."""


def read_servers(holder: JsonObject, inherited: Values | None = None) -> tuple[ServerUrl, ...]:
    """The servers of a document, path item or operation, in order, at most 50, without broken entries.

    A variable without a value of its own takes that of `inherited`: those of the document's own servers.
    """
    found = [_read_server(entry, inherited or {}) for entry in array_at(holder, "servers")[:_MAX_SERVERS]]
    return tuple(server for server in found if server is not None)


def variables_of(holder: JsonObject) -> Values:
    """The values of all variables that the servers of a document describe; of one name the first."""
    values: dict[str, str] = {}
    for entry in array_at(holder, "servers")[:_MAX_SERVERS]:
        variables = object_at(entry, "variables") if isinstance(entry, dict) else {}
        for name in list(variables)[:_MAX_VARIABLES]:
            if (value := _value_of(object_at(variables, name))) is not None:
                values.setdefault(name, value)
    return values


def _read_server(entry: JsonValue, inherited: Values) -> ServerUrl | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("url"), str):
        return None
    template = text_at(entry, "url")
    address = re.split("[?#]", template[:_MAX_URL_CHARS], maxsplit=1)[0]  # the rest is never sent
    names = tuple(dict.fromkeys(re.findall(_VARIABLE, address)))
    if len(template) > _MAX_URL_CHARS or len(names) > _MAX_VARIABLES:
        return None
    variables = object_at(entry, "variables")
    own = {name: _value_of(object_at(variables, name)) for name in names}
    stated = {name: inherited.get(name) if value is None else value for name, value in own.items()}
    values = {name: value for name, value in stated.items() if value is not None}
    if any(len(value) > _MAX_VALUE_CHARS for value in values.values()):
        return None
    unknown = tuple(name for name in names if name not in values)
    url = template if unknown else re.sub(_VARIABLE, lambda match: values.get(match[1], ""), template)
    server = ServerUrl(
        url.strip(),
        text_at(entry, "description"),
        tuple(values),
        unknown=unknown,
        problems=tuple(_problems_of(variables, names)),
    )
    return without_login(server)


def without_login(server: ServerUrl) -> ServerUrl:
    """The server without a user name and password in its URL, which would be a secret in a public place."""
    url = _LOGIN.sub(r"\1", server.url)
    return server if url == server.url else replace(server, url=url, had_login=True)


def _value_of(variable: JsonObject) -> str | None:
    """The default of a server variable, as it is written; if a document omits it, the first allowed value."""
    default = scalar_text(variable.get("default"), written_member(variable, "default"))
    if default is not None:
        return default
    allowed = array_at(variable, "enum")
    texts = written_items(allowed)
    values = (scalar_text(value, texts.get(place)) for place, value in enumerate(allowed))
    return next((value for value in values if value is not None), None)


def _problems_of(variables: JsonObject, names: tuple[str, ...]) -> Iterator[str]:
    """What is told of values that OpenAPI wants as texts and authors write as numbers."""
    for name in names:
        variable = object_at(variables, name)
        default = variable.get("default")
        value = scalar_text(default, written_member(variable, "default"))
        subject = f"The default of the server variable {quote_text(name)}"
        if value is not None and not isinstance(default, str):
            yield f"{subject} is no text; {quote_text(value)} is taken, as it is written."
        elif value is None and "default" in variable:
            yield f"{subject} is no text; it is left out."


def choose_base_url(servers: tuple[ServerUrl, ...], source_url: str | None) -> str:
    """The first server with an http(s) address, without a trailing slash; "" when none can be made absolute.

    A server with a variable that has no value has none.

    Relative URLs are resolved against `source_url`. No servers at all means "/", as the specification says.
    If the first is also offered by https, that is chosen: a page served by https may not call http.
    """
    addresses = [
        absolute_url(server.url, source_url)
        for server in servers or (ServerUrl("/", ""),)
        if not server.unknown
    ]
    usable = [address for address in addresses if address]
    if not usable:
        return ""
    secure = usable[0].replace("http://", "https://", 1)
    return secure if secure in usable else usable[0]


def absolute_url(url: str, source_url: str | None) -> str:
    """`url` as an absolute http(s) URL without user, query, fragment and trailing slash; "" if it is not one.

    A URL with a scheme and no host, such as "https:/v1", takes the host of `source_url`. No other part of an
    address is taken from there: "https://" alone is none.
    """
    if re.fullmatch(r"https?:///*", url):  # joined, it would be the address of the document itself
        return ""
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
