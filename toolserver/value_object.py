"""Values that are made for every call: immutable to the type checker, and cheap at run time.

Each field of a frozen dataclass is set through a guard, which takes 55 ns; a call has some fifty of them.
"""

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

ValueT = TypeVar("ValueT")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value_object(of: type[ValueT]) -> type[ValueT]:
    """A dataclass with slots that can be compared and hashed, and that nothing may assign to."""
    return dataclass(slots=True, unsafe_hash=True)(of)
