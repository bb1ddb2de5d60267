from typing import Any

class BearerTokenGenerator:
    def __init__(
        self, access_token_generator: Any, refresh_token_generator: Any = None, expires_generator: Any = None
    ) -> None: ...
