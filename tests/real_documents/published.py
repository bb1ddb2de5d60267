"""Documents on a loopback server, published as vendors do it: as files, and in a package of npm."""

import base64
import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.real_documents.documents import RealDocument

CONTENT = b"openapi: 3.1.0\ninfo: {title: Shop, version: '1'}\npaths: {}\n"
PACKAGE = "sample-documents@1.0.0"


@dataclass
class Publisher:
    """A server of files, by their paths."""

    address: str
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    breaks_off: set[str] = field(default_factory=set[str])
    """Paths whose transfer ends after ten bytes."""
    asked: list[str] = field(default_factory=list[str])

    def publish_file(self, name: str, content: bytes = CONTENT) -> RealDocument:
        self.files[f"/{name}"] = content
        return document(name, url=f"{self.address}/{name}")

    def publish_package(self, members: Mapping[str, bytes]) -> list[RealDocument]:
        """Publish `PACKAGE`; the registry is the server."""
        name, _, version = PACKAGE.partition("@")
        packed = _pack(members)
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(packed).digest()).decode()
        source = {"tarball": f"{self.address}/{name}.tgz", "integrity": integrity}
        release = {"name": name, "version": version, "dist": source}
        listing = {"name": name, "dist-tags": {"latest": version}, "versions": {version: release}}
        self.files |= {f"/{name}": json.dumps(listing).encode(), f"/{name}.tgz": packed}
        return [document(path.rpartition("/")[2], package=PACKAGE, member=path) for path in members]


def document(name: str, **source: str) -> RealDocument:
    """What a manifest says of a file with `CONTENT`."""
    digest = hashlib.sha256(CONTENT).hexdigest()
    return RealDocument(name, "MIT", "3.1", operations=0, size=len(CONTENT), sha256=digest, **source)


@contextmanager
def publishing() -> Generator[Publisher]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            publisher.asked.append(self.path)
            content = publisher.files.get(self.path)
            self.send_response(404 if content is None else 200)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write((content or b"")[: 10 if self.path in publisher.breaks_off else None])

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: pytest shows what a test prints."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    publisher = Publisher(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield publisher
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _pack(members: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for path, content in {"package.json": b"{}", **members}.items():
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
