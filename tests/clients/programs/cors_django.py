"""An API made with Django; `SERVER_LINES` are what the page shows for its settings."""

import os
import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import path

lines = {"INSTALLED_APPS": [], "MIDDLEWARE": []}
exec(os.environ["SERVER_LINES"], lines)
named = {name: value for name, value in lines.items() if name.isupper()}
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="of a test", **named)


def notes(_request: HttpRequest) -> JsonResponse:
    """Answer any method."""
    return JsonResponse(["milk"], safe=False, headers={"X-Total": "1"})


urlpatterns = [path("notes", notes)]


class SilentHandler(WSGIRequestHandler):
    """Writes no line for each request."""

    def log_message(self, *_about: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    sys.modules.setdefault("cors_django", sys.modules[__name__])
    with make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=SilentHandler) as server:
        print(server.server_port, flush=True)
        server.serve_forever()
