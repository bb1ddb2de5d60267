"""Arguments as models write them: what is almost JSON is read, and what reads in two ways is not."""

from time import process_time
from typing import Any

import pytest

from bridge.models.agent.tools.arguments import sendable_call
from bridge.models.agent.tools.engine_toolbox import EngineToolbox
from tests.support.calls.engine_harness import EngineHarness
from tests.support.documents.compiled import document_text
from tests.support.models.toolbox_harness import ToolboxHarness, call_named, output_json
from tests.support.models.turn_harness import SETTINGS

pytestmark = pytest.mark.asyncio


async def shop() -> tuple[ToolboxHarness, EngineToolbox]:
    harness = ToolboxHarness(EngineHarness(None))
    await harness.engine_harness.add(document_text())
    return harness, await harness.toolbox(settings=SETTINGS)


async def output_of(toolbox: EngineToolbox, name: str, arguments: str) -> Any:
    """What a model reads of one call."""
    (output,) = await toolbox.run_calls([call_named(name, arguments)], ())
    return output_json(output)


@pytest.mark.parametrize("arguments", ["null", " null\n"])
async def test_null_is_no_arguments_where_none_are_required(arguments: str) -> None:
    """Finding W-16: models write it for a tool without parameters; "" and white space were taken already."""
    harness, toolbox = await shop()
    assert await output_of(toolbox, "listProducts", arguments) == {"ok": 1}
    assert harness.engine_harness.pages.sent[0].request.arguments_text == "{}"


@pytest.mark.parametrize(
    ("arguments", "sent"),
    [
        ('{"name": "a\nb"}', '{"name": "a\\nb"}'),
        ('{"name": "a\tb\r\nc \\"d\\""}', '{"name": "a\\tb\\r\\nc \\"d\\""}'),
        ('```json\n{"name": "tea", "n": 1.10}\n```', '{"name": "tea", "n": 1.10}'),
        ('```\n{"name": "12345678901234567890123"}```\n', '{"name": "12345678901234567890123"}'),
        ('```JSON {"name": "```"} ```', '{"name": "```"}'),
        ("```json\n{'name': 'tea', 'hot': True}\n```", '{"name":"tea","hot":true}'),
    ],
)
async def test_arguments_that_are_almost_json_are_read(arguments: str, sent: str) -> None:
    """Finding W-16: a raw line feed, a tab, a fence; each costs weak models their only way to the tool."""
    harness, toolbox = await shop()
    assert await output_of(toolbox, "addProduct", arguments) == {"ok": 1}
    assert harness.engine_harness.pages.sent[0].request.arguments_text == sent
    item = call_named("addProduct", arguments).item
    assert sendable_call(item)["arguments"] == sent


@pytest.mark.parametrize(
    "arguments",
    [
        '{"name": "a"}{"name": "b"}',
        '```json\n{"name": "a"}\n``` and ```{"name": "b"}```',
        '{"name": "a',
        '{"name": "a\\\nb"} or not',
        "nul",
        "[]",
    ],
)
async def test_what_reads_in_two_ways_or_in_none_is_refused(arguments: str) -> None:
    """Finding W-16: a guess would be an argument that nobody wrote."""
    harness, toolbox = await shop()
    assert "error" in await output_of(toolbox, "addProduct", arguments)
    assert harness.engine_harness.pages.sent == []


async def test_a_text_that_never_ends_is_read_once() -> None:
    """120 KB took 15 s, and a mebibyte an hour, in which nobody else was served; any request may have it."""
    began = process_time()
    item = call_named("addProduct", '{"' + '\\"' * 60_000).item
    assert sendable_call(item)["arguments"] == "{}"
    assert process_time() - began < 5
