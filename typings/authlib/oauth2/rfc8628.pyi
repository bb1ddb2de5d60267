from typing import Any, ClassVar

from authlib.oauth2.rfc6749 import BaseGrant

class DeviceCodeGrant(BaseGrant): ...

class DeviceAuthorizationEndpoint:
    INTERVAL: ClassVar[int]
    server: Any
    def __init__(self, server: Any) -> None: ...

class DeviceCredentialDict(dict[str, Any]): ...
