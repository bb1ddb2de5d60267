"""What a caller reads of an API's answer."""

from collections.abc import Mapping

import orjson
import pytest

from toolserver.result import Answered, FileBody, Rendered, TextBody, media_type, problem_text, render_answer


def render(
    text: str | None,
    content_type: str = "application/json",
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    inline: bool = False,
) -> Rendered:
    body = None if text is None else TextBody(text)
    return rendered(Answered(status, content_type, headers or {}, body), inline=inline)


def rendered(answered: Answered, *, inline: bool = False) -> Rendered:
    return render_answer(
        answered, call_id="call_1", file_url=lambda file: f"/files/{file.file_id}", allow_inline_html=inline
    )


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ('{"id": 12345678901234567890, "price": 1.10}', b'{"id": 12345678901234567890, "price": 1.10}'),
        ('\ufeff {"a": 1}\n', b'{"a": 1}'),
        ("[1, 2]", b'{"result":[1, 2]}'),
        ("null", b'{"result":null}'),
        ("12345678901234567890123", b'{"result":12345678901234567890123}'),
        ('"x"', b'{"result":"x"}'),
    ],
)
def test_json_is_spliced_as_it_came(text: str, body: bytes) -> None:
    """Reading and writing it again would change large integers and the form of numbers.

    A bare list of two is taken for an answer and its headers by Open WebUI, and null for a failure.
    """
    assert render(text) == Rendered(body, "application/json")


@pytest.mark.parametrize(
    "content_type", ["application/problem+json", "text/json", "Application/JSON; charset=utf-8"]
)
def test_all_types_of_json_count(content_type: str) -> None:
    """Media types have suffixes, parameters and any case."""
    assert render('{"a":1}', content_type).body == b'{"a":1}'


@pytest.mark.parametrize("text", ["{", '{"a": NaN}', "<html>", '{"a":1}{"b":2}', r'{"a":"\ud800"}'])
def test_text_that_only_claims_to_be_json_is_text(text: str) -> None:
    """Spliced into our answer it would make that unreadable."""
    assert orjson.loads(render(text).body) == {"text": text, "content_type": "application/json"}


@pytest.mark.parametrize(("text", "status"), [(None, 204), (None, 200), ("", 201)])
def test_an_empty_answer_is_its_status(text: str | None, status: int) -> None:
    """An empty body reads as no answer at all."""
    assert orjson.loads(render(text, status=status).body) == {"status": status}


@pytest.mark.parametrize(
    ("content_type", "shown"),
    [("text/plain", "text/plain"), ("", "text/plain"), ("application/x-ndjson", "application/x-ndjson")],
)
def test_text_says_what_it_is(content_type: str, shown: str) -> None:
    """A model reads CSV, XML and logs differently."""
    assert orjson.loads(render("a\nb", content_type).body) == {"text": "a\nb", "content_type": shown}


def test_text_with_half_a_surrogate_pair_still_becomes_an_answer() -> None:
    """It cannot be written as UTF-8, and a crash would lose the whole answer."""
    assert orjson.loads(render("a\ud800", "text/plain").body)["text"] == "a?"


@pytest.mark.parametrize(
    ("total", "kept"),
    [(None, {"bytes_kept": 3}), (900, {"bytes_kept": 3, "bytes_total": 900})],
)
def test_a_cut_answer_says_so_and_names_the_call(total: int | None, kept: dict[str, int]) -> None:
    """The rest can be read by the id of the call; half of a JSON text is no JSON."""
    answered = Answered(200, "application/json", {}, TextBody("[é"), truncated=True, total_bytes=total)
    assert orjson.loads(rendered(answered).body) == {
        "text": "[é",
        "content_type": "application/json",
        "truncated": kept,
        "call_id": "call_1",
    }


def test_an_image_is_the_answer_itself() -> None:
    """Open WebUI passes images on to the model only as raw bodies."""
    file = FileBody("f1", 70)
    assert rendered(Answered(200, "image/png", {}, file)) == Rendered(b"", "image/png", file=file)


@pytest.mark.parametrize(
    ("content_type", "mime"), [("application/pdf; a=b", "application/pdf"), ("", "application/octet-stream")]
)
def test_any_other_file_is_a_link(content_type: str, mime: str) -> None:
    """Base64 text floods the context of a model that cannot read it."""
    assert orjson.loads(rendered(Answered(200, content_type, {}, FileBody("f1", 70))).body) == {
        "file": {"url": "/files/f1", "mime": mime, "bytes": 70}
    }


INLINE = {"content-disposition": "inline; filename=x", "location": "https://api.example/view", "x-other": "1"}


def test_inline_html_is_an_embed_only_where_both_sides_want_it() -> None:
    """A page of a foreign API runs scripts in the user's chat."""
    page = "<p>é</p>"
    assert render(page, "text/html", headers=INLINE, inline=True) == Rendered(
        page.encode(), "text/html; charset=utf-8", {"content-disposition": "inline; filename=x"}
    )
    text = {"text": page, "content_type": "text/html"}
    assert orjson.loads(render(page, "text/html", headers=INLINE).body) == text
    assert orjson.loads(render(page, "text/html", inline=True).body) == text
    attachment = {"content-disposition": "attachment"}
    assert orjson.loads(render(page, "text/html", headers=attachment, inline=True).body) == text


def test_half_a_page_is_never_embedded() -> None:
    """A cut page can run the wrong half of a script."""
    answered = Answered(200, "text/html", {"content-disposition": "inline"}, TextBody("<p"), truncated=True)
    assert orjson.loads(rendered(answered, inline=True).body)["truncated"] == {"bytes_kept": 2}


def test_an_inline_address_is_passed_on_for_a_frame() -> None:
    """Open WebUI shows the page at `Location`; anything but the web is not shown."""
    assert render(None, headers=INLINE, inline=True) == Rendered(
        b'{"status":200}',
        "application/json",
        {"content-disposition": "inline; filename=x", "location": "https://api.example/view"},
    )
    script = {**INLINE, "location": "javascript:alert(1)"}
    assert render('{"a":1}', headers=script, inline=True) == Rendered(b'{"a":1}', "application/json")


@pytest.mark.parametrize(
    ("header", "mime"), [("Text/HTML; charset=x", "text/html"), ("", ""), (" a/b ", "a/b")]
)
def test_a_media_type_is_read_without_its_parameters(header: str, mime: str) -> None:
    """Servers write them in every case and form."""
    assert media_type(header) == mime


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        ("application/x-ndjson", '{"a":1.10}\n\n[2]\r\n'),
        ("application/json-seq", '\x1e{"a":1.10}\n\x1e[2]\n'),
        ("text/event-stream", 'event: x\ndata: {"a":1.10}\n\n: ping\n\ndata: [2]\n\ndata: [DONE]\n\n'),
    ],
)
def test_lines_of_json_become_items(content_type: str, text: str) -> None:
    """A model reads one list more easily than a stream's frames, and numbers stay as they came."""
    assert render(text, content_type).body == b'{"items":[{"a":1.10},[2]]}'


def test_a_cut_sequence_ends_with_its_last_whole_item() -> None:
    """Half an item is worth nothing and would make the answer unreadable."""
    cut = Answered(200, "application/jsonl", {}, TextBody('{"a":1}\n{"a":'), truncated=True, total_bytes=90)
    assert orjson.loads(rendered(cut).body) == {
        "items": [{"a": 1}],
        "truncated": {"bytes_kept": 13, "bytes_total": 90},
        "call_id": "call_1",
    }


@pytest.mark.parametrize("text", ["plain\nlines", '{"a":1}\nrest', "data: hello\n\n"])
def test_sequences_that_are_no_json_are_text(text: str) -> None:
    """Streams of words are common; a model reads them as they are."""
    for content_type in ("application/x-ndjson", "text/event-stream"):
        assert "text" in orjson.loads(render(text, content_type).body)


@pytest.mark.parametrize(
    ("text", "said"),
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
    ],
)
def test_an_api_that_says_what_went_wrong_is_quoted(text: str, said: str) -> None:
    """The reason is what a model needs to try again better (RFC 9457 and what came before it)."""
    assert problem_text(Answered(409, "application/problem+json", {}, TextBody(text))) == said


def test_a_long_problem_is_cut_and_other_answers_say_nothing() -> None:
    """It stands in an error message, beside the whole answer."""
    long = TextBody('{"title":"' + "x" * 900 + '"}')
    assert len(problem_text(Answered(400, "application/json", {}, long))) == 500
    assert problem_text(Answered(400, "text/plain", {}, TextBody('{"title":"x"}'))) == ""
    assert problem_text(Answered(400, "application/json", {}, None)) == ""
