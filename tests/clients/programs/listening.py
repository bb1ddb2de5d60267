"""How the servers among these programs say where they listen."""

import socket
from typing import Any

import uvicorn


def serve_app(app: Any) -> None:
    """Serve on any free port, which is printed once clients may connect; until the process is stopped."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
