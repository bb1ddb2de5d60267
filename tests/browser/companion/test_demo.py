"""The samples of `make run` that no page can call, called by the demo model through the companion."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.companion.demo import running_demo
from tests.support.chromium import go_to

pytestmark = [
    pytest.mark.browser,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
    pytest.mark.slow,
]


async def test_a_model_prints_and_reads_the_staff_directory_as_the_tutorial_says(tmp_path: Path) -> None:
    """The steps of `docs/how-to/try-the-companion.md`: a newcomer who follows them must arrive.

    What the extension is installed by, and the browser's own questions, are all that a test cannot press.
    """
    async with running_demo(tmp_path) as demo:
        await go_to(demo.page, "chat")
        answer = await demo.say("CALL showPrinter")
        await expect(answer).to_contain_text("does not let this page read its answers (CORS)")

        await demo.connect_bridge()
        panel = await demo.choose_companion("Printer")
        await demo.grant_all(panel, await demo.ask(panel, "Ask for reading and changing"))
        await go_to(demo.page, "chat")
        answer = await demo.say('CALL showPrinter\nCALL printText {"text": "Minutes of Monday"}')
        card = demo.page.get_by_role("article", name="Call of printText")
        await expect(card).to_contain_text("the companion extension, without your login")
        await card.get_by_role("button", name="Allow once").click()
        await expect(answer).to_contain_text('"paper": 40')
        await expect(answer).to_contain_text('"job": 1')

        await demo.log_in_as("ada")
        panel = await demo.choose_companion("Staff", login=True)
        question = await demo.ask(panel, "Ask for reading and changing, as me")
        await demo.grant_all(panel, question, login=True)
        await go_to(demo.page, "chat")
        answer = await demo.say('CALL showMe\nCALL askForLeave {"day": "2026-12-24"}')
        card = demo.page.get_by_role("article", name="Call of askForLeave")
        host = demo.intranet_url.removeprefix("http://")
        await expect(card).to_contain_text(f"the companion extension, signed in as you at {host}")
        await card.get_by_role("button", name="Allow once").click()
        await expect(answer).to_contain_text('"name": "ada"')
        await expect(answer).to_contain_text('"2026-12-24"')

        await demo.revoke_grant()
        answer = await demo.say("CALL showPrinter")
        await expect(answer).to_contain_text("companion_refused")
