"""Requests that another replica has passed on: who asked, and from where, as that replica vouches."""

from __future__ import annotations

from dataclasses import dataclass

from aiohttp import web

from bridge.auth.identity import Caller
from bridge.http.connections import is_relay_request


@dataclass(frozen=True, slots=True)
class Relayed:
    """What the replica that passed a request on says of it, and its home has checked."""

    caller: Caller | None
    """Who asks; None where the handler itself finds out."""
    address: str
    """Network address of the client."""
    request_id: str
    """Random id of the request, under which the other replica asks for what became of it."""


_RELAYED = web.RequestKey("relayed", Relayed)


def mark_relayed(request: web.BaseRequest, relayed: Relayed) -> None:
    """Mark a request as passed on by another replica, at whose listener it came."""
    request[_RELAYED] = relayed


def relayed_id_of(request: web.BaseRequest) -> str | None:
    """Return the id under which another replica passed a request on; None: it came directly."""
    relayed = relayed_of(request)
    return None if relayed is None else relayed.request_id


def relayed_of(request: web.BaseRequest) -> Relayed | None:
    """Return what another replica vouches for; None for a request that came directly."""
    return request.get(_RELAYED) if is_relay_request(request) else None
