"""What an API itself says went wrong."""

import pytest

from toolserver.answer.problem_details import problem_text


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            '{"title": "Out of stock", "detail": "Only 2\\nleft.", "status": 409}',
            "Out of stock: Only 2 left.",
        ),
        ('{"error": {"message": "No such pet", "code": 7}}', "No such pet"),
        ('{"error": "invalid_grant", "error_description": "Expired"}', "Expired: invalid_grant"),
        ('{"message": "Nope", "detail": "Nope"}', "Nope"),
        ('{"detail": [{"loc": ["q"]}]}', ""),
        ("[1]", ""),
        ("{", ""),
        ("<problem><title>No</title></problem>", ""),
    ],
)
def test_an_api_that_says_what_went_wrong_is_quoted(body: str, said: str) -> None:
    """The reason is what a model needs to try again better (RFC 9457 and what came before it)."""
    assert problem_text(body) == said


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            '{"detail": [{"loc": ["body", "item", "price"], "msg": "field required", "type": "missing"}]}',
            "item.price: field required",
        ),
        ('{"detail": [{"loc": ["query"], "msg": "too short"}]}', "query: too short"),
        (
            '{"title": "Not valid.", "errors": {"Name": ["is required", "is short"], "Age": ["is -1"]}}',
            "Not valid: Name: is required, is short; Age: is -1",
        ),
        ('{"errors": ["Name can\'t be blank"]}', "Name can't be blank"),
        (
            '{"errors": [{"status": "422", "title": "Invalid", "detail": "Too long",'
            ' "source": {"pointer": "/data/attributes/name"}}]}',
            "/data/attributes/name: Too long",
        ),
        (
            '{"error": "Bad Request", "errors": [{"field": "name", "defaultMessage": "must not be null"}]}',
            "Bad Request: name: must not be null",
        ),
        ('{"message": "No", "errors": [1, null, {}, {"code": 3}], "detail": {"a": 1}}', "No"),
    ],
)
def test_single_errors_are_told_with_their_place(body: str, said: str) -> None:
    """Which field is wrong is what a model has to correct; FastAPI, ASP.NET, Rails, JSON:API, Spring."""
    assert problem_text(body) == said


def test_many_errors_are_counted_and_a_long_line_is_cut() -> None:
    """It stands in an error message, beside the whole answer."""
    errors = ",".join(f'"e{number}"' for number in range(8))
    assert problem_text(f'{{"errors": [{errors}]}}') == "e0; e1; e2; e3; e4; and 3 more"
    assert len(problem_text('{"title":"' + "x" * 900 + '"}')) == 500
