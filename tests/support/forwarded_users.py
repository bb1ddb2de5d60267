"""A token of Open WebUI that names a user."""

import time
from typing import Any

import jwt

SECRET = "a secret of sixty-four bytes or more, so that every HMAC is content with it"


def sign_token(secret: str = SECRET, algorithm: str = "HS256", **changes: Any) -> str:
    """A token as Open WebUI 0.12 makes it; None leaves a claim out."""
    now = int(time.time())
    claims = {
        "sub": "b5d012b2",
        "email": "ada@example.test",
        "name": "Ada Admin",
        "role": "admin",
        "iss": "open-webui",
        "iat": now,
        "exp": now + 300,
    }
    given = {key: value for key, value in {**claims, **changes}.items() if value is not None}
    return jwt.encode(given, secret, algorithm)
