"""The page in German: its browser asks for it, or its user does."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.support.chromium import expect_connection, go_to
from tests.support.documents.compiled import document_text, operation

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

GERMAN_VIEWS = (
    "servers",
    "servers/mirror",
    "servers/mirror/review",
    "add",
    "tools",
    "tools/mirrorQuery",
    "selection",
    "chat",
    "models",
    "calls",
    "charts",
    "audit",
    "devices",
    "settings",
    "approval",
    "backup",
    "connect",
    "connect/open-webui",
    "connect/vs-code",
    "connect/curl",
    "doctor",
)

FIND_ENGLISH = """async () => {
  const app = [...document.scripts].find(({ src }) => src.endsWith("/app.js"));
  const { GERMAN } = await import(app.src.replace("app.js", "languages/de.js"));
  const differs = ([english, german]) => english !== german && !english.includes("{");
  const english = new Set(Object.entries(GERMAN.texts).filter(differs).map(([key]) => key.trim()));
  const shown = [...document.querySelectorAll("main *, #sections *, #connection *")];
  const labels = shown.flatMap((element) => [element.ariaLabel, element.title, element.placeholder]);
  // A name of others is broken between its words.
  const whole = shown.filter((element) => element.querySelector(":scope > wbr") === null);
  const texts = whole.flatMap((element) => [...element.childNodes].map((node) => node.nodeValue));
  return [...texts, ...labels].map((text) => text?.trim()).filter((text) => english.has(text));
}"""
"""What stands in the page although the catalog has German for it."""

WIDTH_WITH_WORDS = """words => {
  document.querySelector("#connection > .dot + span").textContent = words;
  return document.documentElement.scrollWidth;
}"""
"""How wide the page is with other words about the connection; it is measured before they change again."""

READ_LANGUAGE = "() => [document.documentElement.lang, document.documentElement.dir]"


async def test_a_german_browser_gets_a_german_page_until_its_user_wants_english(
    scene: BrowserHarness,
) -> None:
    """Texts of the document, of its scripts and of its sections; nothing is offered that is not there."""
    page = await _open_german_page(scene)
    assert await page.evaluate(READ_LANGUAGE) == ["de", "ltr"]
    await expect(page.get_by_role("link", name="Zum Inhalt springen")).to_be_attached()
    await go_to(page, "settings")
    await page.get_by_label("Sprache dieser Seite").select_option("English")
    await expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    assert await page.evaluate(READ_LANGUAGE) == ["en", "ltr"]
    await page.get_by_label("Language of this page").select_option("As the browser")
    await expect(page.get_by_label("Sprache dieser Seite")).to_have_value("")


@pytest.mark.usefixtures("page_sources")
async def test_no_translated_text_is_left_in_english_and_nothing_is_wider_than_a_phone(
    scene: BrowserHarness,
) -> None:
    """German words are longer, and one view that bypasses the catalog looks like a fault of all."""
    page = await _open_german_page(scene, viewport={"width": 390, "height": 800})
    await scene.caller.call("mirrorDelete")
    name = "deleteUnadoptedRepositoriesOfEveryOrganisation"  # as Gitea has them
    user = scene.bridge.local_user.id
    text = document_text(paths={"/a": operation(name)})
    own = (await scene.bridge.components.registry.add_server(user, text, source_url=None)).record.id
    for view in (*GERMAN_VIEWS, f"servers/{own}", f"servers/{own}/edit/GET%20%2Fa"):
        await go_to(page, view)
        await expect(page.get_by_role("main")).not_to_contain_text("Wird geladen …")
        await expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
        assert await page.evaluate(FIND_ENGLISH) == [], view
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, view


async def test_a_german_doctor_says_in_german_what_the_probe_found(scene: BrowserHarness) -> None:
    """Finding house-H16: the probe says it in English for programs, with a code and values for people."""
    page = await _open_german_page(scene)
    await go_to(page, "doctor")
    await page.get_by_label("Zu prüfende Adresse").fill(f"{scene.samples_url}/nocors/readings")
    await page.get_by_role("button", name="Adresse prüfen").click()
    report = page.get_by_test_id("check-report")
    await expect(report).to_contain_text(f"{scene.samples_url} läuft, lässt diese Seite seine Antworten")


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
async def test_the_header_fits_a_screen_of_any_width(scene: BrowserHarness, locale: str) -> None:
    """Tablets and half windows: the state of the connection was outside, and the whole page slid sideways."""
    page = await _open_page_in(scene, locale)
    for width in range(1280, 340, -20):
        await page.set_viewport_size({"width": width, "height": 800})
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, width


async def test_the_header_fits_a_phone_while_the_page_connects(scene: BrowserHarness) -> None:
    """In German that takes three words, and the page was wider than the window until it was connected."""
    page = await _open_german_page(scene, viewport={"width": 390, "height": 800})
    assert await page.evaluate(WIDTH_WITH_WORDS, "Verbindung wird aufgebaut …") <= 390


async def test_what_was_accepted_at_start_is_said_and_goes_by_itself(scene: BrowserHarness) -> None:
    """A note of success that stays is in the way of everything that comes after it."""
    context = await scene.new_context()
    page = await context.new_page()
    await page.clock.install()
    await page.goto(await scene.bridge.page_url())
    note = page.get_by_text("because you named these documents")
    await expect(note).to_be_visible()
    await page.clock.fast_forward(31_000)
    await expect(note).to_have_count(0)


async def _open_german_page(scene: BrowserHarness, **options: object) -> Page:
    return await _open_page_in(scene, "de-DE", **options)


async def _open_page_in(scene: BrowserHarness, locale: str, **options: object) -> Page:
    context = await scene.new_context(locale=locale, **options)
    page = await context.new_page()
    await page.goto(await scene.bridge.page_url())
    await expect_connection(page, "connected")
    return page
