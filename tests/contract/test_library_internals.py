"""What the bridge leans on inside of libraries: looked at again whenever a new version has changed it."""

import ast
import hashlib
import inspect
import pkgutil
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest

from bridge.library_versions import READ_VERSIONS
from tests.house.source import files, text_of, tree_of


@dataclass(frozen=True)
class Reading:
    """What somebody has read of versions that do not differ in it."""

    versions: tuple[str, ...]
    functions: Mapping[str, Mapping[str, str]]
    """The digest of each function, by the module of the bridge that leans on it."""


READ: Mapping[str, Reading] = {
    "python-engineio": Reading(
        ("4.15.1",),
        {
            # It puts a class into the table that is read here.
            "bridge/browsers/socket_io.py": {
                "engineio.base_server:BaseServer.__init__": "004fe2e394c845f2",
                "engineio.async_socket:AsyncSocket._upgrade_websocket": "1c4d97ef2b8a2a98",
            },
            # `PageSocket` is made and called here. It does itself what its handler would do, ends its
            # engine, pings, and looks for silent pages.
            "bridge/browsers/page_socket.py": {
                "engineio.async_socket:AsyncSocket._websocket_handler": "a36c767d9e5bdb68",
                "engineio.async_drivers.aiohttp:WebSocket.__init__": "1cccc02d7c667aec",
                "engineio.async_drivers.aiohttp:WebSocket.__call__": "a969eeea92fe3ec1",
                "engineio.async_socket:AsyncSocket.close": "6aaca884e771300c",
                "engineio.async_socket:AsyncSocket.send": "75cf41e2a2eb67bd",
                "engineio.async_socket:AsyncSocket.schedule_ping": "004bb5cd7ba28d22",
                "engineio.async_socket:AsyncSocket.check_ping_timeout": "9c468b23c469b592",
                "engineio.async_server:AsyncServer._handle_connect": "a92beb04c4c92901",
                "engineio.async_server:AsyncServer.disconnect": "41a052166f229e88",
            },
            # It hands over packets.
            "bridge/browsers/page_reader.py": {
                "engineio.async_socket:AsyncSocket.receive": "3b8594f105b3da61",
            },
        },
    ),
    "python-socketio": Reading(
        ("5.18.1",),
        {
            "bridge/browsers/socket_io.py": {
                "socketio.async_server:AsyncServer._handle_eio_connect": "370a145fd643a4d1",
            },
            # It empties the `environ` that this keeps.
            "bridge/browsers/gateway.py": {
                "socketio.async_server:AsyncServer._handle_connect": "e18c0f9058dae4b9",
            },
        },
    ),
    "aiohttp": Reading(
        ("3.14.4", "3.14.5"),
        {
            # `PageWebSocket` does what `_post_start` does, with a queue of its own: `Arrivals`.
            "bridge/browsers/arrivals.py": {
                "aiohttp.web_ws:WebSocketResponse._post_start": "f16663fbc71842dc",
                "aiohttp.web_ws:WebSocketResponse._pre_start": "890adc341fb06dfb",
                "aiohttp.web_ws:WebSocketResponse.receive": "59040b6b34dfb2e6",
                "aiohttp.web_ws:WebSocketResponse.close": "280354a43c5f7b29",
                "aiohttp._websocket.reader_py:WebSocketDataQueue.__init__": "d19d76e523c05728",
                "aiohttp._websocket.reader_py:WebSocketDataQueue.feed_data": "f8000c7de1a8ebe3",
                "aiohttp._websocket.reader_py:WebSocketDataQueue.read": "e9d4b6979639f06c",
                "aiohttp._websocket.reader_py:WebSocketReader.feed_data": "0669715c67eb67cf",
                "aiohttp._websocket.reader_py:WebSocketReader._handle_frame": "1a571345057c1b23",
                "aiohttp.web_protocol:RequestHandler.set_parser": "3dd253c47dcf3d58",
            },
            # It writes frames to the transport, beside what aiohttp writes.
            "bridge/browsers/straight_socket.py": {
                "aiohttp._websocket.writer:WebSocketWriter._write_websocket_frame": "dd57373c37f103c8",
            },
            # `ProgramAnswer` writes at once what these would.
            "bridge/http/program_answers.py": {
                "aiohttp.web_response:StreamResponse.prepare": "43a9b5355075b187",
                "aiohttp.web_response:StreamResponse._prepare_headers": "c315bf4bd3399a5c",
                "aiohttp.web_response:StreamResponse.write_eof": "6a8f05505973d5dd",
                "aiohttp.web_response:Response._start": "14d2a677fcccdd08",
                "aiohttp.web_response:Response.write_eof": "666a9d8d7c2f1798",
                "aiohttp.http_writer:StreamWriter.write_eof": "d549cd271d09d04a",
                "aiohttp.web_protocol:RequestHandler.finish_response": "d7382c105afcbe35",
            },
            # It writes without a wait as long as the connection takes it.
            "bridge/http/streaming.py": {
                "aiohttp.http_writer:StreamWriter.write": "1a80e1541d0d095c",
                "aiohttp.base_protocol:BaseProtocol.pause_writing": "eb545626ba5bc985",
            },
            # `build_request_handler` does what these do.
            "bridge/http/request_handler.py": {
                "aiohttp.web_app:Application._handle": "a0d0a5c7c640a91d",
                "aiohttp.web_urldispatcher:UrlDispatcher.resolve": "39da194d3df3c89a",
                "aiohttp.web_urldispatcher:Resource.resolve": "69f407b4a5ebabe1",
                "aiohttp.web_urldispatcher:UrlMappingMatchInfo.__init__": "d7a2684dc10b121e",
            },
            # `StraightConnection` calls it only where it has something to do.
            "bridge/http/connections.py": {
                "aiohttp.base_protocol:BaseProtocol.resume_reading": "7655ba85a6f575b2",
                "aiohttp.base_protocol:BaseProtocol._pause_reading_for_buffer": "a3799e943a4c3c33",
            },
            # It puts itself before what makes a request of a parsed head, whatever version of aiohttp it is.
            "bridge/http/written_paths.py": {
                "aiohttp.web_server:Server.__init__": "0b73b13d34be243d",
                "aiohttp.web_protocol:RequestHandler.start": "12dc46e5f51449e2",
            },
            # It watches the silence of a provider by a timer of its own, whatever version of aiohttp it is.
            "bridge/models/providers/connections.py": {
                "aiohttp.client_proto:ResponseHandler.read_timeout.fset": "826801fa8b2a8d42",
                "aiohttp.streams:StreamReader.set_exception": "17f8bcd43c6c5a55",
            },
        },
    ),
}
"""Functions of each library as somebody has read them last."""

DOCUMENTED = {"aiohttp", "aiohttp.abc", "aiohttp.hdrs", "aiohttp.typedefs", "aiohttp.web"} | {
    "socketio",
    "socketio.exceptions",
}
"""Modules of these libraries that their documentation names."""

FUNCTIONS = {
    function: digest
    for reading in READ.values()
    for functions in reading.functions.values()
    for function, digest in functions.items()
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_library_does_inside_what_it_did_when_the_bridge_was_fitted_to_it(function: str) -> None:
    """After an update: read what has changed, see that the bridge still fits, and write the new digest."""
    assert digest_of(function) == FUNCTIONS[function]


def test_each_version_that_a_bridge_starts_with_was_read() -> None:
    """Finding house-H1: a version in the table of which nobody has read the insides would run unread code."""
    assert {name: reading.versions for name, reading in READ.items()} == dict(READ_VERSIONS)


@pytest.mark.parametrize("library", READ_VERSIONS)
def test_this_version_was_read(library: str) -> None:
    """Finding house-H1: the digests are compared with those of the version that is installed here."""
    assert metadata.version(library) in READ_VERSIONS[library]


@pytest.mark.parametrize("library", READ_VERSIONS)
def test_an_installation_gets_a_version_that_was_read(library: str) -> None:
    """Finding house-H1: pip and uv take the newest that the package admits, and not what the lock names."""
    read = READ_VERSIONS[library]
    bounds = f"=={read[0]}" if len(read) == 1 else f">={read[0]},<={read[-1]}"
    dependencies: list[str] = tomllib.loads(text_of("pyproject.toml"))["project"]["dependencies"]
    assert f"{library}{bounds}" in dependencies


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_locks_have_versions_that_were_read(lock: str) -> None:
    """Finding house-H1: an image whose lock has run ahead would not start, or be slow."""
    for library, read in READ_VERSIONS.items():
        (version,) = re.findall(rf"^{library}==(\S+)", text_of(lock), re.MULTILINE)
        assert version in read


@pytest.mark.parametrize("version", [each for read in READ_VERSIONS.values() for each in read])
def test_the_documentation_names_each_version_that_was_read(version: str) -> None:
    """Finding house-H1: whoever packages the bridge must know what to install."""
    assert version in text_of("docs/reference/platforms.md").partition("## Versions of libraries")[2]


def test_whoever_uses_what_a_library_does_not_document_has_said_what_was_read() -> None:
    """Finding house-H1: a new use would be in no list, and nobody would look at it in the next version."""
    named = {module for reading in READ.values() for module in reading.functions}
    leaning = {name for name in files(".py", under=("bridge/",)) if undocumented_imports(name)}
    assert leaning <= named
    assert all(Path(name).is_file() for name in named)


def undocumented_imports(name: str) -> list[str]:
    """The modules of these libraries that a module of ours imports, and that are not documented."""
    roots = {"aiohttp", "engineio", "socketio"}
    return [each for each in imported_by(name) if each.partition(".")[0] in roots and each not in DOCUMENTED]


def imported_by(name: str) -> Iterator[str]:
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module


def digest_of(function: str) -> str:
    """Of what a function does: comments, docstrings and line breaks do not count."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(pkgutil.resolve_name(function))))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node) is not None:
            node.body = [*node.body[1:], ast.Pass()]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:16]
