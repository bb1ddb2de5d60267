"""The judge of what arrives: it must find what is wrong with a request."""

import pytest

from tests.support.documents.original_server import OriginalServer, Recorded
from toolserver.json_types import JsonObject

PART: JsonObject = {
    "type": "object",
    "required": ["n"],
    "properties": {"n": {"type": "integer"}, "s": {"type": "string"}},
}
DOCUMENT: JsonObject = {
    "openapi": "3.1.0",
    "info": {"title": "T", "version": "1"},
    "servers": [{"url": "https://{host}/v1", "variables": {"host": {"default": "api.example"}}}],
    "security": [{"token": []}],
    "components": {"securitySchemes": {"token": {"type": "openIdConnect", "openIdConnectUrl": "/c"}}},
    "paths": {
        "/a/{id}": {
            "post": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"const": "y z"}},
                    {"name": "q", "in": "query", "required": True, "schema": {"type": "integer"}},
                ],
                "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": PART}}},
                "responses": {"200": {"description": "ok"}},
            }
        }
    },
}


def complaint(
    target: str = "/v1/a/y%20z?q=3", *, token: str = "Bearer t", part: str = "3", name: str = "n"
) -> str:
    body = f'--B\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{part}\r\n--B--\r\n'
    headers = (("Content-Type", "multipart/form-data; boundary=B"), ("Authorization", token))
    server = OriginalServer(DOCUMENT, "https://documents.example/a.json")
    return server.complaint(Recorded("POST", target, headers, body.encode()))


def test_a_right_request_is_taken() -> None:
    """Else the list of deviations would grow for reasons that are not ours."""
    assert complaint() == ""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"target": "/v2/a/y%20z?q=3"}, "not found"),
        ({"target": "/v1/b/y%20z?q=3"}, "Path not found"),
        ({"target": "/v1/a/other?q=3"}, "const"),
        ({"target": "/v1/a/y%20z"}, "q"),
        ({"target": "/v1/a/y%20z?q=three"}, "three"),
        ({"token": "Basic t"}, "SecurityNotFound"),
        ({"part": "three"}, "integer"),
        ({"name": "m"}, "required"),
    ],
)
def test_whatever_is_wrong_is_said(wrong: dict[str, str], words: str) -> None:
    """Address, parameters, credentials and body are each judged."""
    assert words in complaint(**wrong)
