"""What the bridge shows of an error that a provider of models answers with."""

from __future__ import annotations

import json
import time

import pytest

from bridge.models.providers.error_words import error_of, is_error
from bridge.models.providers.errors import MAX_MESSAGE_CHARS, Failures

WORDS = "The model takes no tools."
FAILURES = Failures("acme", "sk-secret")

SHAPES: dict[str, object] = {
    "OpenAI": {"error": {"message": WORDS, "type": "invalid_request_error", "code": None}},
    "a text": WORDS,
    "a text in `error`": {"error": WORDS},
    "a text in `message`": {"message": WORDS},
    "a text in `detail`": {"detail": WORDS},
    "vLLM": {"object": "error", "message": WORDS, "type": "BadRequestError", "code": 400},
    "Google's list": [{"error": {"code": 400, "message": WORDS, "status": "INVALID_ARGUMENT"}}],
    "an object in `detail`": {"detail": {"error": {"message": WORDS}}},
    "Spring": {"status": 400, "error": "Bad Request", "message": WORDS, "path": "/v1"},
    "problem details": {"type": "about:blank", "title": "Bad Request", "status": 400, "detail": WORDS},
    "AWS": {"Message": WORDS},
    "Cloudflare": {"success": False, "errors": [{"code": 1000, "message": WORDS}], "result": None},
    "Baidu": {"error_code": 336, "error_msg": WORDS},
    "MiniMax": {"base_resp": {"status_code": 1004, "status_msg": WORDS}},
    "Apigee": {"fault": {"faultstring": WORDS, "detail": {"errorcode": "x"}}},
    "JSON in a text": {"error": {"message": json.dumps({"error": {"message": WORDS}}), "code": 400}},
    "a page": f"<!DOCTYPE html><html><head><TITLE>\n {WORDS}\n</TITLE></head><body>…</body></html>",
    "a page without title": f"<html><body><h1 class='x'>{WORDS}</h1></body></html>",
    "XML": f"<?xml version='1.0'?><Error><Code>No</Code><Message>{WORDS}</Message></Error>",
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
@pytest.mark.parametrize("status", [400, 502, None])
def test_a_providers_words_are_read_in_each_shape(shape: object, status: int | None) -> None:
    """Finding I-L4: each of these said only "did not accept the request", or "Bad Request"."""
    assert FAILURES.of_body(shape, status=status).message.endswith(f": {WORDS}")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            {"detail": [{"loc": ["body", "tools", 0], "msg": "Field required", "type": "missing"}]},
            "body.tools.0: Field required",
        ),
        (
            {"errors": {"model": ["is unknown", "is old"], "n": "too many"}},
            "model: is unknown; is old; n: too many",
        ),
        (
            {
                "error": {
                    "message": "Provider returned error",
                    "metadata": {"raw": '{"error":{"message":"No"}}'},
                }
            },
            "Provider returned error: No",
        ),
        ([{"error": {"message": "a"}}, {"error": {"message": "b"}}], "a"),
        ('{"half": ', '{"half":'),
    ],
)
def test_words_that_have_a_place_or_a_cause_keep_it(body: object, words: str) -> None:
    """Finding I-L4: of what FastAPI, Rails and ASP.NET refuse, and what a router passes on, both are told."""
    assert error_of(body)["message"] == words


@pytest.mark.parametrize(
    "body", [None, 7, {}, [], "", "<html><body>…</body></html>", "<", "<title>", {"error": {}}]
)
def test_an_error_without_words_is_told_by_its_status(body: object) -> None:
    """A page's markup, or nothing, is no sentence."""
    assert FAILURES.of_body(body, status=429).message == "The provider acme accepts no more requests for now."


def test_no_words_hold_the_key_or_are_without_end() -> None:
    """The key is taken out before the words are cut, so no half of it stays at the end."""
    long = "x" * (MAX_MESSAGE_CHARS - 4) + "sk-secret"
    assert "sk-" not in FAILURES.of_body({"detail": [{"msg": long}]}, status=400).message
    in_objects: object = WORDS
    in_lists: object = WORDS
    for _ in range(900):
        in_objects, in_lists = {"error": in_objects}, [in_lists]
    for deep in (in_objects, in_lists):
        assert FAILURES.of_body(deep, status=400).message == "The provider acme did not accept the request."


def test_words_within_words_are_read_in_time() -> None:
    """A text of JSON in a text of JSON, and a page that never ends, cost no more than their length."""
    text = json.dumps({"message": WORDS})
    for _ in range(12):
        text = json.dumps({"message": text})
    before = time.process_time()
    assert error_of(text)["message"]
    assert error_of("<title>" * 40_000) == {}
    assert time.process_time() - before < 1


def test_a_chunk_of_an_answer_is_no_error_for_what_it_is_called() -> None:
    """Members of good chunks must not end an answer."""
    assert not is_error({"choices": [], "base_resp": {"status_code": 0, "status_msg": "success"}})
    assert not is_error({"id": "x", "reason": "stop", "description": "the last"})
    assert is_error({"Message": WORDS})


def test_a_letter_that_is_longer_in_lower_case_moves_no_words() -> None:
    """A Turkish page's own title was cut at the wrong places, or told was the end of the page."""
    page = f"<html><!-- {'İ' * 20} --><TITLE>502 Kötü ağ geçidi</TITLE></html>"
    assert error_of(page) == {"message": "502 Kötü ağ geçidi"}
