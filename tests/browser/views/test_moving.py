"""Moving to another browser: by a file, by a code, and what does not work."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.browser_harness import BrowserHarness
from tests.browser.chat_harness import barriers
from tests.support.canaries import contains_secret, files_with
from tests.support.chromium import expect_connection, go_to, save_credential

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

SECRET = "c4nary-moving-token-91b7"
OTHER_SECRET = "c4nary-staying-token-02ee"
VARIABLE = "c4nary-variable-5d1f"
PASSPHRASE = "blue otter under the bridge"
BEARER = "Custom: bearer token"


async def paired_with(scene: BrowserHarness, page: Page, **options: Any) -> Page:
    """A new browser of the user of `page`, in which nothing is accepted."""
    other = await (await scene.new_context(**options)).new_page()
    await other.goto(scene.bridge.base_url)
    code = await other.get_by_test_id("pairing-code").inner_text()
    await go_to(page, "devices")
    await page.get_by_label("Code", exact=True).fill(code)
    await page.get_by_role("button", name="Look it up").click()
    await page.get_by_role("button", name="Confirm this device").click()
    await expect_connection(other, "connected")
    return other


async def with_contents(scene: BrowserHarness) -> Page:
    """A browser with a credential, what it accepted, and an environment."""
    page = await scene.open_page()
    await save_credential(page, "mirror", BEARER, value=SECRET)
    await page.get_by_role("button", name="Add an environment").click()
    form = page.get_by_role("form", name="Add an environment")
    await form.get_by_label("Name").fill("staging")
    await form.get_by_label("Variables").fill(f"token = {VARIABLE}")
    await form.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("list", name="Environments")).to_contain_text("staging")
    return page


async def downloaded(page: Page, folder: Path) -> Path:
    """The backup of all that a browser has."""
    await go_to(page, "backup")
    await expect(page.get_by_role("checkbox", name="Environments (1)")).to_be_checked()
    form = page.get_by_role("form", name="As a file")
    await form.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
    await expect(form).to_contain_text("Strong.")
    await form.get_by_label("The same again").fill(PASSPHRASE)
    async with page.expect_download() as started:
        await form.get_by_role("button", name="Download the backup").click()
    download = await started.value
    assert download.suggested_filename.startswith("tool-bridge-browser-")
    path = folder / "backup.json"
    await download.save_as(path)
    return path


async def open_backup(page: Page, path: Path, passphrase: str = PASSPHRASE) -> Locator:
    """Fill the form for a file and send it; gives the preview's place."""
    await go_to(page, "backup")
    form = page.get_by_role("form", name="From a file")
    await form.get_by_label("Backup").set_input_files(path)
    await form.get_by_label("Its passphrase").fill(passphrase)
    await form.get_by_role("button", name="Open the backup").click()
    return page.get_by_role("region", name="What the backup would change")


async def shown_code(page: Page) -> str:
    """The code for all that a browser has."""
    await go_to(page, "backup")
    await expect(page.get_by_role("checkbox", name="Credentials (1)")).to_be_checked()
    await page.get_by_role("button", name="Show a code").click()
    return await page.get_by_test_id("transfer-code").inner_text()


async def type_code(page: Page, code: str) -> None:
    """Fill the form for a code and send it."""
    form = page.get_by_role("form", name="With a code")
    await form.get_by_label("Code of the other browser").fill(code)
    await form.get_by_role("button", name="Fetch it").click()


async def header_sent(scene: BrowserHarness) -> str | None:
    """What the API got as Authorization, with the secret as its marker."""
    return (await scene.caller.call("mirrorDelete")).json()["headers"].get("authorization")


async def test_a_file_takes_credentials_acceptances_and_environments_along(
    scene: BrowserHarness, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody has a new computer: the calls work there, and the bridge learned nothing of it."""
    caplog.set_level(logging.DEBUG)
    laptop = await with_contents(scene)
    path = await downloaded(laptop, tmp_path)
    assert not contains_secret(path.read_bytes(), SECRET)
    tablet = await paired_with(scene, laptop)
    await laptop.context.close()

    preview = await open_backup(tablet, path)
    await expect(preview).to_contain_text("for every request to http://127.0.0.1:")
    await expect(preview).to_contain_text("staging")
    await expect(preview).not_to_contain_text(SECRET)
    await expect(preview.get_by_role("checkbox")).to_have_count(3)
    assert (await scene.caller.call("mirrorDelete")).code == "not_accepted"  # nothing before the user says so
    await preview.get_by_role("button", name="Take over 3 items").click()
    await expect(tablet.get_by_text("3 items are taken over.")).to_be_visible()

    assert await header_sent(scene) == "Bearer [secret]"
    await go_to(tablet, "servers", "mirror")
    await expect(tablet.get_by_role("list", name="Environments")).to_contain_text("staging")
    for secret in (SECRET, VARIABLE, PASSPHRASE):
        assert not contains_secret(caplog.text.encode(), secret)
    path.unlink()
    assert files_with(tmp_path, [SECRET, VARIABLE, PASSPHRASE]) == []


async def test_a_code_takes_them_along_once_and_the_bridge_reads_nothing(
    scene: BrowserHarness, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Both browsers are at hand: what passes the bridge is sealed, and the code is typed by hand."""
    caplog.set_level(logging.DEBUG)
    laptop = await with_contents(scene)
    tablet = await paired_with(scene, laptop)
    sent: list[str] = []
    laptop.on("request", lambda request: sent.append(request.post_data or ""))
    code = await shown_code(laptop)

    await go_to(tablet, "backup")
    await type_code(tablet, code[:-1])
    await expect(tablet.get_by_role("alert")).to_contain_text("This is no code of a transfer")
    await type_code(tablet, code.lower().replace("-", " "))
    preview = tablet.get_by_role("region", name="What the backup would change")
    await preview.get_by_role("button", name="Take over 3 items").click()
    await expect(tablet.get_by_text("3 items are taken over.")).to_be_visible()
    await expect(laptop.get_by_text("It was fetched. If that was not you")).to_be_visible()
    await expect(laptop.get_by_test_id("transfer-code")).to_have_count(0)
    await laptop.context.close()
    assert await header_sent(scene) == "Bearer [secret]"

    await type_code(tablet, code)
    await expect(tablet.get_by_role("alert")).to_contain_text("Nothing waits under this code")
    (envelope,) = [json.loads(body)["envelope"] for body in sent if "envelope" in body]
    for secret in (SECRET, VARIABLE, code, code.replace("-", "")):
        assert not contains_secret((caplog.text + envelope).encode(), secret)
    assert files_with(tmp_path, [SECRET, VARIABLE, code]) == []


async def test_a_code_that_is_cancelled_or_left_leads_nowhere(scene: BrowserHarness) -> None:
    """Who changes his mind leaves nothing with the bridge."""
    laptop = await with_contents(scene)
    tablet = await paired_with(scene, laptop)
    await go_to(tablet, "backup")
    for way_out in ("cancel", "leave"):
        code = await shown_code(laptop)
        async with laptop.expect_response(lambda answer: answer.request.method == "DELETE"):
            if way_out == "cancel":
                await laptop.get_by_role("button", name="Cancel").click()
            else:
                await go_to(laptop, "settings")
        await type_code(tablet, code)
        await expect(tablet.get_by_role("alert")).to_contain_text("Nothing waits under this code")


async def test_what_differs_stays_unless_the_user_takes_the_backups(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """A restore at the wrong moment must not undo what was entered since."""
    page = await with_contents(scene)
    path = await downloaded(page, tmp_path)
    await save_credential(page, "mirror", BEARER, value=OTHER_SECRET)
    preview = await open_backup(page, path)
    await expect(preview).to_contain_text("1 is here already, the same.")
    await expect(preview.get_by_role("button", name="Nothing to take over")).to_be_disabled()
    choice = preview.get_by_role("combobox")
    await expect(choice).to_have_value("mine")
    await expect(preview.get_by_text("Saved here on")).to_be_visible()
    assert await barriers(page) == []
    await choice.select_option("Take the backup's")
    await preview.get_by_role("button", name="Take over 1 item").click()
    await expect(page.get_by_text("1 item is taken over.")).to_be_visible()
    await expect(await open_backup(page, path)).to_contain_text("Nothing to take over")
    await expect(page.get_by_role("combobox")).to_have_count(0)


async def test_what_cannot_be_restored_is_said_and_changes_nothing(
    scene: BrowserHarness, tmp_path: Path
) -> None:
    """Each fault has its own words, so that the user knows what to do."""
    page = await with_contents(scene)
    path = await downloaded(page, tmp_path)
    whole = path.read_text(encoding="utf-8")
    faults = {
        "The passphrase is wrong, or the file was changed.": (whole, "another passphrase"),
        "incomplete or damaged": (whole[:-40], PASSPHRASE),
        "made by a newer version": (whole.replace('"version":1', '"version":2'), PASSPHRASE),
        "This is no backup of a browser": ('{"openapi": "3.1.0"}', PASSPHRASE),
    }
    for words, (text, passphrase) in faults.items():
        path.write_text(text, encoding="utf-8")
        preview = await open_backup(page, path, passphrase)
        await expect(page.get_by_role("alert")).to_contain_text(words)
        await expect(preview).to_have_count(0)
    assert await header_sent(scene) == "Bearer [secret]"


async def test_a_weak_or_mistyped_passphrase_makes_no_file(scene: BrowserHarness) -> None:
    """The file may lie in a cloud for years."""
    page = await with_contents(scene)
    await go_to(page, "backup")
    form = page.get_by_role("form", name="As a file")
    for first, second, words in (
        ("short", "short", "At least 12 characters; 5 so far."),
        ("aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaa", "Weak"),
        (PASSPHRASE, PASSPHRASE + "x", "The two passphrases differ."),
    ):
        await form.get_by_label("Passphrase", exact=True).fill(first)
        await form.get_by_label("The same again").fill(second)
        await form.get_by_role("button", name="Download the backup").click()
        await expect(form.get_by_role("alert")).to_contain_text(words)
    await form.get_by_role("button", name="Make a passphrase").click()
    await expect(form.get_by_label("The same again")).to_have_value(
        await form.get_by_label("Passphrase", exact=True).input_value()
    )
    assert await barriers(page) == []


async def test_on_a_phone_nothing_is_wider_than_the_screen(scene: BrowserHarness, tmp_path: Path) -> None:
    """A phone is what many move to."""
    laptop = await with_contents(scene)
    path = await downloaded(laptop, tmp_path)
    phone = await paired_with(scene, laptop, viewport={"width": 360, "height": 740}, color_scheme="dark")
    await go_to(phone, "backup")
    await phone.get_by_role("button", name="Show a code").click()
    await expect(phone.get_by_role("alert")).to_contain_text("Nothing is chosen.")
    await expect(await open_backup(phone, path)).to_contain_text("Take over 3 items")
    assert await barriers(phone) == []
    assert await phone.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
