"""Which outputs a model can still read."""

import pytest

from bridge.models.agent.items import Item, message_item
from bridge.models.agent.loop.context_budget import ContextBudget
from bridge.models.agent.model import ModelRequest
from bridge.models.agent.toolbox import CallOutput
from bridge.models.agent.turn import CallEnded, CallFile, Notice, TurnSettings
from bridge.settings.chat.models import ModelSettings
from tests.support.models.turn_harness import FakeToolbox, ScriptedModel, TurnHarness, call, round_of
from tests.support.models.turn_harness import text as said_text


def budget(tokens: int, *items: Item) -> ContextBudget:
    return ContextBudget(tokens, ModelRequest("m", items or (message_item("user", "Hi"),)))


def test_a_result_that_does_not_fit_is_told_by_its_size() -> None:
    """S0-147: in words that tell a model what to do instead."""
    read = budget(1000).fit_output(
        CallOutput("x" * 1_000_001, has_succeeded=True, files=(CallFile("file", "u", "text/csv"),))
    )
    assert read.text == (
        "[Tool result omitted due to context budget. Result size: 1,000,001 chars (~250,001 tokens). "
        "Remaining prompt budget: ~980 tokens. "
        "If needed, re-run the tool with a narrower query or explicit result limit.]"
    )
    assert (read.has_succeeded, read.files) == (True, ())


def test_a_result_that_fits_stays_and_takes_its_room() -> None:
    """S0-147: two results of one round share what is left."""
    shared = budget(1000)
    first, second = (CallOutput(letter * 2500, has_succeeded=True) for letter in "ab")
    assert shared.fit_output(first) is first
    assert "Remaining prompt budget: ~355 tokens." in shared.fit_output(second).text


def test_tools_that_do_not_fit_are_not_loaded() -> None:
    """Issue 41, 6: what a search loads counts as what any call returns."""
    function: Item = {"type": "function", "name": "x", "description": "y" * 8000}
    found = CallOutput("{}", has_succeeded=True, loaded=(function,))
    assert budget(1000).fit_output(found).loaded == ()
    assert budget(10_000).fit_output(found) is found


def test_what_is_shorter_than_the_words_about_it_stays() -> None:
    """S0-147: to leave it out would cost more than it does."""
    short = CallOutput('{"ok": true}', has_succeeded=True)
    assert budget(1).fit_output(short) is short


def test_pictures_count_as_pictures_not_as_letters() -> None:
    """A photograph of 2 MB is not half a million tokens; nothing would ever fit beside it."""
    picture: Item = {
        "role": "user",
        "content": [
            {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 2_000_000},
            {"type": "input_file", "file_data": "A" * 2_000_000},
        ],
    }
    output = CallOutput("x" * 4000, has_succeeded=True)
    assert budget(5000, picture).fit_output(output) is output
    assert budget(4000, picture).fit_output(output) is not output


@pytest.mark.parametrize(
    ("known", "tokens"),
    [
        ({}, 128_000),
        ({"max_completion_tokens": 5}, 128_000),
        ({"context_tokens": 8000}, 8000),
        ({"context_tokens": 8000, "max_completion_tokens": 3000}, 5000),
        ({"context_tokens": 8000, "max_completion_tokens": 8000}, 8000),
        ({"context_tokens": 8000, "max_completion_tokens": 3000, "max_prompt_tokens": 7000}, 7000),
    ],
)
def test_how_much_a_model_reads_is_found_from_what_is_known(known: dict[str, int], tokens: int) -> None:
    """S0-147: the prompt's own limit, else the context without the answer, else the context, else 128,000."""
    assert ModelSettings.model_validate({"id": "m", "provider": "p", **known}).prompt_tokens == tokens


@pytest.mark.asyncio
async def test_a_result_left_out_reaches_neither_the_model_nor_the_reader() -> None:
    """S0-147: the round goes on, the event says that it is not to be kept, and the user is told."""
    model = ScriptedModel([round_of(call("big"), call("small", call_id="c2")), round_of(said_text("Done."))])
    tools = FakeToolbox(["big", "small"])
    tools.answers = {"big": CallOutput("x" * 9000, True), "small": CallOutput("{}", True)}
    turn = TurnHarness(model, tools, TurnSettings(model="m", prompt_tokens=1000))
    result = await turn.run()
    read = {str(item["call_id"]): str(item["output"]) for item in model.requests[1].input[-2:]}
    assert read["c1"].startswith("[Tool result omitted due to context budget. Result size: 9,000 chars")
    assert read["c2"] == "{}"
    assert [ended.is_omitted for ended in turn.of_kind(CallEnded)] == [True, False]
    [notice] = turn.of_kind(Notice)
    assert "'big' is too long" in notice.text
    assert result.status == "completed"
