"""Grants, as far as the tests' authorization server makes them its own."""

from collections.abc import Sequence
from typing import ClassVar

from . import BaseGrant

class AuthorizationCodeGrant(BaseGrant): ...

class RefreshTokenGrant(BaseGrant):
    INCLUDE_NEW_REFRESH_TOKEN: ClassVar[bool]

class ClientCredentialsGrant(BaseGrant): ...

__all__: Sequence[str]
