"""Arranges the operations of a document as their edits say: some are not tools, others have a place.

Receives and gives an `OperationList`. Knows nothing of definitions and plans.
"""

from dataclasses import replace

from msgspec import structs

from toolserver.answer.answer_query import QueryError, check_query
from toolserver.openapi.edits import EXTENSION
from toolserver.operation.operation import Operation, OperationList, Skipped
from toolserver.operation.tool_edit import NO_EDIT

_HIDDEN = f"`{EXTENSION}` hides it."


def arrange_operations(listed: OperationList) -> OperationList:
    """The same list, where nothing is said of any operation."""
    if all(operation.edit is NO_EDIT for operation in listed.operations):
        return listed
    for operation in listed.operations:
        if operation.edit.result_select:
            _check_select(operation)
    shown = sorted((each for each in listed.operations if not each.edit.hidden), key=_order_of)
    hidden = [each for each in listed.operations if each.edit.hidden]
    left_out = (Skipped(each.method, each.path, _HIDDEN) for each in hidden)
    return replace(listed, operations=tuple(shown), skipped=(*listed.skipped, *left_out))


def _check_select(operation: Operation) -> None:
    """Leave out what is not JMESPath: no answer could be queried by it."""
    try:
        check_query(operation.edit.result_select)
    except QueryError as error:
        operation.edit = structs.replace(operation.edit, result_select="")
        problem = f"`result_select` of `{EXTENSION}` is left out: {error}"
        operation.warnings = (*operation.warnings, problem)


def _order_of(operation: Operation) -> int:
    return operation.edit.order
