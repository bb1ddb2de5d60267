"""Tools of an API that no page can call, through the companion extension and the page's own choice of it."""

import asyncio
import hashlib
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.companion.conftest import Office
from tests.support.chromium import accept_selection, go_to, run_tool
from tests.support.waiting import eventually

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]


@pytest.mark.usefixtures("page_sources")
async def test_an_api_without_cors_is_called_once_its_user_has_chosen_and_granted_that(
    office: Office,
) -> None:
    """The failure offers it; the page neither changes over by itself nor sends the failed call again."""
    await office.pair()
    await go_to(office.page, "tools", "listNotes")
    answer = await run_tool(office.page)
    await expect(answer.get_by_text("cors", exact=True)).to_be_visible()
    await expect_every_wall_names_the_other_way(office.page)
    arrived = len(office.api.at("GET", "/notes"))
    await answer.get_by_role("link", name="Call it through the companion").click()
    panel = await office.choose_companion()
    await expect(panel.get_by_text("its calls are refused")).to_be_visible()
    refused = await office.scene.caller.call("listNotes")
    assert (refused.status, refused.code, refused.detail["reason"]) == (
        403,
        "companion_refused",
        "not_granted",
    )
    assert len(office.api.at("GET", "/notes")) == arrived
    await office.ask(panel, "Ask for reading")
    await expect(panel.get_by_text("Granted without your login, for reading only.")).to_be_visible()
    reply = await office.scene.caller.call("listNotes")
    assert (reply.status, reply.json()["notes"]) == (200, ["milk"])
    assert office.api.at("GET", "/notes")[arrived:] == [False]
    changed = await office.scene.caller.call("addNote")
    assert (changed.code, changed.detail["reason"]) == ("companion_refused", "method_not_granted")
    assert office.api.at("POST", "/notes") == []


@pytest.mark.parametrize("prefix", ["/team/bridge"])
async def test_a_page_below_a_path_calls_through_the_companion(office: Office) -> None:
    """Finding W-47: the companion knows origins, and the page's other addresses have the path."""
    await office.pair()
    panel = await office.choose_companion()
    await office.ask(panel, "Ask for reading")
    reply = await office.scene.caller.call("listNotes")
    assert (reply.status, reply.json()["notes"]) == (200, ["milk"])


async def expect_every_wall_names_the_other_way(page: Page) -> None:
    """Not CORS alone; and it is offered where the page itself has failed, as a link and no more."""
    words = await page.evaluate(
        """async codes => {
            const { src } = document.querySelector("script[type=module]");
            const { errorView } = await import(new URL("ui/outcome_view.js", src));
            const show = (error) => errorView({ message: "", ...error }, "s1");
            const offer = (error) => show(error).querySelector("a[href$=transport]");
            return codes.map((code) => offer({ code })?.textContent ?? "").concat(
                offer({ code: "outcome_unknown", detail: { reason: "cors" } }).getAttribute("href"),
                String(offer({ code: "cors", detail: { transport: "companion" } })),
            );
        }""",
        ["cors", "mixed_content", "blocked_local_network", "network"],
    )
    offered = "Call it through the companion"
    assert words == [offered, offered, offered, "", "#/servers/s1?transport", "null"]


@pytest.mark.slow
async def test_the_log_and_the_answer_say_which_way_a_call_took(office: Office) -> None:
    """And every header of the answer is there, which CORS would hide."""
    await office.pair()
    await office.ask(await office.choose_companion(), "Ask for reading")
    await go_to(office.page, "tools", "listNotes")
    answer = await run_tool(office.page)
    await expect(answer.get_by_text("by the companion", exact=False)).to_be_visible()
    await expect(answer.get_by_role("link", name="Call it through the companion")).to_have_count(0)
    await answer.get_by_role("link", name="Show in Calls").click()
    row = office.page.get_by_role("region", name="Call", exact=True)
    await expect(row.get_by_test_id("via")).to_have_text(
        "Sent by the companion extension, without your login."
    )
    await expect(row.get_by_role("region", name="Response headers")).to_contain_text("retry-after: 7")


async def test_without_a_companion_calls_fail_and_the_page_does_not_take_over(office: Office) -> None:
    """A choice that is silently undone is none; what is said is how to get it."""
    panel = await office.choose_companion()
    missing = panel.get_by_test_id("companion")
    await expect(missing).to_have_attribute("data-state", "missing")
    async with office.scene.http.get(f"{office.scene.bridge.base_url}/companion.zip") as archive:
        await expect(missing).to_contain_text(hashlib.sha256(await archive.read()).hexdigest())
    reply = await office.scene.caller.call("listNotes")
    assert (reply.status, reply.code) == (503, "companion_missing")
    assert "how to install it and connect this bridge" in reply.json()["error"]["message"]
    assert office.api.arrivals == []
    await office.pair()  # its relay announces itself to the open page
    await expect(panel.get_by_text("its calls are refused")).to_be_visible()


@pytest.mark.slow
async def test_what_is_changed_with_the_users_login_asks_whatever_was_allowed(office: Office) -> None:
    """This bridge asks about no call; a call that acts as its user is another matter."""
    await office.companion.sign_in(office.origin)
    await office.pair()
    panel = await office.choose_companion(login=True)
    await office.ask(panel, "Ask for reading and changing, as me", login=True, changing=True)
    assert (await office.scene.caller.call("whoAmI")).json() == {"user": "ada"}
    adding = asyncio.create_task(office.scene.caller.call("addNote"))
    card = office.page.locator("#approvals article")
    await expect(card).to_contain_text("signed in as you at office.test")
    await expect(card.get_by_role("button")).to_have_count(2)
    assert office.api.at("POST", "/notes") == []
    await card.get_by_role("button", name="Allow once").click()
    assert (await adding).json() == {"signed_in": True}
    assert office.api.at("POST", "/notes") == [True]


@pytest.mark.slow
async def test_a_cookie_api_offers_the_login_and_what_reads_is_made_again_after_it(office: Office) -> None:
    """Its 401 with a page for people says so as well; the login page is opened by the user, in a tab."""
    await office.pair()
    await office.ask(await office.choose_companion(), "Ask for reading")
    await go_to(office.page, "tools", "whoAmI")
    await office.page.get_by_test_id("run").click()
    await office.page.get_by_role("link", name="Use my login").click()
    panel = await office.choose_companion(login=True)
    await expect(panel).to_contain_text("This API knows its users by a cookie")
    await office.ask(panel, "Ask for reading, as me", login=True)
    office.api.arrivals.clear()
    await go_to(office.page, "tools", "whoAmI")
    await office.page.get_by_test_id("run").click()
    offer = office.page.get_by_test_id("login-offer")
    async with office.companion.context.expect_page() as opened:
        await offer.get_by_role("link", name="Sign in at office.test").click()
    login = await opened.value
    await expect(login.get_by_text("Signed in.")).to_be_visible()
    await login.close()
    assert office.api.at("GET", "/me") == [False]
    await office.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # headless has none
    await expect(office.page.get_by_role("region", name="Answer", exact=True)).to_contain_text("ada")
    assert office.api.at("GET", "/me") == [False, True]


@pytest.mark.slow
async def test_what_changes_something_is_not_made_again_after_a_login(office: Office) -> None:
    """Only its user knows whether he still wants it; the page says that he has to make it himself."""
    office.api.refuses_strangers = True
    await office.pair()
    panel = await office.choose_companion(login=True)
    await office.ask(panel, "Ask for reading and changing, as me", login=True, changing=True)
    await go_to(office.page, "tools", "addNote")
    await office.page.get_by_test_id("run").click()
    offer = office.page.get_by_test_id("login-offer")
    await expect(offer).to_contain_text("make the call again yourself")
    async with office.companion.context.expect_page() as opened:
        await offer.get_by_role("link", name="Sign in at office.test").click()
    login = await opened.value
    await expect(login.get_by_text("Signed in.")).to_be_visible()
    await login.close()
    await office.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # headless has none
    assert (await office.scene.caller.call("whoAmI")).json() == {"user": "ada"}
    assert office.api.at("POST", "/notes") == [False]


@pytest.mark.slow
async def test_a_companion_that_is_stopped_while_it_sends_leaves_a_true_ending(office: Office) -> None:
    """Nobody knows what the API did, so nobody sends it again."""
    await office.pair()
    await office.ask(await office.choose_companion(), "Ask for reading and changing", changing=True)
    workers = await office.companion.context.new_cdp_session(await office.companion.own_page())
    await workers.send("ServiceWorker.enable")  # pyright: ignore[reportUnknownMemberType]  # a bare Dict
    working = asyncio.create_task(office.scene.caller.call("workSlowly"))
    await eventually(lambda: len(office.api.at("POST", "/slow")) == 1)
    await workers.send("ServiceWorker.stopAllWorkers")  # pyright: ignore[reportUnknownMemberType]  # as above
    reply = await working
    assert (reply.code, reply.detail["reason"]) == ("outcome_unknown", "companion_missing")
    office.api.release.set()
    assert (await office.scene.caller.call("listNotes")).status == 200, "the next call wakes it"
    assert len(office.api.at("POST", "/slow")) == 1


@pytest.mark.slow
async def test_a_header_that_no_page_can_send_is_declared_in_the_review_and_sent_as_its_user_set_it(
    office: Office,
) -> None:
    """Some APIs turn browsers away, or want to know the program.

    What an edit of the document fixes goes the same way.
    """
    await go_to(office.page, "servers", office.server_id, "review")
    listed = (
        office.page.get_by_role("list", name="Operations")
        .get_by_role("listitem")
        .filter(has_text="listNotes")
    )
    await expect(listed).to_contain_text("it also sends: Header User-Agent")
    await office.pair()
    panel = await office.choose_companion()
    await panel.get_by_label("Header User-Agent").fill("Office-Robot/1")
    await panel.get_by_label("Header User-Agent").blur()
    await office.ask(panel, "Ask for reading")
    reply = await office.scene.caller.call("listNotes")
    assert reply.json()["agent"] == "Office-Robot/1"
    parameter = "$.paths['/notes'].get.parameters[?@.name == 'room']"
    await office.scene.edit_document({"target": parameter, "update": {"x-tool-bridge": {"fixed": "7b"}}})
    await accept_selection(office.page, office.server_id)
    fixed = (await office.scene.caller.call("listNotes")).json()
    assert (fixed["query"], fixed["agent"]) == ("room=7b", "Office-Robot/1")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
async def test_panel_card_and_log_fit_the_window(office: Office, tmp_path: Path, width: int) -> None:
    """What is decided there is read on telephones as well."""
    await office.page.set_viewport_size({"width": width, "height": 900})
    await office.companion.sign_in(office.origin)
    await office.pair()
    panel = await office.choose_companion(login=True)
    await office.ask(panel, "Ask for reading and changing, as me", login=True, changing=True)
    await panel.scroll_into_view_if_needed()
    await office.page.screenshot(path=tmp_path / f"panel-{width}.png", full_page=True)
    adding = asyncio.create_task(office.scene.caller.call("addNote"))
    await expect(office.page.locator("#approvals article")).to_be_visible()
    await office.page.screenshot(path=tmp_path / f"card-{width}.png")
    await office.page.locator("#approvals article").get_by_role("button", name="Allow once").click()
    await adding
    await go_to(office.page, "calls")
    await office.page.get_by_role("button", name="addNote", exact=True).click()
    await office.page.screenshot(path=tmp_path / f"log-{width}.png", full_page=True)
    scrolls = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert await office.page.evaluate(scrolls) is False
