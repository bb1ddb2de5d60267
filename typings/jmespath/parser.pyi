from typing import Any

from jmespath.visitor import Options

class ParsedResult:
    expression: str
    parsed: dict[str, Any]
    def search(self, value: object, options: Options | None = None) -> Any: ...

class Parser:
    def parse(self, expression: str) -> ParsedResult: ...
    @classmethod
    def purge(cls) -> None: ...
