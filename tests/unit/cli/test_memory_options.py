"""What the environment says of memory."""

import argparse

import pytest

from bridge.cli.storage_options import memory_settings
from bridge.settings.bridge import MemorySettings


def test_without_a_word_everything_is_remembered() -> None:
    """S0-130, S0-140, S0-141: the defaults of the source documents."""
    assert memory_settings({}) == MemorySettings(True, "conversation", 10)


def test_each_setting_has_its_variable() -> None:
    """S4-23: the names are those of the programs whose job this one takes over."""
    said = {
        "PERSIST_TOOL_RESULTS": " False ",
        "PERSIST_REASONING_TOKENS": "NEXT_REPLY",
        "TOOL_OUTPUT_RETENTION_TURNS": "0",
    }
    assert memory_settings(said) == MemorySettings(False, "next_reply", 0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PERSIST_TOOL_RESULTS", "perhaps"),
        ("PERSIST_REASONING_TOKENS", "sometimes"),
        ("TOOL_OUTPUT_RETENTION_TURNS", "-1"),
        ("TOOL_OUTPUT_RETENTION_TURNS", "ten"),
    ],
)
def test_a_value_that_cannot_be_used_stops_the_start(name: str, value: str) -> None:
    """The message names the variable and what it may say."""
    with pytest.raises(argparse.ArgumentTypeError, match=name):
        memory_settings({name: value})
