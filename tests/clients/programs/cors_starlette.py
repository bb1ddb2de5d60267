"""An API made with FastAPI where that is here, else Starlette; `SERVER_LINES` are what the page shows."""

import os

from listening import serve_app
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
    serve_app(app)
