"""The chat page as a page: by keyboard, with hostile texts, long answers, branches, settings and files."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import ChatHarness, barriers, open_chat_harness, open_menu
from tests.support.chromium import complaints_of, expect_connection, go_to, open_page, tab_to
from tests.support.models.model_answers import calls, text
from tests.support.models.scripted_provider import fails, script
from tests.support.waiting import eventually

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

HOSTILE = """<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 2">

[click](javascript:window.hacked=3) <a href="javascript:alert(1)">here</a> ![pixel](https://tracker.test/pixel.png)

<iframe src="//tracker.test"></iframe> <style>body { display: none }</style>
"""


@pytest_asyncio.fixture(loop_scope="session")
async def chat(chromium: Browser, tmp_path: Path) -> AsyncIterator[ChatHarness]:
    """A new conversation in a page of its own."""
    async with open_chat_harness(chromium, tmp_path) as made:
        yield made


async def test_a_conversation_is_held_by_keyboard_alone(chat: ChatHarness) -> None:
    """Enter sends, Shift+Enter makes a line, Escape stops, and the focus stays where somebody writes."""
    page = chat.page
    await page.reload()
    await expect_connection(page, "connected")
    await expect(chat.message).to_be_focused()
    release = asyncio.Event()
    chat.provider.play(script(text("One ", "two ", "three")).held(release, after=5))
    await page.keyboard.type("Count")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("to three")
    await page.keyboard.press("Enter")
    await expect(chat.asked).to_contain_text("Count\nto three")
    await expect(chat.answers).to_contain_text("One")
    await expect(chat.message).to_be_focused()
    await page.keyboard.type("More")
    await page.keyboard.press("Enter")
    await expect(chat.message).to_have_value("More")
    await page.keyboard.press("Escape")
    await expect(chat.answers).to_contain_text("Stopped. The text so far remains.")
    await expect(chat.answers).to_contain_text("One")
    await expect(chat.message).to_be_focused()
    chat.provider.play(calls(("getName", {})), text("Her name is Ada."))
    await page.keyboard.press("Enter")
    card = await chat.expect_state("getName", "succeeded")
    await chat.over()
    await tab_backwards_to(page, "getName")
    await page.keyboard.press("Enter")
    await expect(card.get_by_role("region", name="Result")).to_contain_text("Ada")
    await tab_to(page, chat.message)


async def tab_backwards_to(page: Page, name: str) -> None:
    for _ in range(30):
        await page.keyboard.press("Shift+Tab")
        if await page.evaluate("document.activeElement.textContent") == name:
            return
    raise AssertionError(f"{name} is not reached")


async def test_what_models_and_tools_say_stays_text(chat: ChatHarness) -> None:
    """HTML, scripts, foreign pictures and dangerous links: nothing runs and nobody is told."""
    complaints = complaints_of(chat.page)
    asked: list[str] = []
    chat.page.on("request", lambda request: asked.append(request.url))
    chat.api.name = HOSTILE
    await chat.say(HOSTILE, text(HOSTILE) + calls(("getName", {})), text("Done.\n\n", HOSTILE))
    card = await chat.expect_state("getName", "succeeded")
    await chat.over()
    await card.get_by_role("button", name="getName").click()
    await expect(card.get_by_role("region", name="Result")).to_contain_text(
        "<script>window.hacked = 1</script>"
    )
    await expect(chat.answers.get_by_text("<script>window.hacked = 1</script>").first).to_be_visible()
    assert await chat.page.evaluate("window.hacked") is None
    inside = "main :is(script, iframe, style, img, [onerror], a[href^='javascript'])"
    assert await chat.page.locator(inside).count() == 0
    assert not [url for url in asked if "tracker" in url]
    assert complaints == []


async def test_a_picture_that_a_tool_answers_with_is_seen_in_its_card(chat: ChatHarness) -> None:
    """From the bridge's own store, with words for who does not see it, saved under its tool's name."""
    await chat.say("Draw", calls(("getPicture", {})), text("Here."))
    await chat.over()
    card = await chat.expect_state("getPicture", "succeeded")
    picture = card.get_by_role("img", name="Picture from getPicture")
    await expect(picture).to_have_js_property("naturalWidth", 1)
    async with chat.page.expect_download() as saved:
        await card.get_by_role("button", name="Download the file from getPicture").click()
    assert (await saved.value).suggested_filename == "getPicture.png"
    await card.get_by_role("button", name="getPicture", exact=True).click()
    assert "/files/" not in await card.inner_text()
    assert await barriers(chat.page) == []


async def test_code_has_colours_and_stays_one_text(chat: ChatHarness) -> None:
    """Highlights of the browser: nothing is inserted, so what is copied is what was written."""
    await chat.say("Write", text('Code:\n\n```python\nif "x":  # y\n    pass\n```\n'))
    await chat.over()
    code = chat.answers.last.get_by_role("region", name="python code")
    await expect(code).to_have_js_property("childElementCount", 0)
    sizes = "['keyword', 'string', 'comment'].map((kind) => CSS.highlights.get(`code-${kind}`)?.size)"

    async def is_coloured() -> bool:
        return await chat.page.evaluate(sizes) == [2, 1, 1]

    await eventually(is_coloured)
    await chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await chat.answers.last.get_by_role("button", name="Copy code: python").click()
    await expect(chat.page.locator("#announcements")).to_have_text("Copied")
    assert await chat.page.evaluate("navigator.clipboard.readText()") == 'if "x":  # y\n    pass'


async def test_a_long_answer_grows_without_disturbing_what_stands(chat: ChatHarness) -> None:
    """A selection in the beginning lasts, and no paragraph is made anew: the work per word does not grow."""
    release = asyncio.Event()
    beginning = ["# Title\n\n", "The first paragraph.\n\n", "The second paragraph.\n\n"]
    rest = [f"Paragraph {number} says **something** and `more`.\n\n" for number in range(400)]
    await chat.say("Tell me all", script(text(*beginning, *rest)).held(release, after=8))
    first = chat.answers.get_by_text("The first paragraph.")
    await first.select_text()
    await first.evaluate("element => { element.isOld = true }")
    release.set()
    await chat.over()
    await expect(chat.answers.get_by_text("Paragraph 399 says something")).to_be_visible()
    assert await first.evaluate("element => element.isOld") is True
    assert await chat.page.evaluate("getSelection().toString().trim()") == "The first paragraph."
    assert await chat.answers.locator(".markdown > *").count() == 403


async def test_whoever_reads_above_is_not_pulled_down(chat: ChatHarness) -> None:
    """An answer that grows is followed only by those who are at its end; a button leads there."""
    page = chat.page
    await chat.say("Tell me much", text(*[f"Line {number}.\n\n" for number in range(80)]))
    await chat.over()
    await eventually_at_end(page)
    release = asyncio.Event()
    await chat.say("And more", script(text("Begun.\n\n", *["More.\n\n"] * 40)).held(release, after=5))
    await expect(chat.answers.last).to_contain_text("Begun.")
    await page.evaluate("scrollTo(0, 0)")
    release.set()
    await chat.over()
    assert await page.evaluate("scrollY") == 0
    await page.get_by_role("button", name="Jump to latest").click()
    await eventually_at_end(page)


async def test_turns_that_cannot_be_drawn_are_told_and_drawn_once_they_can(chat: ChatHarness) -> None:
    """What draws them comes with the first turn: a bridge may be away at that moment."""
    page = chat.page
    await page.route("**/turn_views.js", lambda route: route.abort())
    await chat.say("Hello", text("Good **day**."))
    await expect(page.get_by_text("This section could not be loaded.")).to_be_visible()
    await page.unroute("**/turn_views.js")
    await chat.say("Again", text("Good night."))
    await expect(chat.answers.last).to_contain_text("Good night.")
    await expect(page.get_by_text("This section could not be loaded.")).to_have_count(0)


async def eventually_at_end(page: Page) -> None:
    near = "scrollY + innerHeight > document.documentElement.scrollHeight - 120"

    async def is_near() -> bool:
        return bool(await page.evaluate(near))

    await eventually(is_near)


async def test_stop_reaches_a_slow_tool_and_the_conversation_goes_on(chat: ChatHarness) -> None:
    """S3-F2: the page's request is aborted, what was said stays, and the next message is answered."""
    await chat.say("Wait for it", text("I call.") + calls(("getLater", {})))
    await expect(chat.call("getLater")).to_be_visible()
    await eventually(lambda: chat.api.waiting == 1)  # what has not left the page yet is abandoned nowhere
    await chat.page.get_by_role("button", name="Stop", exact=True).click()
    await eventually(lambda: chat.api.abandoned == 1)
    await expect(chat.answers).to_contain_text("Stopped.")
    await expect(chat.call("getLater")).to_contain_text("before the answer was stopped")
    await chat.say("Go on", text("Going on."))
    await expect(chat.answers.last).to_contain_text("Going on.")


async def test_what_was_said_until_stop_stays_and_says_that_it_broke_off(chat: ChatHarness) -> None:
    """S3-F2: after a reload, too; and a conversation whose end nobody saw can be gone on with."""
    release = asyncio.Event()
    await chat.say("Tell me", script(text("Once upon ", "a time")).held(release, after=5))
    await expect(chat.answers).to_contain_text("Once upon")
    await chat.message.press("Escape")
    await expect(chat.answers).to_contain_text("Stopped.")
    await chat.page.reload()
    await expect(chat.answers).to_contain_text("Once upon")
    await expect(chat.answers).to_contain_text("The answer broke off here.")
    await chat.say("Go on", text("A time."))
    await expect(chat.answers.last).to_contain_text("A time.")
    await expect(chat.page.get_by_text("broke off")).to_have_count(0)


async def test_a_card_leads_to_its_call_in_the_log(chat: ChatHarness) -> None:
    """Also after a reload, when the page itself has forgotten the call."""
    await chat.say("Her name?", calls(("getName", {})), text("Ada."))
    await chat.over()
    for _ in range(2):
        card = await chat.expect_state("getName", "succeeded")
        await card.get_by_role("button", name="getName").click()
        await card.get_by_role("link", name="Show in the call log").click()
        opened = chat.page.get_by_role("button", name="getName", expanded=True)
        await expect(opened).to_be_visible()
        await chat.page.go_back()
        await chat.page.reload()


async def test_an_edited_message_makes_a_branch_and_both_stay(chat: ChatHarness) -> None:
    """Versions are gone through with two buttons, and so are answers that were asked for again."""
    page = chat.page
    await chat.say("Hello", text("Good day."))
    await chat.over()
    chat.provider.play(text("Good evening."))
    await chat.asked.get_by_role("button", name="Edit").click()
    field = page.get_by_role("textbox", name="Edit the message")
    await expect(field).to_have_value("Hello")
    await field.fill("Hello again")
    await field.press("Enter")
    await expect(chat.answers).to_contain_text("Good evening.")
    await chat.over()
    await page.get_by_role("button", name="Previous version").click()
    await expect(chat.asked).to_contain_text("Version 1 of 2")
    await expect(chat.answers).to_contain_text("Good day.")
    chat.provider.play(text("Good night."))
    await chat.answers.get_by_role("button", name="Regenerate").click()
    await expect(chat.answers).to_contain_text("Good night.")
    await chat.over()
    await page.wait_for_function("document.activeElement !== document.body")
    await page.reload()
    await expect(chat.answers).to_contain_text("Good night.")
    await expect(chat.answers).to_contain_text("Answer 2 of 2")
    await page.get_by_role("button", name="Previous answer").click()
    await expect(chat.answers).to_contain_text("Good day.")
    await expect(page.get_by_role("button", name="Next answer")).to_be_enabled()
    await page.wait_for_function("document.activeElement !== document.body")


async def test_a_model_that_fails_is_said_and_asked_again(chat: ChatHarness) -> None:
    """The message is not lost, and the reason stands where the answer would."""
    await chat.say("Hello", fails(400))
    await expect(chat.answers.get_by_role("alert")).to_contain_text("The answer failed.")
    chat.provider.play(text("Here I am."))
    await chat.answers.get_by_role("button", name="Regenerate").click()
    await expect(chat.answers).to_contain_text("Here I am.")
    await expect(chat.answers.get_by_role("alert")).to_have_count(0)


async def test_model_prompt_and_tools_are_chosen_in_the_page(chat: ChatHarness) -> None:
    """S3-10: before the conversation begins and after; `read_result` comes with tools, for long answers."""
    page = chat.page
    await page.get_by_role("button", name="Settings").click()
    settings = page.get_by_role("region", name="Conversation settings")
    await settings.get_by_role("button", name="None").click()
    await settings.get_by_role("checkbox", name="getName").check()
    await settings.get_by_label("System prompt").fill("Be brief.")
    assert await barriers(page) == []
    await chat.say("Hello", text("Hi."))
    await chat.over()
    first = chat.provider.requests[-1].body
    assert [tool["name"] for tool in first["tools"]] == ["getName", "read_result"]
    assert first["instructions"].startswith("Be brief.")
    await settings.get_by_role("checkbox", name="getMood").check()
    await expect(settings.get_by_role("heading", name="Tools: 2 of")).to_be_visible()
    await chat.say("Again", text("Hi again."))
    await expect(chat.answers.last).to_contain_text("Hi again.")
    assert sorted(tool["name"] for tool in chat.provider.requests[-1].body["tools"]) == [
        "getMood",
        "getName",
        "read_result",
    ]


async def test_conversations_are_listed_renamed_found_and_deleted(chat: ChatHarness) -> None:
    """S3-11: everything that is done with a conversation as a whole."""
    page = chat.page
    rows = page.get_by_role("navigation", name="Conversations").get_by_role("listitem")
    await chat.say("About pets", text("Pets are nice."))
    await chat.over()
    await page.get_by_role("link", name="New conversation").click()
    await expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
    await chat.say("About tea", text("Tea is hot."))
    await chat.over()
    await expect(rows).to_have_count(2)
    await open_menu(page)
    await page.get_by_role("button", name="Rename").click()
    await page.get_by_role("textbox", name="Title").fill("Hot drinks")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Hot drinks")).to_be_visible()
    await expect(rows.first).to_contain_text("Hot drinks")
    await page.get_by_role("searchbox", name="Search").fill("nice")
    await expect(rows).to_have_count(1)
    await rows.first.get_by_role("link").click()
    await expect(chat.answers).to_contain_text("Pets are nice.")
    await open_menu(page)
    await page.get_by_role("button", name="Delete", exact=True).click()
    await expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
    await expect(page.get_by_text("No matches.")).to_be_visible()
    await page.get_by_role("searchbox", name="Search").fill("")
    await expect(rows).to_have_count(1)


async def test_a_conversation_is_taken_away_as_a_file(chat: ChatHarness) -> None:
    """As JSON with everything, and as Markdown to read."""
    page = chat.page
    await chat.say("Her name?", calls(("getName", {})), text("**Ada**."))
    await chat.over()
    await open_menu(page)
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Export as JSON").click()
    file = await saved.value
    assert file.suggested_filename == "Her name.json"
    kept = json.loads(text_of(await file.path()))
    assert [message["role"] for message in kept["messages"]] == ["user", "assistant", "tool", "assistant"]
    await open_menu(page)
    async with page.expect_download() as saved:
        await page.get_by_role("button", name="Export as Markdown").click()
    words = text_of(await (await saved.value).path())
    assert words.startswith("# Her name?\n")
    assert "### Call of getName: succeeded" in words
    assert "**Ada**." in words


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


async def test_two_tabs_show_the_same_answer_while_it_grows(chat: ChatHarness) -> None:
    """S3-F1, S3-15: any number of listeners, and one that comes late has the beginning too."""
    release = asyncio.Event()
    await chat.say("Count", script(text("One ", "two ", "three")).held(release, after=5))
    await expect(chat.answers).to_contain_text("One")
    other = await chat.page.context.new_page()
    await other.goto(chat.page.url)
    answer = other.get_by_role("article", name="Answer", exact=True)
    await expect(answer).to_contain_text("One")
    release.set()
    for page in (chat.page, other):
        await expect(page.get_by_role("article", name="Answer", exact=True)).to_contain_text("One two three")


async def test_a_bridge_that_is_started_again_is_found_again(chat: ChatHarness, tmp_path: Path) -> None:
    """The page says that the line is broken, comes back by itself, and offers to go on."""
    release = asyncio.Event()
    await chat.say("Count", script(text("One ", "two ", "three")).held(release, after=5))
    await expect(chat.answers).to_contain_text("One")
    await chat.scene.bridge.close()
    await expect(chat.page.get_by_text("The connection to the bridge is lost.")).to_be_visible()
    await chat.message.fill("What I had begun to write")
    await chat.restart(tmp_path)
    await expect(chat.page.get_by_text("The connection to the bridge is lost.")).to_be_hidden()
    await expect(chat.message).to_have_value("What I had begun to write")
    release.set()
    chat.provider.play(text("One, two, three."))
    await chat.page.get_by_role("button", name="Regenerate").click()
    await expect(chat.answers).to_contain_text("One, two, three.")


@pytest.mark.parametrize(
    ("locale", "sentence", "answered"),
    [
        ("en-GB", "When does the shop open?", "I am the demo model and go by rules."),
        ("de-DE", "Wann hat der Laden geöffnet?", "Ich bin das Demo-Modell und arbeite nach Regeln."),
    ],
)
async def test_the_demo_answers_the_minute_it_runs(
    demo: BrowserHarness, locale: str, sentence: str, answered: str
) -> None:
    """Without a provider, key or network: a sentence in the page's language is clicked, sent and answered."""
    page = await (await demo.new_context(locale=locale)).new_page()
    await open_page(page, await demo.bridge.page_url())
    await go_to(page, "chat")
    await page.get_by_role("button", name=sentence).click()
    await expect(page.locator("textarea:focus")).to_have_value(sentence)
    await page.keyboard.press("Enter")
    await expect(page.locator('[data-state="succeeded"]')).to_have_count(1)
    await expect(page.get_by_text(answered)).to_be_visible()
    await expect(page.get_by_text("getOpeningHours {}")).to_be_visible()
