"""What a browser keeps for the origin of the bridge, taken out of one Chromium and put into another."""

from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext

Json = dict[str, Any]

BARE = "/healthz"
"""An address of the page's origin that has none of its code."""


async def exported(context: BrowserContext, base_url: str) -> Json:
    """Everything, once no page is open any more; its keys must be extractable."""
    return await _evaluated(context, base_url, "export_profile.js", "exportProfile")


async def seed(context: BrowserContext, base_url: str, profile: Json) -> None:
    """Give a browser that has never seen the bridge what another one kept."""
    await _evaluated(context, base_url, "seed_profile.js", "seedProfile", profile)


async def _evaluated(
    context: BrowserContext, base_url: str, script: str, function: str, given: Json | None = None
) -> Any:
    page = await context.new_page()
    await page.goto(f"{base_url}{BARE}")
    await page.evaluate(Path(__file__).with_name(script).read_text(encoding="utf-8"))
    found = await page.evaluate(f"given => {function}(given)", given)
    await page.close()
    return found
