"""What lists of ten thousand operations cost in the page: opening, scrolling, searching, choosing.

Only the page is measured: the bridge's answers are made in it. Needs Chromium (`make bench` sees to it).
"""

import tempfile
from pathlib import Path

from playwright.async_api import Page

from bench.event_loop import run
from bench.report import print_table
from tests.browser.browser_harness import open_harness
from tests.browser.served_page import serving_sources
from tests.support.chromium import running_chromium

OPERATIONS = 10_000
REPEATS, QUICK_REPEATS = 9, 3
SCRIPT = Path(__file__).with_suffix(".js")
ROOT = "document.querySelector('script[type=module]').src.replace(/app.js$/, '')"


def measure_long_lists(*, quick: bool) -> dict[str, object]:
    """Use each list as its user does; prints medians in milliseconds, each until it is painted."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        return run(_measure(Path(folder), QUICK_REPEATS if quick else REPEATS))


async def _measure(folder: Path, repeats: int) -> dict[str, object]:
    with serving_sources():  # the script imports modules one by one
        async with (
            running_chromium(whole=True) as browser,
            open_harness(browser, folder, ["mirror.yaml"]) as harness,
        ):
            page = await harness.open_page(viewport={"width": 1280, "height": 900})
            found = await measure_in(page, repeats)
    rows = [[view, action, time] for view, times in found.items() for action, time in times.items()]
    print_table(f"{OPERATIONS:,} operations, median ms", ["list", "action", "ms"], rows)
    return {**found}


async def measure_in(page: Page, repeats: int) -> dict[str, dict[str, float]]:
    """Run the script in an open page; milliseconds by list and action."""
    wanted = {"root": await page.evaluate(ROOT), "operations": OPERATIONS, "repeats": repeats}
    script = SCRIPT.read_text(encoding="utf-8")
    return await page.evaluate(f"wanted => {{ {script}\nreturn measureLists(wanted); }}", wanted)
