"""Names that somebody else chose, in every view: what hides in them or turns them around is written out."""

import re
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Page, Route, expect

from bridge.storage.users import UserTables
from tests.browser.browser_harness import MIRROR_VIEWS, BrowserHarness
from tests.support.chromium import accept_selection, go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MARKS = "\u202e\u200b"
WRITTEN = "\\u{202E}\\u{200B}"

SHOWN = {
    "title",
    "label",
    "version",
    "description",
    "summary",
    "shared_by",
    "server_title",
    "user",
    "message",
}
"""Members of answers that a page shows and gives back to nobody."""
NAMED = ("/api/devices", "/api/providers")
"""Where `name` is one of them, too."""

VIEWS = (*MIRROR_VIEWS, ("models",))
FOREIGN = {"servers", "servers mirror", "servers mirror review", "chat", "models", "devices", "connect"}
"""Views that show a name at once."""

FIND = """marks => {
  const found = [];
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    if (!parentElement.closest("pre, textarea, script, style")) found.push(data);
  }
  for (const name of ["alt", "aria-description", "aria-label", "label", "placeholder", "title"])
    for (const element of document.querySelectorAll(`[${name}]`)) found.push(element.getAttribute(name));
  return found.filter((text) => [...marks].some((mark) => text.includes(mark)));
}"""


def with_marks(value: Any, names: set[str]) -> Any:
    """The same answer, with hidden marks in all that these members name."""
    if isinstance(value, list):
        return [with_marks(each, names) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value).items()
    return {
        key: MARKS + each if key in names and isinstance(each, str) and each else with_marks(each, names)
        for key, each in members
    }


async def mark_answers(route: Route) -> None:
    """Answer as a bridge whose users chose such names."""
    response = await route.fetch()
    if "json" not in response.headers.get("content-type", ""):
        await route.fulfill(response=response)
        return
    names: set[str] = SHOWN | ({"name"} if urlsplit(route.request.url).path.startswith(NAMED) else set())
    await route.fulfill(response=response, json=with_marks(await response.json(), names))


async def misleading_texts(page: Page) -> list[str]:
    """What is shown or spoken with such a mark in it."""
    return await page.evaluate(FIND, MARKS)


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_no_view_shows_a_name_with_marks_that_mislead(scene: BrowserHarness) -> None:
    """Finding S-L9: a title is what users go by when they accept; a share of them is chosen by others."""
    page = await scene.open_page()
    await accept_selection(page, "mirror")
    store, user = scene.bridge.components.store, scene.bridge.local_user
    await UserTables(store).add_key(user.id, "laptop")
    headers = {"Authorization": f"Bearer {scene.bridge.key}"}
    url = f"{scene.bridge.base_url}/conversations"
    async with scene.http.post(url, json={"title": "Plans"}, headers=headers) as response:
        assert response.status == 201
    await go_to(page, "models")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("article")).to_be_visible()
    await page.context.route(re.compile("/(api|conversations)(/|\\?|$)"), mark_answers)
    await page.reload()
    shown: set[str] = set()
    for view in VIEWS:
        await go_to(page, *view)
        await expect(page.get_by_role("main")).not_to_contain_text("Loading…")
        await expect(page.get_by_role("main")).not_to_be_empty()
        if " ".join(view) in FOREIGN:
            await expect(page.get_by_role("main")).to_contain_text(WRITTEN)
            shown.add(" ".join(view))
        assert await misleading_texts(page) == [], view
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("option").filter(has_text=WRITTEN).first).to_be_visible()
    assert await misleading_texts(page) == []
    assert shown == FOREIGN
