"""The bridge behind https, as behind a proxy: a certificate of its own and a forwarder of bytes."""

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.tcp_servers import serving_connections

HOST = "bridge.test"


@dataclass
class TlsProxy:
    """Listens for https; forwards to a port of this machine that may become known later."""

    port: int
    target_port: int = 0

    @property
    def url(self) -> str:
        """The canonical address of what is behind it."""
        return f"https://{HOST}:{self.port}"


@asynccontextmanager
async def tls_proxy(folder: Path) -> AsyncGenerator[TlsProxy]:
    """An https port with a certificate that nobody signed; every connection ends with it."""
    front = TlsProxy(0)

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", front.target_port)
        async with asyncio.TaskGroup() as group:
            group.create_task(_pump(reader, back))
            group.create_task(_pump(there, writer))

    async with serving_connections(forward, tls=_context(folder)) as front.port:
        yield front


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while part := await reader.read(65536):
            writer.write(part)
            await writer.drain()
    except OSError:
        return
    finally:
        writer.close()


def _context(folder: Path) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    names = [x509.DNSName(HOST), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
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
    file = folder / "front.pem"
    file.write_bytes(content)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context
