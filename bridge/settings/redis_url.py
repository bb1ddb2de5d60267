"""The address of Redis: one server by network or by socket, or Sentinels that know which server it is.

Own code instead of the library's: the library is not loaded before it is known that replicas are wanted,
and takes from an address what must not be changed, such as its time-outs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

REDIS_PORT = 6379
SENTINEL_PORT = 26379

FORMS = (
    "redis://user:password@host:6379/0, the same with rediss:// for TLS, unix:///path/to.sock?db=0 or "
    "redis+sentinel://host:26379,host:26379/0/SERVICE"
)

_SENTINEL = "+sentinel"
_SCHEMES = ("redis", "rediss", "unix", "redis+sentinel", "rediss+sentinel")
_MAX_PORT = 65535
_TLS_FILES = ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile")


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """Where Redis is, and who asks."""

    hosts: tuple[tuple[str, int], ...] = ()
    """The server, or the Sentinels; none with a socket."""
    socket: str = ""
    """Path of a socket of this machine."""
    service: str = ""
    """Name under which the Sentinels know the server."""
    db: int = 0
    user: str = ""
    password: str = field(default="", repr=False)
    sentinel_user: str = ""
    sentinel_password: str = field(default="", repr=False)
    tls: bool = False
    """Certificates are checked, always."""
    tls_files: tuple[tuple[str, str], ...] = ()
    """Files of the certificates, by the names that redis-py has for them."""

    @property
    def shown(self) -> str:
        """The address without names and passwords, for messages."""
        if self.socket:
            return f"unix://{self.socket}?db={self.db}"
        hosts = ",".join(f"[{host}]:{port}" if ":" in host else f"{host}:{port}" for host, port in self.hosts)
        scheme = ("rediss" if self.tls else "redis") + (_SENTINEL if self.service else "")
        return f"{scheme}://{'/'.join((hosts, str(self.db), *filter(None, [self.service])))}"


def parse_redis_url(url: str) -> RedisAddress:
    """Parse an address in one of the `FORMS`.

    Raises:
        ValueError: it is none; the message never repeats it.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError(f"is no address; it must be {FORMS}") from None
    if parts.scheme not in _SCHEMES or "//" not in url:
        raise ValueError(f"must be {FORMS}")
    options = _options_of(parts)
    asking, _, named = parts.netloc.rpartition("@")
    user, _, password = asking.partition(":")
    common = RedisAddress(
        user=unquote(user),
        password=unquote(password),
        sentinel_user=options.get("sentinel_username", ""),
        sentinel_password=options.get("sentinel_password", ""),
        tls=parts.scheme.startswith("rediss"),
        tls_files=tuple((name, options[name]) for name in _TLS_FILES if name in options),
    )
    return _with_place(common, parts, named, options)


def _with_place(
    common: RedisAddress, parts: SplitResult, named: str, options: dict[str, str]
) -> RedisAddress:
    """Return the address with what says where the server is."""
    path = unquote(parts.path)
    if parts.scheme == "unix":
        if named or not path.strip("/"):
            raise ValueError("names no socket; it must be unix:///path/to.sock?db=0")
        return replace(common, socket=path, db=_number_of(options.get("db", "")))
    if parts.scheme.endswith(_SENTINEL):
        database, _, service = path.removeprefix("/").partition("/")
        number = _number_of(database)
        if not service:
            raise ValueError("names no service; it must be redis+sentinel://host:26379,host:26379/0/SERVICE")
        hosts = tuple(_host_of(entry, SENTINEL_PORT) for entry in named.split(","))
        return replace(common, hosts=hosts, service=service, db=number)
    if "," in named:
        raise ValueError("names several hosts; that is for redis+sentinel:// only")
    database = path.removeprefix("/")
    return replace(common, hosts=(_host_of(named, REDIS_PORT),), db=_number_of(database))


def _options_of(parts: SplitResult) -> dict[str, str]:
    """Return what follows the question mark."""
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    known: tuple[str, ...] = ("db",) if parts.scheme == "unix" else _TLS_FILES
    if parts.scheme.endswith(_SENTINEL):
        known = (*known, "sentinel_username", "sentinel_password")
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        raise ValueError(f"has the unknown option {unknown[:40]}; known are {', '.join(known)}")
    if not parts.scheme.startswith("rediss") and any(name in options for name in _TLS_FILES):
        raise ValueError("has options of TLS, which needs rediss://")
    return options


def _host_of(text: str, default_port: int) -> tuple[str, int]:
    """Return host and port of `host`, `host:port` or `[address]:port`."""
    parts = urlsplit(f"//{text}")
    try:
        port = default_port if parts.port is None else parts.port
    except ValueError:
        port = 0
    if not parts.hostname:
        raise ValueError(f"names no host; it must be {FORMS}")
    if not 0 < port <= _MAX_PORT:
        raise ValueError(f"has a port that is none; it must be a number from 1 to {_MAX_PORT:,}")
    return parts.hostname, port


def _number_of(text: str) -> int:
    if text and not (text.isascii() and text.isdecimal()):
        raise ValueError("has a database that is no number; the first one is 0")
    return int(text or 0)
