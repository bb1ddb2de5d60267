"""Payloads of requests."""

from collections.abc import Mapping
from typing import Any

from . import OAuth2Payload

class BasicOAuth2Payload(OAuth2Payload):
    def __init__(self, payload: Mapping[str, Any]) -> None: ...
