from collections.abc import Sequence
from typing import Any, ClassVar

class RevocationEndpoint:
    CLIENT_AUTH_METHODS: ClassVar[Sequence[str]]
    server: Any
    def __init__(self, server: Any) -> None: ...
