from collections.abc import Callable
from typing import Any, TypeVar

_FunctionT = TypeVar("_FunctionT", bound=Callable[..., Any])

def signature(*arguments: dict[str, Any]) -> Callable[[_FunctionT], _FunctionT]: ...

class Functions: ...
