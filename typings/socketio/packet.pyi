from typing import Any, ClassVar

EVENT: int

class Packet:
    uses_binary_events: ClassVar[bool]
    def __init__(
        self,
        packet_type: int = ...,
        data: Any = None,
        namespace: str | None = None,
        id: int | None = None,
    ) -> None: ...
