"""What the bridge leans on inside of libraries: looked at again whenever a new version has changed it."""

import ast
import hashlib
import inspect
import pkgutil
import textwrap

import pytest

READ = {
    # `use_page_sockets` puts a class into the table that is read here.
    "engineio.base_server:BaseServer.__init__": "004fe2e394c845f2",
    "engineio.async_socket:AsyncSocket._upgrade_websocket": "1c4d97ef2b8a2a98",
    # `PageSocket` is made and called here, and what it raises is expected here.
    "engineio.async_socket:AsyncSocket._websocket_handler": "a36c767d9e5bdb68",
    "engineio.async_drivers.aiohttp:WebSocket.__init__": "1cccc02d7c667aec",
    "engineio.async_drivers.aiohttp:WebSocket.__call__": "a969eeea92fe3ec1",
    # `PageSocket` hands packets over, and ends the engine's socket.
    "engineio.async_socket:AsyncSocket.receive": "3b8594f105b3da61",
    "engineio.async_socket:AsyncSocket.close": "6aaca884e771300c",
    "engineio.async_server:AsyncServer._service_task": "cd28fbf22ddf1103",
    # `OnePageSender` keeps acks where these look for them.
    "socketio.async_manager:AsyncManager.trigger_callback": "64c30c693c5b34fd",
    "socketio.base_manager:BaseManager.basic_disconnect": "27b154ad1b456740",
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
