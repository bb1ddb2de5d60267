"""From the address of an API's documentation to its first answer, with a key, in five actions."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from playwright.async_api import expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to
from tests.support.documents.compiled import document_text, operation
from tests.support.web_servers import serving
from toolserver.json_types import JsonObject

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

DOCS = """<!DOCTYPE html><html><head><title>Items - Swagger UI</title></head><body><div id="swagger-ui"></div>
<script src="https://scripts.example/swagger-ui-bundle.js"></script>
<script>const ui = SwaggerUIBundle({ url: '/openapi.json', "dom_id": "#swagger-ui" })</script>
</body></html>"""
"""What FastAPI answers at `/docs`."""

KEY = "sk-own-4711"


def items_text() -> str:
    listed: JsonObject = operation("list_items")
    scheme: JsonObject = {"type": "apiKey", "in": "header", "name": "X-API-Key"}
    made = json.loads(document_text("Items", paths={"/items/{id}": operation("read_item"), "/items": listed}))
    made |= {"security": [{"APIKeyHeader": []}], "components": {"securitySchemes": {"APIKeyHeader": scheme}}}
    del made["servers"]
    return json.dumps(made)


@asynccontextmanager
async def own_api() -> AsyncGenerator[str]:
    """A developer's API: documentation, document, and items for who has the key."""

    async def answer(request: web.Request) -> web.Response:
        headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*, X-API-Key"}
        if request.method == "OPTIONS":
            return web.Response(headers=headers)
        texts = {"/docs": (DOCS, "text/html"), "/openapi.json": (items_text(), "application/json")}
        if request.path in texts:
            text, content_type = texts[request.path]
            return web.Response(text=text, content_type=content_type, headers=headers)
        is_known = request.headers.get("X-API-Key") == KEY
        return web.json_response(
            ["chair"] if is_known else None, status=200 if is_known else 401, headers=headers
        )

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", answer)
    async with serving(app) as url:
        yield url


async def test_five_actions_lead_from_the_address_of_the_documentation_to_an_answer(
    scene: BrowserHarness,
) -> None:
    """Finding page-§4a: adding, key and first call took nine, over four views."""
    page = await scene.open_page()
    await go_to(page, "add")
    async with own_api() as url:
        address = page.get_by_label("Address of the document")
        await address.fill(f"{url}/docs")
        await address.press("Enter")
        await page.get_by_label("Key for the header X-API-Key").fill(KEY)
        await page.get_by_role("button", name="Accept the selection").click()
        await page.get_by_role("link", name="Try list_items").click()
        await page.get_by_test_id("run").click()
        await expect(page.get_by_test_id("outcome")).to_contain_text("chair")
