"""The cause that is told for an answer that the page could not read, against an API that fails as many do."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.failing_api import FailingApi, failing_api
from tests.support.chromium import go_to, open_page, run_tool

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

BODY: dict[str, object] = {"body": {}}
KEPT = """async user => {
  const app = document.querySelector("script[type=module]").src;
  const { openUserStore, keysBelow } = await import(new URL("base/browser_store.js", app));
  const store = await openUserStore(user);
  return JSON.stringify(await store.readRecords("keys", keysBelow(["readable answers"])));
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def failing(scene: BrowserHarness) -> AsyncGenerator[FailingApi]:
    """The API, which the bridge of `scene` offers as well."""

    async def share(text: str) -> None:
        await scene.bridge.components.registry.share_document("failing", text, source_url=None)

    async with failing_api(share) as api:
        yield api


async def kept_in(page: Page, scene: BrowserHarness) -> str:
    """What this browser remembers of answers that it could read, as JSON."""
    account = await scene.bridge.components.users.ensure_user("local")
    return await page.evaluate(KEPT, account.id)


async def test_an_error_without_cors_headers_is_told_apart_from_an_api_without_cors(
    scene: BrowserHarness, failing: FailingApi
) -> None:
    """Finding W-23: frameworks set the headers on good answers only, so crashes would pass for CORS."""
    await scene.open_page()
    unknown = await scene.caller.call("crash")
    assert (unknown.code, unknown.detail.get("likely_cause")) == ("cors", None)
    assert (await scene.caller.call("readFine")).status == 200
    crashed = await scene.caller.call("crash")
    assert (crashed.code, crashed.detail["likely_cause"]) == ("cors", "error_answer")
    told = crashed.json()["error"]["message"]
    assert "has let this page read answers" in told
    assert "The API must allow" not in told
    assert (await scene.caller.call("writeFine", BODY)).status == 200
    written = await scene.caller.call("crashWriting", BODY)
    assert (written.status, written.detail["reason"], written.detail["likely_cause"]) == (
        409,
        "cors",
        "error_answer",
    )


async def test_a_method_that_cors_does_not_allow_is_named_although_others_are(
    scene: BrowserHarness, failing: FailingApi
) -> None:
    """Finding F-2: an API that lets pages read may still refuse a method; that is a setting, not an error."""
    await scene.open_page()
    await scene.caller.call("readFine")
    refused = await scene.caller.call("replaceFine", BODY)
    assert (refused.detail["reason"], refused.detail["likely_cause"]) == ("cors", "cors_settings")
    assert "the method PUT, the header content-type" in refused.json()["error"]["message"]
    assert "PUT /ok" not in failing.seen


@pytest.mark.slow
@pytest.mark.usefixtures("page_sources")
async def test_what_could_be_read_is_remembered_over_a_reload_and_forgotten_with_the_server(
    scene: BrowserHarness, failing: FailingApi
) -> None:
    """Finding F-2: a page that began anew would blame CORS again; one that forgot nothing would spy."""
    page = await scene.open_page()
    await scene.caller.call("readFine")
    await page.reload()
    await expect(page.get_by_test_id("connection")).to_have_attribute("data-state", "connected")
    await go_to(page, "tools", "crash")
    answer = await run_tool(page)
    await expect(answer).to_contain_text("so CORS is set up there")
    await expect(answer).to_contain_text("Look at the API's log")
    await expect(answer).not_to_contain_text("The API must allow this page")
    kept = await kept_in(page, scene)
    assert failing.url in kept
    assert "/ok" not in kept
    await go_to(page, "servers", "failing", "review")
    await page.get_by_role("button", name="None", exact=True).click()
    await page.get_by_role("button", name="Accept the selection").click()
    await expect(page.get_by_test_id("accepted")).to_be_visible()
    assert failing.url not in await kept_in(page, scene)


@pytest.mark.slow
async def test_the_doctor_says_the_same_of_an_api_that_was_read(
    scene: BrowserHarness, failing: FailingApi
) -> None:
    """Finding F-2: who follows the error to the doctor must not read there that CORS is missing after all."""
    page = await scene.open_page()
    await scene.caller.call("readFine")
    await go_to(page, "doctor")
    await page.get_by_label("Address to check").fill(f"{failing.url}/crash")
    await page.get_by_role("button", name="Check this address").click()
    report = page.get_by_test_id("check-report")
    await expect(report).to_have_attribute("data-code", "error_answer")
    await expect(report).to_contain_text("so CORS is set up there")
    await expect(report).not_to_contain_text("Access-Control-Allow-Origin")
    await page.get_by_label("Address to check").fill(f"{failing.url}/circle")
    await page.get_by_role("button", name="Check this address").click()
    await expect(report).to_contain_text("most likely in a circle")
    await page.get_by_label("Address to check").fill(f"{failing.url}/abroad")
    await page.get_by_role("button", name="Check this address").click()
    await expect(report).to_contain_text("redirected to another origin")


@pytest.mark.slow
async def test_a_circle_of_redirects_is_told_as_one(scene: BrowserHarness, failing: FailingApi) -> None:
    """Finding W-22: to look for another origin, or for CORS, would be in vain."""
    await scene.open_page()
    for _ in range(2):
        circle = await scene.caller.call("circle")
        assert (circle.status, circle.code) == (502, "redirect_refused")
        assert circle.detail["likely_cause"] == "redirect_circle"
    login = await scene.caller.call("behindLogin")
    assert (login.code, login.detail["likely_cause"]) == ("cors", "redirect")


@pytest.mark.slow
async def test_a_slash_is_told_as_the_likely_cause_of_a_redirect(
    scene: BrowserHarness, failing: FailingApi
) -> None:
    """Finding W-24: frameworks redirect to the other spelling, and what changes something stays there."""
    await scene.open_page()
    added = await scene.caller.call("addItem", BODY)
    assert (added.status, added.detail["reason"], added.detail["likely_cause"]) == (
        409,
        "redirect_refused",
        "slash",
    )
    assert "a slash is missing at the end of the path: /items/ is right" in added.json()["error"]["message"]
    word = await scene.caller.call("addWord", BODY)
    assert "a slash is too much at the end of the path: /words is right" in word.json()["error"]["message"]
    elsewhere = await scene.caller.call("addElsewhere", BODY)
    assert "likely_cause" not in elsewhere.detail
    assert "a slash that the path lacks" in elsewhere.json()["error"]["message"]
    changes = [each for each in failing.seen if each.startswith(("POST", "PUT"))]
    assert changes == ["POST /items", "POST /words/", "POST /elsewhere"]


@pytest.mark.slow
async def test_a_credential_that_the_document_demands_and_nobody_saved_is_named(
    scene: BrowserHarness, failing: FailingApi
) -> None:
    """Finding F-2: gateways refuse without CORS headers or redirect to a login, and say no more."""
    page = await scene.open_page()
    read = await scene.caller.call("readPrivate")
    missing = [{"scheme": "key", "kind": "credential"}]
    assert (read.code, read.detail["missing_credentials"]) == ("cors", missing)
    changed = await scene.caller.call("changePrivate")
    assert (changed.detail["reason"], changed.detail["missing_credentials"]) == ("redirect_refused", missing)
    await go_to(page, "tools", "readPrivate")
    answer = await run_tool(page)
    await expect(answer).to_contain_text("a credential that this request did not carry (key)")
    await expect(answer.get_by_role("link", name="Add a credential")).to_be_visible()


@pytest.mark.slow
async def test_a_german_page_says_the_cause_in_german(scene: BrowserHarness, failing: FailingApi) -> None:
    """Finding W-23: the advice is the page's own text, and the code alone would name CORS."""
    page = await (await scene.new_context(locale="de-DE")).new_page()
    await open_page(page, await scene.bridge.page_url())
    await scene.caller.call("readFine")
    await go_to(page, "tools", "crash")
    await page.get_by_test_id("run").click()
    answer = page.get_by_test_id("outcome")
    await expect(answer).to_contain_text("Im Log der API nachsehen")
    await expect(answer).not_to_contain_text("Die API muss dieser Seite")
