"""Responses requests: almost everything passes as it came."""

from typing import Any

import pytest

from bridge.models.agent.request_fields import InvalidRequest
from bridge.models.agent.responses.request_parser import parse_responses_request


def test_items_pass_as_they_came() -> None:
    """W-21: members that nobody here knows are the provider's affair."""
    items: list[Any] = [
        {"role": "user", "content": "Hi", "x_unknown": 1},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"},
        {"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "1"},
        {"role": "assistant", "content": [{"type": "output_text", "text": "said", "annotations": []}]},
    ]
    request = parse_responses_request({"model": "m", "input": items})
    assert list(request.input) == items


def test_a_text_is_a_message_of_the_user() -> None:
    """The shortest request there is."""
    request = parse_responses_request({"model": "m", "input": "Hi", "instructions": "Be brief."})
    content = [{"type": "input_text", "text": "Hi"}]
    assert request.input == ({"type": "message", "role": "user", "content": content},)
    assert request.instructions == "Be brief."


def test_options_pass_as_they_came() -> None:
    """S4-09: the provider judges them; what is null was not said."""
    members: dict[str, Any] = {
        "truncation": "auto",
        "include": ["x"],
        "text": {"format": {"type": "text"}},
        "y": [1],
    }
    request = parse_responses_request(
        {"model": "m", "input": "Hi", **members, "temperature": None, "stream": True, "background": True}
    )
    assert request.options == members
    assert (request.streams, request.background, request.stores) == (True, True, True)
    assert request.streams


def test_shown_calls_are_taken_out_of_what_the_model_said() -> None:
    """S4-02: in both forms of a message; one in which nothing else stood is left out."""
    block = '<details type="reasoning" done="true">\n<summary>Thought</summary>\nhm\n</details>\n'
    request = parse_responses_request(
        {
            "model": "m",
            "input": [
                {"role": "assistant", "content": f"{block}One."},
                {
                    "role": "assistant",
                    "content": [
                        {"type": "output_text", "text": f"{block}Two."},
                        {"type": "refusal", "refusal": "r"},
                    ],
                },
                {"role": "assistant", "content": block},
                {"role": "user", "content": block},
            ],
        }
    )
    assert request.input == (
        {"role": "assistant", "content": "One."},
        {
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Two."}, {"type": "refusal", "refusal": "r"}],
        },
        {"role": "user", "content": block},
    )


def test_the_providers_own_template_may_be_all_that_is_asked() -> None:
    """`prompt` names a stored prompt of the provider, whose variables are the input."""
    request = parse_responses_request({"model": "m", "prompt": {"id": "pmpt_1"}})
    assert request.input == ()
    assert request.options == {"prompt": {"id": "pmpt_1"}}


MISSING, TYPE, UNSUPPORTED = "missing_required_parameter", "invalid_type", "unsupported_parameter"


def body(value: Any = "x", **members: Any) -> dict[str, Any]:
    return {"model": "m", "input": value, **members}


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"model": "m"}, "input", MISSING),
    (body(1), "input", TYPE),
    (body([]), "input", "invalid_value"),
    (body([1]), "input[0]", TYPE),
    (body(model=""), "model", "invalid_value"),
    (body(instructions=[]), "instructions", TYPE),
    (body(conversation="conv_1"), "conversation", UNSUPPORTED),
    (body(background=True, store=False), "background", "invalid_value"),
    (body([{"type": "item_reference"}]), "input[0].id", "missing_required_parameter"),
]


@pytest.mark.parametrize(("wrong", "param", "code"), WRONG)
def test_what_cannot_be_done_is_named(wrong: dict[str, Any], param: str, code: str) -> None:
    """A program that counts on what is not there must learn it at once."""
    with pytest.raises(InvalidRequest) as refused:
        parse_responses_request(wrong)
    assert (refused.value.param, refused.value.code) == (param, code)
    assert param in refused.value.message
