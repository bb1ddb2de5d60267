"""Public keys of browsers: JSON Web Keys of ECDSA P-256, whose private halves cannot leave them."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

import jwt
from jwt.algorithms import ECAlgorithm

from bridge.errors import BridgeError, ErrorCode


def canonical_public_key(public_key: dict[str, Any]) -> str:
    """Return a browser's public key as it is stored, as JSON.

    Raises:
        BridgeError: `invalid_request`: it is not a JSON Web Key of an ECDSA P-256 public key.
    """
    _verifying_key(public_key)
    return json.dumps({name: public_key[name] for name in ("kty", "crv", "x", "y")})


def is_signed_by(public_key: dict[str, Any], text: str, signature: str) -> bool:
    """Return whether a signature, in Base64 for URLs, is that of a text by the key's private half."""
    try:
        raw = base64.urlsafe_b64decode(signature + "=" * (-len(signature) % 4))
    except (binascii.Error, ValueError):
        return False
    return ECAlgorithm(ECAlgorithm.SHA256).verify(text.encode(), _verifying_key(public_key), raw)


def _verifying_key(public_key: dict[str, Any]) -> Any:
    try:
        if public_key.get("kty") != "EC" or public_key.get("crv") != "P-256" or "d" in public_key:
            raise jwt.InvalidKeyError
        return ECAlgorithm.from_jwk(public_key)
    except (jwt.InvalidKeyError, ValueError, KeyError, TypeError):
        message = "The public key must be a JSON Web Key of an ECDSA P-256 key."
        raise BridgeError(ErrorCode.INVALID_REQUEST, message) from None
