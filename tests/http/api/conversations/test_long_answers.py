"""Long answers in conversations: outlines, of which their model selects."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.conversation_client import open_conversation
from tests.support.models.model_answers import calls, text
from tests.support.models.model_bridge import shop_bridge
from tests.support.models.scripted_provider import ProviderRequest, Script, ScriptedProvider, Step, script
from tests.support.running_bridge import json_answer, page_of

pytestmark = pytest.mark.asyncio

LIST = calls(("listProducts", {"limit": 2}))


async def test_a_long_answer_is_an_outline_of_which_the_model_selects_in_the_same_turn(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    """Ruling 55: what a conversation keeps is short, and all of the answer is within reach at once."""
    products = [{"id": number, "price": number / 4, "text": "green " * 40} for number in range(1, 400)]

    async def long(_call: dict[str, Any]) -> dict[str, Any]:
        return json_answer({"products": products})

    def select(asked: ProviderRequest, number: int) -> Sequence[Step]:
        output = json.loads(next(each for each in asked.body["input"] if "output" in each)["output"])
        arguments = {"call_id": output["call_id"], "select": "products[?price == `20.25`].id"}
        return script(calls(("read_result", arguments))).write(asked, number)

    provider.play(LIST, Script(select), text("Number 81."))
    async with (
        shop_bridge(tmp_path, provider) as bridge,
        page_of(bridge, bridge.local_user.id, long),
        open_conversation(bridge) as client,
    ):
        await client.say("What costs 20.25?")
    outline, selected = [each["output"] for each in provider.requests[-1].body["input"] if "output" in each]
    assert len(outline) < 8 * 1024
    shape = "{products: [399 of {id: integer, price: number, text: string}]}"
    assert json.loads(outline)["outline"]["shape"] == shape
    assert json.loads(selected) == {"selected": [81]}
    offered = {tuple(tool["name"] for tool in asked.body["tools"]) for asked in provider.requests}
    assert len(offered) == 1, "no answer changes what a model is offered"
