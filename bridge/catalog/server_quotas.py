"""How many servers, operations and characters of documents one user may have. Pure.

The memory of the bridge and the time of its start grow with them, and everybody shares both.
"""

from __future__ import annotations

from collections.abc import Iterable

from bridge.catalog.server_view import LoadedServer, ServerRecord
from bridge.settings.quotas import QuotaSettings, check_quota
from toolserver.tool.compile import CompiledDocument

_REMEDY = "Remove a server first"


def check_server_quotas(
    quotas: QuotaSettings,
    servers: Iterable[LoadedServer],
    record: ServerRecord,
    compiled: CompiledDocument | None = None,
) -> None:
    """Refuse a new server, or a new document of one of all `servers`, that its owner may not have.

    `compiled`: None until it is known. What becomes no larger is never refused, nor what the command line
    names.

    Raises:
        BridgeError: `quota_exceeded`.
    """
    if record.owner_id is None:
        return
    of_owner = {each.record.id: each for each in servers if each.record.owner_id == record.owner_id}
    before = of_owner.pop(record.id, None)
    if before is None:
        _check(len(of_owner) + 1, quotas.servers, "TOOL_BRIDGE_SERVERS_PER_USER", "servers")
    if before is None or record.chars > before.record.chars:
        chars = record.chars + sum(each.record.chars for each in of_owner.values())
        variable = "TOOL_BRIDGE_DOCUMENT_CHARACTERS_PER_USER"
        _check(chars, quotas.document_chars, variable, "characters of documents")
    if compiled is not None:
        number = len(compiled.operations)
        if before is None or number > len(before.compiled.operations):
            number += sum(len(each.compiled.operations) for each in of_owner.values())
            _check(number, quotas.operations, "TOOL_BRIDGE_OPERATIONS_PER_USER", "operations")


def _check(number: int, most: int, name: str, what: str) -> None:
    check_quota(number, most, name, what=what, remedy=_REMEDY)
