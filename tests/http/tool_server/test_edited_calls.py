"""Calls of tools that overlays edit: what is refused before a page is asked, and how answers are queried."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents.compiled import document_text, overlay_text
from tests.support.running_bridge import json_answer, page_of, running_bridge
from toolserver.json_types import JsonObject

pytestmark = pytest.mark.asyncio

LIST = "$.paths['/products'].get"
ADD = "$.paths['/products'].post"
NAME = f"{ADD}.requestBody.content['application/json'].schema.properties.name"


class Edited:
    """A bridge with an edited document, whose page answers each call."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer = answer
        self.sent: list[dict[str, Any]] = []
        self.url = ""
        self.headers: dict[str, str] = {}
        self.page: Any = None

    async def call(self, tool: str, arguments: JsonObject) -> Any:
        url = f"{self.url}/tools/{tool}"
        async with self.page.http.post(url, json=arguments, headers=self.headers) as response:
            return json.loads(await response.read())


@asynccontextmanager
async def edited(
    folder: Path, answer: dict[str, Any], *actions: JsonObject, hello: dict[str, Any] | None = None
) -> AsyncGenerator[Edited]:
    made = Edited(answer)
    async with running_bridge(folder) as bridge:
        await bridge.components.registry.share_document(
            "shop.json", document_text(), source_url=None, overlays=[overlay_text(*actions)]
        )

        async def answering(call: dict[str, Any]) -> dict[str, Any]:
            made.sent.append(call)
            return made.answer

        async with page_of(bridge, bridge.local_user.id, answering, hello=hello) as page:
            made.url, made.page = bridge.base_url, page
            made.headers = {"Authorization": f"Bearer {bridge.key}"}
            yield made


async def test_a_withheld_name_is_refused_before_any_page_is_asked(tmp_path: Path) -> None:
    """Ruling 54: a model reads what is wrong, and no user is asked to allow what cannot be sent."""
    hidden: JsonObject = {"target": f"{ADD}.requestBody.content['application/json'].schema", "update": {}}
    schema: JsonObject = {"properties": {"price": {"type": "number", "x-tool-bridge": {"hidden": True}}}}
    hidden["update"] = schema
    async with edited(tmp_path, json_answer({}), hidden) as shop:
        for price in (0, None):
            refused = await shop.call("addProduct", {"name": "a", "price": price})
            assert (refused["error"]["code"], refused["error"]["detail"]["argument"]) == (
                "invalid_arguments",
                "price",
            )
        assert shop.sent == []


async def test_the_query_of_an_edit_is_asked_of_answers_whose_call_brings_none(tmp_path: Path) -> None:
    """Issue 41: an edit may fix one; a call's own wins, and the whole stays within reach."""
    edit: JsonObject = {"target": LIST, "update": {"x-tool-bridge": {"result_select": "items[].id"}}}
    answer = json_answer({"items": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]})
    async with edited(tmp_path, answer, edit) as shop:
        selected = await shop.call("listProducts", {})
        assert selected["selected"] == [1, 2]
        own = await shop.call("listProducts", {"result_select": "items[].text"})
        assert own["selected"] == ["a", "b"]
        whole = await shop.call("read_result", {"call_id": selected["call_id"], "select": "@"})
        assert whole == {"selected": {"items": [{"id": 1, "text": "a"}, {"id": 2, "text": "b"}]}}


async def test_an_error_of_the_api_is_read_as_it_is(tmp_path: Path) -> None:
    """A query that finds nothing in it would hide why a call has failed."""
    edit: JsonObject = {"target": LIST, "update": {"x-tool-bridge": {"result_select": "items[].id"}}}
    answer = {**json_answer({"reason": "no such shop"}), "http_status": 404}
    async with edited(tmp_path, answer, edit) as shop:
        assert "no such shop" in json.dumps(await shop.call("listProducts", {}))


async def test_a_page_from_before_an_update_gets_no_call_whose_fixed_values_it_would_leave_out(
    tmp_path: Path,
) -> None:
    """Ruling 54: it does not know what a plan withholds, and sends another request than the accepted."""
    fixed: JsonObject = {"target": NAME, "update": {"x-tool-bridge": {"fixed": "tea"}}}
    older = {"protocol": 2, "page_id": "p1"}
    async with edited(tmp_path, json_answer({}), fixed, hello=older) as shop:
        refused = (await shop.call("addProduct", {"price": 1}))["error"]
        assert (refused["code"], refused["retryable"]) == ("no_browser", True)
        assert "Reload the page" in refused["message"]
        assert shop.sent == []
        assert "error" not in await shop.call("listProducts", {})
    newer = tmp_path / "newer"
    newer.mkdir()
    async with edited(newer, json_answer({}), fixed) as shop:
        assert "error" not in await shop.call("addProduct", {"price": 1})
        assert len(shop.sent) == 1
