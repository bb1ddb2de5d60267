"""What a conversation adds to its system prompt."""

from bridge.models.conversations.prompt import MAX_DESCRIPTION_CHARS, NO_TOOLS, ListedTool, build_instructions


def test_the_prompt_says_that_there_are_no_tools() -> None:
    """S3-12: else models pretend to have some."""
    assert build_instructions("Be brief. ", [], []) == f"Be brief.\n\n## Available Tools\n\n{NO_TOOLS}"


def test_the_prompt_lists_tools_by_a_line_each() -> None:
    """S3-12: long descriptions stand in the definitions."""
    tools = [ListedTool("look", "Looks.\nIn detail."), ListedTool("add", ""), ListedTool("x", "y" * 500)]
    lines = build_instructions("", tools, []).splitlines()
    assert lines[:4] == ["## Available Tools", "", "- look: Looks.", "- add"]
    assert len(lines[4]) == len("- x: ") + MAX_DESCRIPTION_CHARS


def test_the_context_comes_last() -> None:
    """S3-12: texts as they are, objects as JSON."""
    prompt = build_instructions("Hi", [], ["Spring", {"a": 1}])
    assert prompt.endswith('## Context Information\n\n- Spring\n- {"a":1}')
