"""What the page offers fits who looks at it: his rights, his options, his screen, the link he pastes."""

import shlex

import pytest
from playwright.async_api import Page, Request, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.changing_api import changing_api
from tests.support.chromium import expect_connection, go_to, run_tool
from tests.support.documents.compiled import operation

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


def uploads_of(page: Page) -> list[str]:
    """Every document that the page sends to the bridge from now on."""
    uploads: list[str] = []

    def note(request: Request) -> None:
        if request.method == "PUT" and request.url.endswith("/document"):
            uploads.append(request.url)

    page.on("request", note)
    return uploads


async def test_a_link_pasted_into_a_tab_that_shows_the_page_takes_effect(scene: BrowserHarness) -> None:
    """The browser only changes the fragment then; without a reload the user's link would do nothing."""
    page = await scene.open_page()
    await page.evaluate("window.isOld = true")
    await page.evaluate("url => { location.href = url }", await scene.link_of("ann"))
    await page.wait_for_function("!window.isOld")
    await expect(page.get_by_test_id("entrance")).to_have_attribute("data-code", "other_user")
    assert "ticket" not in page.url


async def test_an_unchanged_document_is_not_sent_at_the_next_opening(scene: BrowserHarness) -> None:
    """The bridge would compile it anew and throw its validators away, for nothing."""
    page = await scene.open_page()
    async with changing_api({"/things": operation("listThings")}) as api:
        await go_to(page, "add")
        await page.get_by_label("Address of the document").fill(f"{api.url}/openapi.json")
        await page.get_by_role("button", name="Fetch", exact=True).click()
        await expect(page.get_by_role("heading", name="Own API")).to_be_visible()
        uploads = uploads_of(page)
        async with page.expect_response(lambda response: response.url == f"{api.url}/openapi.json"):
            await page.reload()
        await expect_connection(page, "connected")
        api.paths["/more"] = operation("listMore")
        async with page.expect_request(lambda request: request.method == "PUT"):
            await page.reload()
        assert len(uploads) == 1


async def test_only_what_the_bridge_allows_is_offered_on_a_shared_server(scene: BrowserHarness) -> None:
    """A button that always ends in a refusal teaches users to distrust the others."""
    own = await scene.open_page()
    await go_to(own, "servers", "mirror")
    await expect(own.get_by_role("button", name="Save the address")).to_be_visible()
    await expect(own.get_by_text("It is named on the command line")).to_be_visible()
    await expect(own.get_by_role("button", name="Remove this server")).to_have_count(0)
    other = await scene.open_page_of("ann")
    await go_to(other, "servers", "mirror")
    await expect(other.get_by_text("Whoever started the bridge offers it")).to_be_visible()
    for name in ("Save the address", "Remove this server", "Refetch the document"):
        await expect(other.get_by_role("button", name=name)).to_have_count(0)
    await expect(other.get_by_label("Let Open WebUI show HTML answers")).to_have_count(0)


async def test_a_phone_shows_how_a_call_ended(scene: BrowserHarness) -> None:
    """Failed or not is what one opens the log for."""
    page = await scene.open_page(viewport={"width": 390, "height": 800})
    await go_to(page, "tools", "mirrorQuery")
    await run_tool(page)
    await go_to(page, "calls")
    log = page.get_by_role("region", name="Call log")
    await expect(log.get_by_text("200 OK")).to_be_in_viewport(ratio=1)
    assert await log.evaluate("element => element.scrollWidth <= element.clientWidth")


async def test_the_printed_command_keeps_the_port(scene: BrowserHarness) -> None:
    """The address beside it names this port."""
    page = await scene.open_page()
    await go_to(page, "connect", "open-webui")
    await page.get_by_label("In Docker on this computer").check()
    port = str(scene.bridge.server.sockets[0].getsockname()[1])
    command = await page.get_by_role("region", name="Command that starts the bridge").inner_text()
    assert shlex.split(command)[:4] == ["tool-bridge", "serve", "--port", port]
    with_make = shlex.split(await page.get_by_role("region", name="The same with make").inner_text())
    assert with_make[:2] == ["make", "run"]
    assert with_make[2].removeprefix("ARGS=").split() == shlex.split(command)[2:]
