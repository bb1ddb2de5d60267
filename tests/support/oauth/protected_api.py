"""An API that asks for tokens of the authorization server, with the documents that say so."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from tests.support.oauth.authorization import OAuthServer
from tests.support.web_servers import for_every_page, serving


@dataclass
class NotesApi:
    """Reads and adds notes; each needs its own scope."""

    server: OAuthServer
    url: str = ""
    tokens: list[str] = field(default_factory=list[str])
    """Access tokens in the order of the requests they came with."""
    notes: list[str] = field(default_factory=lambda: ["first"])

    async def list_notes(self, request: web.Request) -> web.Response:
        """Needs `read:notes`."""
        refusal = self._refuse(request, "read:notes")
        return refusal or web.json_response({"notes": self.notes, "user": self._user(request)})

    async def add_note(self, request: web.Request) -> web.Response:
        """Needs `write:notes`."""
        refusal = self._refuse(request, "write:notes")
        if refusal is None:
            self.notes.append((await request.json())["text"])
        return refusal or web.json_response({"count": len(self.notes)}, status=201)

    def _user(self, request: web.Request) -> str:
        token = self.server.find_token(_bearer(request))
        return token.user if token else ""

    def _refuse(self, request: web.Request, scope: str) -> web.Response | None:
        """RFC 6750 §3."""
        text = _bearer(request)
        self.tokens.append(text)
        token = self.server.find_token(text)
        if token is None or not token.is_good:
            return _refusal(401, 'Bearer realm="notes", error="invalid_token"')
        if scope not in token.scope.split():
            return _refusal(403, f'Bearer error="insufficient_scope", scope="{scope}"')
        return None

    def document(self, **changes: Any) -> str:
        """An OpenAPI document whose scheme is `oauth2` by all flows; `changes` replace members of it."""
        scopes = {"read:notes": "Read your notes", "write:notes": "Add notes"}
        token = {"tokenUrl": f"{self.server.issuer}/token", "scopes": scopes}
        flows = {
            "authorizationCode": {"authorizationUrl": f"{self.server.issuer}/authorize", **token},
            "clientCredentials": token,
            "deviceAuthorization": {
                "deviceAuthorizationUrl": f"{self.server.issuer}/device_authorization",
                **token,
            },
        }
        return self._written({"type": "oauth2", "flows": flows, **changes})

    def openid_document(self) -> str:
        """The same, whose scheme is `openIdConnect`."""
        url = f"{self.server.issuer}/.well-known/openid-configuration"
        return self._written({"type": "openIdConnect", "openIdConnectUrl": url})

    def _written(self, scheme: dict[str, Any]) -> str:
        body = {"content": {"application/json": {"schema": {"type": "object", "properties": TEXT}}}}
        operations = {
            "get": {"operationId": "listNotes", "security": [{"login": ["read:notes"]}]},
            "post": {"operationId": "addNote", "security": [{"login": ["write:notes"]}], "requestBody": body},
        }
        return json.dumps(
            {
                "openapi": "3.2.0",
                "info": {"title": "Notes", "version": "1"},
                "servers": [{"url": self.url}],
                "paths": {"/notes": operations},
                "components": {"securitySchemes": {"login": scheme}},
            }
        )


TEXT = {"text": {"type": "string"}}


@asynccontextmanager
async def notes_api(server: OAuthServer) -> AsyncGenerator[NotesApi]:
    """The API on a port of its own, readable for pages of every origin."""
    api = NotesApi(server)
    app = for_every_page(web.Application())
    app.router.add_get("/notes", api.list_notes)
    app.router.add_post("/notes", api.add_note)
    app.router.add_route("OPTIONS", "/notes", _allow)
    async with serving(app) as api.url:
        yield api


async def _allow(_request: web.Request) -> web.Response:
    return web.Response()


def _bearer(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")


def _refusal(status: int, challenge: str) -> web.Response:
    return web.json_response({}, status=status, headers={"WWW-Authenticate": challenge})
