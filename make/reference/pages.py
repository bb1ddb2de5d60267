"""The pages that have parts from the code, as they must be now."""

from pathlib import Path

from make.reference import (
    api_page,
    commands_page,
    decisions_page,
    errors_page,
    metrics_page,
    settings_page,
    traces_page,
    wire_page,
)
from make.reference.parts import with_parts

ROOT = Path(__file__).parents[2]


async def pages() -> dict[str, str]:
    """Path from the root of the repository to the text of the page."""
    document = await api_page.served_document()
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in PAGES}
    parts = {
        errors_page.PAGE: {"overview": errors_page.overview(texts[errors_page.PAGE])},
        metrics_page.PAGE: {"overview": metrics_page.overview()},
        traces_page.PAGE: {"spans": traces_page.spans(), "attributes": traces_page.attributes()},
        commands_page.PAGE: commands_page.parts(),
        api_page.PAGE: {"routes": api_page.routes(document), "shapes": api_page.shapes(document)},
        wire_page.PAGE: {"events": wire_page.events(), "shapes": wire_page.shapes()},
        decisions_page.PAGE: {"decisions": decisions_page.index((ROOT / decisions_page.PAGE).parent)},
    }
    written = {name: with_parts(texts[name], part) for name, part in parts.items()}
    return written | {settings_page.PAGE: settings_page.page(texts[settings_page.PAGE])}


PAGES = (
    api_page.PAGE,
    commands_page.PAGE,
    decisions_page.PAGE,
    errors_page.PAGE,
    metrics_page.PAGE,
    settings_page.PAGE,
    traces_page.PAGE,
    wire_page.PAGE,
)
