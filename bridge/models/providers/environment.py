"""What the environment says about connections to providers: proxies, certificates, further headers."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import getproxies, proxy_bypass

import truststore
from aiohttp import encode_basic_auth, hdrs
from yarl import URL

from bridge.operating_system import AUTHORITIES, keeps_authorities


@dataclass(frozen=True, slots=True)
class Proxy:
    """The proxy on the way to one address."""

    url: URL
    """Without its user."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """What it wants to be told: who asks."""


def find_proxy(url: URL) -> Proxy | None:
    """Return the proxy that `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name for an address.

    Raises:
        OSError: it is one of another kind, such as SOCKS, or no address.
    """
    known = getproxies()
    named = known.get(url.scheme) or known.get("all")
    if not named or proxy_bypass(url.host or ""):
        return None
    try:
        proxy = URL(named if "://" in named else f"http://{named}")
    except ValueError:
        raise OSError("the environment names a proxy that is no address") from None
    if proxy.scheme not in ("http", "https") or not proxy.host:
        raise OSError(
            f"the environment names a proxy of the kind {proxy.scheme}; only http and https are known"
        )
    if not proxy.user:
        return Proxy(proxy)
    known_as = encode_basic_auth(proxy.user, proxy.password or "")
    return Proxy(proxy.with_user(None), {hdrs.PROXY_AUTHORIZATION: known_as})


def custom_headers() -> dict[str, str]:
    """Return the headers of `OPENAI_CUSTOM_HEADERS`: a line for each, `Name: value`, as in OpenAI's SDK."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    named = (line.partition(":") for line in lines)
    return {name.strip(): value.strip() for name, colon, value in named if colon}


def open_tls_context() -> ssl.SSLContext:
    """Return what servers are verified with: `SSL_CERT_FILE`, `SSL_CERT_DIR`, or the system's authorities."""
    if (file := os.environ.get("SSL_CERT_FILE")) or os.environ.get("SSL_CERT_DIR"):
        folder = None if file else os.environ["SSL_CERT_DIR"]
        context = ssl.create_default_context(cafile=file or None, capath=folder)
    elif keeps_authorities():
        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    else:
        context = ssl.create_default_context()
        _load_authorities(context)
    context.set_alpn_protocols(("http/1.1",))
    return context


def _load_authorities(context: ssl.SSLContext) -> None:
    """Load the system's authorities where OpenSSL's own paths lead nowhere."""
    paths = ssl.get_default_verify_paths()
    has_own = os.path.isfile(paths.openssl_cafile) or any(Path(paths.openssl_capath).glob("*.0"))
    if not has_own and (found := next(filter(os.path.isfile, AUTHORITIES), None)) is not None:
        context.load_verify_locations(found)
