from typing import Any, ClassVar

EVENT: int

class Packet:
    uses_binary_events: ClassVar[bool]
    packet_type: int
    data: Any
    namespace: str | None
    id: int | None
    def __init__(
        self,
        packet_type: int = ...,
        data: Any = None,
        namespace: str | None = None,
        id: int | None = None,
    ) -> None: ...
    def encode(self) -> str | list[str]: ...
    def decode(self, encoded_packet: Any) -> int: ...
