"""What a user brings to the chat: a model provider, files, parameters, and the order of conversations."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.browser_harness import open_harness
from tests.browser.chat_harness import PICTURE, ChatHarness, barriers, open_chat_harness, open_menu
from tests.support.chromium import expect_connection, go_to
from tests.support.documents.compiled import document_text, paths_with_odd_tool
from tests.support.models.messages_side import MESSAGES
from tests.support.models.model_answers import calls, text
from tests.support.models.scripted_provider import scripted_provider
from tests.support.models.tool_types import find_tool_problems

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]


@pytest_asyncio.fixture(loop_scope="session")
async def chat(chromium: Browser, tmp_path: Path) -> AsyncIterator[ChatHarness]:
    """A new conversation on a phone."""
    options = {"viewport": {"width": 390, "height": 844}}
    async with open_chat_harness(chromium, tmp_path, options) as made:
        yield made


async def test_an_empty_chat_leads_to_a_model_that_answers(chromium: Browser, tmp_path: Path) -> None:
    """Address, key, test, save, ask; the key is in no field afterwards."""
    async with scripted_provider() as provider, open_harness(chromium, tmp_path, ["shop.json"]) as scene:
        page = await scene.open_page()
        await go_to(page, "chat")
        await page.get_by_role("link", name="add a model", exact=True).click()
        await page.get_by_label("Provider", exact=True).select_option(label="Another address")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("alert")).to_have_text("Enter the address.")
        await page.get_by_label("Address").fill(provider.base_url)
        await page.get_by_label("API key").fill("sk-of-mine")
        await page.get_by_role("button", name="Test").click()
        await page.get_by_role("checkbox", name="scripted-large").uncheck()
        assert await barriers(page) == []
        await page.get_by_role("button", name="Save").click()
        await page.get_by_role("button", name="Change 127.0.0.1").click()
        await expect(page.get_by_label("API key")).to_have_value("")
        assert "sk-of-mine" not in await page.content()
        await go_to(page, "chat")
        await expect(page.get_by_label("Model", exact=True)).to_have_value("scripted-small")
        provider.play(text("Hello."))
        await page.get_by_role("textbox", name="Message", exact=True).fill("Hi")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("article", name="Answer", exact=True)).to_contain_text("Hello.")
        assert provider.requests[-1].headers["Authorization"] == "Bearer sk-of-mine"


RULES = {
    "openai": ("OpenAI", "Responses"),
    "openai-legacy": ("OpenAI, models before GPT-4.1", "Chat Completions"),
    "azure": ("Azure", "Chat Completions"),
    "gemini": ("Gemini", "Chat Completions"),
    "anthropic": ("Anthropic", "Messages"),
    "plain": ("No rules of their own", "Chat Completions"),
}
"""Rules for tools as the form names them, and the protocol that is usual for them."""


@pytest.mark.parametrize("dialect", RULES)
async def test_rules_for_tools_are_chosen_and_hold_in_the_chat(
    chromium: Browser, tmp_path: Path, dialect: str
) -> None:
    """Issue 42: chosen by a test request, changeable; the page says which tools change and how."""
    async with (
        scripted_provider(MESSAGES) as provider,
        open_harness(chromium, tmp_path, ["shop.json"]) as scene,
    ):
        odd = document_text("Odd", paths=paths_with_odd_tool())
        await scene.bridge.components.registry.share_document("odd.json", odd, source_url=None)
        provider.models = ["gemini-3-pro"] if dialect == "gemini" else ["small"]
        page = await scene.open_page()
        await add_provider(page, provider.base_url, dialect)
        await go_to(page, "chat")
        provider.play(calls(("listProducts", {})), text("Tea."))
        await page.get_by_role("textbox", name="Message", exact=True).fill("What is there?")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("article", name="Answer", exact=True)).to_contain_text("Tea.")
    assert find_tool_problems(provider.requests[-1].body["tools"], dialect) == []


async def add_provider(page: Page, address: str, dialect: str) -> None:
    """By the form, whose test knows Gemini by what is listed; other rules are chosen by hand."""
    rules, protocol = RULES[dialect]
    await go_to(page, "chat")
    await page.get_by_role("link", name="add a model", exact=True).click()
    await page.get_by_label("Provider", exact=True).select_option(label="Another address")
    await page.get_by_label("Address").fill(address)
    chosen = page.get_by_label("Rules for tools")
    if not await chosen.is_visible():
        await page.locator("summary", has_text="More").click()
    await page.get_by_label("Protocol").select_option(label=protocol)
    if dialect != "gemini":
        await chosen.select_option(label=rules)
    await page.get_by_role("button", name="Test").click()
    await expect(page.get_by_text("It answers, and lists one model.")).to_be_visible()
    await expect(chosen).to_have_value(dialect)
    told = page.locator("details").filter(has_text="for this provider.")
    if dialect == "gemini":
        await told.locator("summary").click()
        await expect(told).to_contain_text("2fa: is called _2fa there; several types become forms of anyOf")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("button", name="Change 127.0.0.1")).to_be_visible()


async def test_files_are_attached_taken_back_and_seen_again(chat: ChatHarness) -> None:
    """What is too large is named, the rest goes to the model, and a reload shows the picture."""
    page = chat.page
    files = [("a.png", "image/png", PICTURE), ("notes.txt", "text/plain", b"note"), ("b.txt", "", b"b")]
    big = [("big.bin", "", b"x" * (6 * 1024 * 1024))]
    await page.get_by_label("Files to attach").set_input_files(
        [{"name": name, "mimeType": mime, "buffer": content} for name, mime, content in files + big]
    )
    await expect(page.get_by_role("alert")).to_have_text("big.bin has 6.0 MiB; a file may have 5.0 MiB.")
    await page.get_by_role("button", name="Remove b.txt").click()
    assert await barriers(page) == []
    await chat.say("What is it?", text("A picture."))
    await chat.over()
    sent = chat.provider.requests[-1].body["input"][0]["content"]
    kinds = [part["type"] for part in sent]
    assert kinds == ["input_text", "input_text", "input_image", "input_text"]
    await page.reload()
    await expect(page.get_by_role("img", name="a.png")).to_be_visible()
    await expect(page.get_by_role("button", name="Download notes.txt")).to_be_visible()
    assert await barriers(page) == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_parameters_stay_with_a_conversation_and_a_pin_keeps_it_on_top(chat: ChatHarness) -> None:
    """Pinned ones have an order of their own."""
    page = chat.page
    for name in ("One", "Two"):
        await page.get_by_role("button", name="Settings", exact=True).click()
        await page.get_by_label("Temperature").fill("0.5")
        await page.keyboard.press("Tab")
        await chat.say(name, text("Hi."))
        await chat.over()
        assert chat.provider.requests[-1].body["temperature"] == 0.5
        await open_menu(page)
        await page.get_by_role("button", name="Pin", exact=True).click()
        await open_menu(page)
        await expect(page.get_by_role("button", name="Unpin", exact=True)).to_be_visible()
        await page.keyboard.press("Escape")
        if name == "One":
            await page.get_by_role("button", name="Conversations", exact=True).click()
            await page.get_by_role("link", name="New conversation").click()
            await expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
    await page.get_by_role("button", name="Conversations", exact=True).click()
    pinned = page.get_by_role("list", name="Pinned").get_by_role("link")
    await expect(pinned).to_have_count(2)
    await expect(pinned.first).to_contain_text("One")
    await open_menu(page)
    await page.get_by_role("button", name="Move up", exact=True).click()
    await expect(pinned.first).to_contain_text("Two")


async def test_in_german_the_line_below_the_message_fits_a_phone(chat: ChatHarness) -> None:
    """Its words are longer there, and a choice beside a button did not yield: the page slid sideways."""
    page = chat.page
    await go_to(page, "settings")
    await page.get_by_label("Language of this page").select_option("Deutsch")
    await expect(page.get_by_label("Sprache dieser Seite")).to_be_visible()
    await expect_connection(page, "connected")
    await go_to(page, "chat")
    await expect(page.get_by_role("textbox", name="Nachricht", exact=True)).to_be_visible()
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
