"""What the bridge leans on inside of libraries: looked at again whenever a new version has changed it."""

import ast
import hashlib
import inspect
import pkgutil
import textwrap

import pytest

READ = {
    # `use_sockets` puts a class into the table that is read here.
    "engineio.base_server:BaseServer.__init__": "004fe2e394c845f2",
    "engineio.async_socket:AsyncSocket._upgrade_websocket": "1c4d97ef2b8a2a98",
    # `PageSocket` is made and called here, and does itself what its handler would do.
    "engineio.async_socket:AsyncSocket._websocket_handler": "a36c767d9e5bdb68",
    "engineio.async_drivers.aiohttp:WebSocket.__init__": "1cccc02d7c667aec",
    "engineio.async_drivers.aiohttp:WebSocket.__call__": "a969eeea92fe3ec1",
    # `PageSocket` hands packets over, and ends the engine's socket.
    "engineio.async_socket:AsyncSocket.receive": "3b8594f105b3da61",
    "engineio.async_socket:AsyncSocket.close": "6aaca884e771300c",
    "engineio.async_socket:AsyncSocket.send": "75cf41e2a2eb67bd",
    # The library pings nobody and looks for no silent page: `PageSocket` does.
    "engineio.async_socket:AsyncSocket.schedule_ping": "004bb5cd7ba28d22",
    "engineio.async_socket:AsyncSocket.check_ping_timeout": "9c468b23c469b592",
    "engineio.async_server:AsyncServer._handle_connect": "a92beb04c4c92901",
    "engineio.async_server:AsyncServer.disconnect": "41a052166f229e88",
    "socketio.async_server:AsyncServer._handle_eio_connect": "370a145fd643a4d1",
    # The gateway empties the `environ` that this keeps.
    "socketio.async_server:AsyncServer._handle_connect": "e18c0f9058dae4b9",
    # `PageWebSocket` does what this does, with a queue of its own.
    "aiohttp.web_ws:WebSocketResponse._post_start": "f16663fbc71842dc",
    "aiohttp.web_ws:WebSocketResponse._pre_start": "890adc341fb06dfb",
    "aiohttp.web_ws:WebSocketResponse.receive": "59040b6b34dfb2e6",
    "aiohttp.web_ws:WebSocketResponse.close": "280354a43c5f7b29",
    # `Arrivals` stands between these.
    "aiohttp._websocket.reader_py:WebSocketDataQueue.__init__": "d19d76e523c05728",
    "aiohttp._websocket.reader_py:WebSocketDataQueue.feed_data": "f8000c7de1a8ebe3",
    "aiohttp._websocket.reader_py:WebSocketDataQueue.read": "e9d4b6979639f06c",
    "aiohttp._websocket.reader_py:WebSocketReader.feed_data": "0669715c67eb67cf",
    "aiohttp._websocket.reader_py:WebSocketReader._handle_frame": "1a571345057c1b23",
    "aiohttp.web_protocol:RequestHandler.set_parser": "3dd253c47dcf3d58",
    # `ProgramAnswer` writes at once what these would.
    "aiohttp.web_response:StreamResponse.prepare": "43a9b5355075b187",
    "aiohttp.web_response:StreamResponse._prepare_headers": "c315bf4bd3399a5c",
    "aiohttp.web_response:StreamResponse.write_eof": "6a8f05505973d5dd",
    "aiohttp.web_response:Response._start": "14d2a677fcccdd08",
    "aiohttp.web_response:Response.write_eof": "666a9d8d7c2f1798",
    "aiohttp.http_writer:StreamWriter.write_eof": "d549cd271d09d04a",
    "aiohttp.web_protocol:RequestHandler.finish_response": "d7382c105afcbe35",
    # `build_request_handler` does what these do.
    "aiohttp.web_app:Application._handle": "a0d0a5c7c640a91d",
    "aiohttp.web_urldispatcher:UrlDispatcher.resolve": "39da194d3df3c89a",
    "aiohttp.web_urldispatcher:Resource.resolve": "69f407b4a5ebabe1",
    "aiohttp.web_urldispatcher:UrlMappingMatchInfo.__init__": "d7a2684dc10b121e",
    # `Connection` reads `_waiter`: aiohttp waits there for the header of a request.
    "aiohttp.web_protocol:RequestHandler.start": "12dc46e5f51449e2",
    "aiohttp.web_protocol:RequestHandler.data_received": "b7639d80bedd89cb",
}
"""Functions of libraries, and the digest of each as somebody has read it last."""


@pytest.mark.parametrize("function", READ)
def test_a_library_does_inside_what_it_did_when_the_bridge_was_fitted_to_it(function: str) -> None:
    """After an update: read what has changed, see that the bridge still fits, and write the new digest."""
    assert digest_of(function) == READ[function]


def digest_of(function: str) -> str:
    """Of what a function does: comments, docstrings and line breaks do not count."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(pkgutil.resolve_name(function))))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node) is not None:
            node.body = [*node.body[1:], ast.Pass()]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()[:16]
