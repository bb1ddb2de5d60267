"""What the guard measures, by name. The test of the guard makes each dearer by `waste`."""

from collections.abc import Awaitable, Callable, Mapping

from tests.cost.bridge_costs import (
    Measured,
    measure_chat_delta,
    measure_connecting,
    measure_dispatch,
    measure_legacy_mcp_call,
    measure_list,
    measure_mcp_call,
    measure_mcp_list,
    measure_page_memory,
    measure_responses_delta,
    measure_safe_journal,
    measure_stream_memory,
    measure_tool_route,
    measure_unsafe_journal,
)
from tests.cost.document_costs import (
    measure_argument_check,
    measure_catalog_memory,
    measure_compiling,
    measure_document_memory,
    measure_schemas,
    measure_search_index,
)
from tests.cost.wire_costs import (
    measure_ack,
    measure_call,
    measure_head,
    measure_result,
    measure_welcome,
)

Measure = Callable[[Measured, int], Awaitable[float]]
"""Takes the calls, bytes or percent to waste each time, and gives the cost of one time."""

CALLS: Mapping[str, Measure] = {
    "POST /tools/NAME": measure_tool_route,
    "tools/call of /mcp": measure_mcp_call,
    "tools/call of /mcp, legacy": measure_legacy_mcp_call,
    "tools/list of /mcp": measure_mcp_list,
    "dispatch to a page and back": measure_dispatch,
    "journal of a safe call": measure_safe_journal,
    "journal of an unsafe call": measure_unsafe_journal,
    "GET /api/tools": measure_list,
    "first page of a user": measure_connecting,
    "delta of /v1/responses": measure_responses_delta,
    "delta of /v1/chat/completions": measure_chat_delta,
    "operation read and compiled": measure_compiling,
    "schema of a tool": measure_schemas,
    "operation indexed for the search": measure_search_index,
    "arguments parsed and validated": measure_argument_check,
}
"""In calls of Python and C."""

BYTES: Mapping[str, Measure] = {
    "execute:tool beside its arguments": measure_call,
    "acknowledgement of a call": measure_ack,
    "bridge:result beside the answer": measure_result,
    "answer to bridge:hello": measure_welcome,
    "header of a tool route's answer": measure_head,
    "idle page": measure_page_memory,
    "idle stream of a model": measure_stream_memory,
    "operation of a catalog": measure_catalog_memory,
}
"""In bytes, sent or held."""

PERCENT: Mapping[str, Measure] = {"document with its schemas, to json.loads": measure_document_memory}
"""In percent of what is held otherwise."""

UNITS: Mapping[str, Mapping[str, Measure]] = {"calls": CALLS, "bytes": BYTES, "percent": PERCENT}
