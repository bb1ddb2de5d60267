"""An API made with FastAPI where that is here, else Starlette; `SERVER_LINES` are what the page shows."""

import os
import socket

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse

try:
    from fastapi import FastAPI as Application
except ImportError:
    from starlette.applications import Starlette as Application

app = Application()


async def notes(_request: Request) -> JSONResponse:
    """Answer any method."""
    return JSONResponse(["milk"], headers={"X-Total": "1"})


app.add_route("/notes", notes, methods=["GET", "DELETE", "PATCH"])
exec(os.environ["SERVER_LINES"])

if __name__ == "__main__":
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(listening.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
