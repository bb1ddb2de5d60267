"""Results that no page of ours reports: the caller still gets an answer in a known form."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import aiohttp

from tests.fuzz.hunt import MANY, Area, Attempt, errors_logged
from tests.support.documents.compiled import document_text
from tests.support.documents.mutation import mutated
from tests.support.running_bridge import json_answer, page_of, running_bridge
from toolserver.json_types import JsonValue

DEADLINE_S = 1.0
"""Of a call: a report that the bridge ignores ends so."""

ANSWER_S = 5.0

LONG = "é" * 400_000
OUTCOMES: tuple[dict[str, Any], ...] = (
    json_answer({"products": ["tea"]}),
    json_answer([1, 2.5, None, "é\ud83d\ude00"], status=404),
    {
        **json_answer({}),
        "content_type": "text/html; charset=utf-8",
        "headers": {"content-disposition": "inline"},
    },
    {**json_answer({}), "body": {"kind": "uploaded"}},
    {**json_answer({}), "body": {"kind": "empty"}, "http_status": 204},
    {**json_answer({}), "truncated": True, "total_bytes": 10**12, "cut_by": "size", "duration_ms": 1.5},
    {**json_answer({}), "content_type": "application/problem+json", "http_status": 422},
    {"status": "failed", "error": {"code": "network", "message": "No.", "detail": {}}, "delivered": "no"},
    {
        "status": "failed",
        "error": {"code": "cors", "message": "No.", "retryable": True},
        "delivered": "unknown",
    },
)
TEXTS = (
    "",
    "{",
    "[" * 5_000,
    "1e999",
    "NaN",
    '"\\ud800"',
    "\x00",
    LONG,
    "data: x\n\n",
    "<script>",
    "9" * 5_000,
)
TYPES = (
    "",
    "application/json",
    "text/event-stream",
    "image/png",
    "application/jsonl",
    "a/b; charset=klingon",
    "\r\n",
    "é",
)


def make_result(source: Random) -> JsonValue:
    """An outcome, broken in a few places, and which tool is called."""
    outcome = json.loads(
        mutated(json.dumps(source.choice(OUTCOMES)), source, count=source.choice([0, 1, 1, 2, 4]))
    )
    if source.random() < 0.4 and isinstance(outcome, dict):
        outcome["content_type"] = source.choice(TYPES)
        outcome["body"] = {"kind": "text", "text": source.choice(TEXTS)}
    return {"tool": source.choice(["listProducts", "addProduct"]), "outcome": outcome}


@asynccontextmanager
async def open_bridge(folder: Path) -> AsyncGenerator[Attempt]:
    outcome: list[Any] = [None]

    async def answer(_call: dict[str, Any]) -> Any:
        return outcome[0]

    limits = {"CALLS_PER_MINUTE_PER_USER": MANY}
    bridge_that_runs = running_bridge(folder, deadline_s=DEADLINE_S, limits=limits)
    async with errors_logged() as log, bridge_that_runs as bridge:
        await bridge.components.registry.share_document("shop.json", document_text(), source_url=None)
        async with page_of(bridge, bridge.local_user.id, answer), aiohttp.ClientSession() as http:
            headers = {"Authorization": f"Bearer {bridge.key}"}

            async def attempt(case: JsonValue) -> str:
                if not isinstance(case, dict) or case.get("tool") not in ("listProducts", "addProduct"):
                    return ""
                bridge.components.controls.breakers.reset_breakers(bridge.local_user.id)
                outcome[0] = case.get("outcome")
                given = {"name": "tea"} if case["tool"] == "addProduct" else {}
                url = f"{bridge.base_url}/tools/{case['tool']}"
                try:
                    async with (
                        asyncio.timeout(ANSWER_S),
                        http.post(url, json=given, headers=headers) as response,
                    ):
                        problem = _problem_of(response.status, response.content_type, await response.read())
                except TimeoutError:
                    problem = f"no answer within {ANSWER_S} s"
                return log.take() or problem

            yield attempt


def _problem_of(status: int, content_type: str, content: bytes) -> str:
    if b"The bridge has a bug" in content:
        return f"status {status}: {content[:500]!r}"
    if status >= 400 and content_type != "application/json":
        return f"status {status} as {content_type}: {content[:200]!r}"
    if content_type == "application/json":
        try:
            json.loads(content)
        except ValueError:
            return f"no JSON: {content[:200]!r}"
    return ""


AREA = Area("results", "results of pages", make_result, open_bridge)
