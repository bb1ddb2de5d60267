"""The audit log in the page: what its user did, and for the operator what others did."""

import pytest
from playwright.async_api import expect

from bridge.audit import AuditKind
from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import go_to

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


async def test_the_operator_finds_what_happened_by_kind_and_by_everybody(scene: BrowserHarness) -> None:
    """The call is there with how it ended, another user's entries only on demand."""
    page = await scene.open_page(viewport={"width": 390, "height": 800})
    await scene.open_page_of("ann")
    assert (await scene.caller.call("mirrorDelete")).status == 200
    await go_to(page, "calls")
    await page.get_by_role("link", name="Audit log").click()
    table = page.get_by_role("table", name="Audit log")
    await expect(table.get_by_role("row", name="Browser paired")).to_have_count(1)
    await expect(table.get_by_role("row", name="Operations accepted")).to_contain_text("mirror")
    await page.get_by_label("Every user").check()
    await expect(table.get_by_role("row", name="Browser paired")).to_have_count(2)
    await expect(table).to_contain_text("ann")
    await page.get_by_label("Show").select_option(label="Call")
    await expect(table.get_by_role("row", name="Browser paired")).to_have_count(0)
    await expect(table.get_by_role("row", name="mirrorDelete")).to_contain_text("succeeded")
    await expect(table.get_by_role("row", name="mirrorDelete")).to_contain_text("DELETE /")
    overflow = await page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0, "only the table scrolls sideways"


async def test_another_user_is_offered_only_the_own_entries_and_reads_on_by_a_button(
    scene: BrowserHarness,
) -> None:
    """A hundred at a time; the choice of every user is the operator's."""
    page = await scene.open_page_of("ann")
    ann = await scene.bridge.components.users.ensure_user("ann")
    for number in range(120):
        scene.bridge.components.ground.audit.add_entry(
            AuditKind.SETTINGS, ann.id, "key", detail={"number": number}
        )
    await scene.bridge.components.ground.audit.flush_entries()
    await go_to(page, "audit")
    rows = page.get_by_role("table", name="Audit log").get_by_role("row")
    await expect(rows).to_have_count(101)
    await expect(page.get_by_label("Every user")).to_be_hidden()
    await page.get_by_role("button", name="Older entries").click()
    await expect(rows.filter(has_text="Browser paired")).to_be_visible()
    await expect(rows.filter(has_text="number: 0")).to_have_count(1)
    await expect(page.get_by_role("button", name="Older entries")).to_be_hidden()
