"""A server of plain connections, for tests that need more than HTTP: it breaks, forwards, or says nothing."""

import asyncio
import datetime
import ipaddress
import secrets
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]

PORTS = range(20_000, 32_000)
"""Below those that the system gives to whoever asks for any: none of these becomes busy by chance."""


def free_port() -> int:
    """A port that nobody has now, for a server that is started later or again, or never."""
    while True:
        port = secrets.choice(PORTS)  # not what pytest-randomly has every worker choose
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@asynccontextmanager
async def serving_connections(serve: Serve, *, tls: ssl.SSLContext | None = None) -> AsyncGenerator[int]:
    """The number of a free port, where `serve` has each connection; every one of them ends with it."""
    open_connections: set[asyncio.Task[Any]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(serve(reader, writer))
        open_connections.add(task)
        task.add_done_callback(open_connections.discard)
        task.add_done_callback(lambda _: writer.close())  # it may be cancelled before it begins

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        await asyncio.sleep(0)  # a connection that was accepted just now gets its task
        for task in open_connections:
            task.cancel()
        await asyncio.gather(*open_connections, return_exceptions=True)


def write_certificate(file: Path, host: str) -> None:
    """Write a certificate for a host and 127.0.0.1, signed by itself, and its key, as PEM.

    Nobody vouches for it: an attacker on the way can make such a one for any name.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    content = key.private_bytes(pem, form, serialization.NoEncryption()) + certificate.public_bytes(pem)
    file.write_bytes(content)


def tls_of(file: Path) -> ssl.SSLContext:
    """What a server answers with that has the certificate of a file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
