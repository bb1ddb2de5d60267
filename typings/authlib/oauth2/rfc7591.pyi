from typing import Any

class ClientRegistrationEndpoint:
    server: Any
    def __init__(self, server: Any) -> None: ...
