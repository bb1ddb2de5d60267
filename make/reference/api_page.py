"""The page of every route under `/api` and of the conversations, from the document that the bridge serves."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp

from bridge.errors import ErrorCode
from bridge.http.openapi_document import ALWAYS, WITH_A_BODY, WITHOUT_A_CALLER
from make.reference.parts import table
from make.reference.shapes import section
from tests.support.running_bridge import running_bridge

PAGE = "docs/reference/api-routes.md"

ACCESS = {
    "caller": "an API key or a page's session token",
    "page": "a page's session token",
    "result_token": "the result token of the call",
}


async def served_document() -> Mapping[str, Any]:
    """What a bridge says of itself at `/api/openapi.json`."""
    with tempfile.TemporaryDirectory(prefix="reference-") as folder:
        async with (
            running_bridge(Path(folder)) as bridge,
            aiohttp.ClientSession(bridge.base_url) as http,
            http.get("/api/openapi.json") as answer,
        ):
            return await answer.json()


def routes(document: Mapping[str, Any]) -> Iterator[str]:
    """Each route with its access, parameters, body, answers and errors."""
    for path, methods in sorted(document["paths"].items()):
        for method, operation in methods.items():
            yield from (f"### `{method.upper()} {path}`", "", f"{operation['summary']}.", "")
            yield from _operation(operation)
            yield ""


def shapes(document: Mapping[str, Any]) -> Iterator[str]:
    """Each shape of a body or an answer."""
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield from section(name, schema, "###")


def _operation(operation: Mapping[str, Any]) -> Iterator[str]:
    needed = [name for entry in operation["security"] for name in entry]
    yield f"- Access: {ACCESS[needed[0]] if needed else 'public'}."
    if "requestBody" in operation:
        needs = "" if operation["requestBody"]["required"] else ", which may be missing"
        yield f"- Body: {_content(operation['requestBody']['content'])}{needs}."
    errors: list[str] = []
    for status, answer in operation["responses"].items():
        if answer["description"].startswith("Codes: "):
            errors += [code.strip(" .") for code in answer["description"].removeprefix("Codes: ").split(",")]
        else:
            content = _content(answer.get("content", {}))
            yield f"- {status}: {answer['description'].rstrip('.')}{f'; {content}' if content else ''}."
    own = [code for code in dict.fromkeys(errors) if not _is_everywhere(code, "requestBody" in operation)]
    if own:
        yield "- Errors: " + ", ".join(f"[`{code}`](errors.md#{code})" for code in own) + "."
    queries = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    if queries:
        yield ""
        yield from table(
            ("query parameter", "meaning"), ((f"`{q['name']}`", q["description"]) for q in queries)
        )


def _is_everywhere(code: str, has_body: bool) -> bool:
    """Whether the head of the page says when a route gives this error."""
    by_token = (*WITHOUT_A_CALLER, ErrorCode.UNVERIFIED_USER, ErrorCode.PAGE_ONLY)
    return code in {*ALWAYS, *by_token, *(WITH_A_BODY if has_body else ())}


def _content(content: Mapping[str, Any]) -> str:
    for media_type, form in content.items():
        reference = form.get("schema", {}).get("$ref", "")
        name = reference.rsplit("/", 1)[-1]
        return f"[{name}](#{name.lower()})" if name else f"`{media_type}`"
    return ""
