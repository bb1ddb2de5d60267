"""An image that a provider made, as the text of an answer shows it."""

from __future__ import annotations

from bridge.agent.items import Item
from toolserver.json_types import text_at


def image_paragraph(item: Item) -> str:
    """Markdown of an `image_generation_call`; "" while it has no image."""
    result = text_at(item, "result")
    return f"![Image](data:image/{text_at(item, 'output_format') or 'png'};base64,{result})" if result else ""
