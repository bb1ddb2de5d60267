"""Draws the companion extension's icons from static/favicon.svg: `python -m make.draw_icons`."""

import asyncio
from pathlib import Path

from tests.support.chromium import running_chromium

ROOT = Path(__file__).parents[1]
SIZES = (16, 32, 48, 128)
DRAWN = """<!doctype html><style>body{margin:0}svg{display:block;width:100vw;height:100vh}</style>"""


async def draw_icons() -> None:
    """Write one PNG with a transparent ground for each size."""
    source = (ROOT / "static" / "favicon.svg").read_text(encoding="utf-8")
    async with running_chromium(whole=True) as browser:
        for size in SIZES:
            page = await browser.new_page(viewport={"width": size, "height": size})
            await page.set_content(DRAWN + source)
            target = ROOT / "extension" / f"icon{size}.png"
            await page.screenshot(path=target, omit_background=True)
            await page.close()


if __name__ == "__main__":
    asyncio.run(draw_icons())
