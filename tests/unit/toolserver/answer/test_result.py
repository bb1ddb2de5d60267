"""What a caller reads of an API's answer."""

from collections.abc import Mapping
from dataclasses import replace

import orjson
import pytest

from toolserver.answer.problem_details import problem_text
from toolserver.answer.response_headers import ANSWER_HEADERS
from toolserver.answer.result import (
    CUT_BY_SIZE,
    CUT_BY_STOP,
    CUT_BY_TIME,
    FILE_NOT_STORED,
    LOST,
    NOT_STORED,
    READ_ON,
    Answered,
    FileBody,
    Rendered,
    TextBody,
    render_answer,
)


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
        answered, call_id="call_1", file_url=lambda file_id: f"/files/{file_id}", allow_inline_html=inline
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


@pytest.mark.parametrize("text", ["{", '{"a": nothing}', "<html>", '{"a":1}{"b":2}', '{"a": NaNs}'])
def test_text_that_only_claims_to_be_json_is_text(text: str) -> None:
    """Spliced into our answer it would make that unreadable."""
    assert orjson.loads(render(text).body) == {"text": text, "content_type": "application/json"}


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ('{"a": NaN, "b": 1.10}', b'{"a": "NaN", "b": 1.10}'),
        ("[1E400, -Infinity, nan, inf]", b'{"result":["1E400", "-Infinity", "nan", "inf"]}'),
        ('{"n": 1' + "0" * 400 + "}", b'{"n": "1' + b"0" * 400 + b'"}'),
        ('{"a": "NaN", "b": "1e999 \\" Infinity", "c": -1e999}', None),
        (
            r'{"a": "cut \ud83d", "b": "\ud83d\ude00 \\ud83d"}',
            rb'{"a": "cut \ufffd", "b": "\ud83d\ude00 \\ud83d"}',
        ),
    ],
)
def test_json_with_what_json_has_not_is_json_for_its_other_fields(text: str, body: bytes | None) -> None:
    """Finding O-16: one such number, or half a character, cost a caller every field of the answer."""
    expected = body or text.replace("-1e999", '"-1e999"').encode()
    assert render(text).body == expected
    orjson.loads(expected)


def test_a_problem_and_the_beginning_of_a_list_keep_their_fields_too() -> None:
    """Finding O-16: errors, lines and cut lists are read by the same rule."""
    assert problem_text('{"detail": "too hot", "value": Infinity}') == "too hot"
    assert render('{"a":NaN}\n{"a":1}\n', "application/jsonl").body == b'{"items":[{"a":"NaN"},{"a":1}]}'
    assert render("data: [1e999]\n\n", "text/event-stream").body == b'{"items":[["1e999"]]}'


def test_events_keep_their_names_and_ids() -> None:
    """Finding O-16: the data of "deleted" and of "created" look alike, and a stream goes on after an id."""
    text = 'event: created\nid: 7\ndata: {"n": 0}\n\ndata: 1\nid:8\n\nevent: ping\n\n'
    assert render(text, "text/event-stream").body == (
        b'{"items":[{"event":"created","id":"7","data":{"n": 0}},{"id":"8","data":1}]}'
    )


@pytest.mark.parametrize(("text", "status"), [(None, 204), (None, 200), ("", 201)])
def test_an_empty_answer_is_its_status(text: str | None, status: int) -> None:
    """An empty body reads as no answer at all."""
    assert orjson.loads(render(text, status=status).body) == {"status": status}


def test_an_answer_whose_body_was_lost_tells_its_status_and_that() -> None:
    """What the API did is known; only what it said is not."""
    lost = rendered(Answered(201, "application/zip", {}, None, truncated=True))
    assert orjson.loads(lost.body) == {"status": 201, "note": LOST}


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


@pytest.mark.parametrize(("total", "known"), [(None, {}), (900, {"bytes_total": 900})])
def test_an_answer_that_the_page_cut_says_so_and_how_much_there_is(
    total: int | None, known: dict[str, int]
) -> None:
    """A model that is not told believes it has read everything; half of a JSON text is no JSON."""
    answered = Answered(200, "application/json", {}, TextBody("[é"), truncated=True, total_bytes=total)
    assert orjson.loads(rendered(answered).body) == {
        "text": "[é",
        "content_type": "application/json",
        "truncated": {"bytes_shown": 3, "bytes_kept": 3, **known},
        "call_id": "call_1",
        "hint": CUT_BY_SIZE,
    }


def beginning(text: str, *, whole: int, kept: bool = True) -> TextBody:
    return TextBody(text, total_bytes=whole, stored_file=FileBody("u1/f1", whole) if kept else None)


def test_a_text_of_which_only_the_beginning_is_read_says_how_to_read_on() -> None:
    """`next_offset` counts characters, as `read_result` does; the sizes are bytes."""
    answered = Answered(200, "text/csv", {}, beginning("é,b\n", whole=70))
    assert orjson.loads(rendered(answered).body) == {
        "text": "é,b\n",
        "content_type": "text/csv",
        "truncated": {"bytes_shown": 5, "bytes_kept": 70, "bytes_total": 70},
        "call_id": "call_1",
        "next_offset": 4,
        "file": {"url": "/files/u1/f1", "mime": "text/csv", "bytes": 70},
        "hint": READ_ON,
    }


def test_a_cut_that_nobody_could_keep_says_that_too() -> None:
    """A full disk costs the rest of the answer, never the answer."""
    read = orjson.loads(
        rendered(Answered(200, "text/plain", {}, beginning("abc", whole=70, kept=False))).body
    )
    assert read["truncated"] == {"bytes_shown": 3, "bytes_kept": 3, "bytes_total": 70}
    assert read["hint"] == NOT_STORED
    assert "next_offset" not in read
    assert "file" not in read


def test_an_answer_over_all_limits_names_both() -> None:
    """What is kept can be read on; its end never came from the API."""
    answered = Answered(200, "text/plain", {}, beginning("abc", whole=70), truncated=True, cut_by="size")
    read = orjson.loads(rendered(answered).body)
    assert read["truncated"] == {"bytes_shown": 3, "bytes_kept": 70}
    assert read["hint"] == f"{READ_ON} {CUT_BY_SIZE}"
    slow = Answered(200, "text/event-stream", {}, TextBody(""), truncated=True, cut_by="time")
    assert orjson.loads(rendered(slow).body)["hint"] == CUT_BY_TIME
    stopped = replace(slow, cut_by="stop")
    assert orjson.loads(rendered(stopped).body)["hint"] == CUT_BY_STOP


def test_cut_json_keeps_whole_items() -> None:
    """What is read is JSON, numbers as they came; reading on begins with the next item."""
    text = '{"total":3,"rows":[{"n":12345678901234567890},{"n":2},{"n'
    read = rendered(Answered(200, "application/json", {}, beginning(text, whole=70)))
    assert b'"result":{"total":3,"rows":[{"n":12345678901234567890},{"n":2}]}' in read.body
    facts = orjson.loads(read.body)
    assert facts["truncated"] == {
        "bytes_shown": 54,
        "bytes_kept": 70,
        "bytes_total": 70,
        "items_shown": 2,
        "array": "/rows",
    }
    assert text[facts["next_offset"] :] == '{"n'


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
    inline = {"content-disposition": "inline; filename=x"}
    assert render(page, "text/html", headers=inline, inline=True) == Rendered(
        page.encode(), "text/html; charset=utf-8", inline
    )
    assert "location" not in render(page, "text/html", headers=INLINE, inline=True).headers
    text = {"text": page, "content_type": "text/html"}
    assert orjson.loads(render(page, "text/html", headers=inline).body) == {**text, "filename": "x"}
    assert orjson.loads(render(page, "text/html", inline=True).body) == text
    attachment = {"content-disposition": "attachment"}
    assert orjson.loads(render(page, "text/html", headers=attachment, inline=True).body) == text


def test_half_a_page_is_never_embedded() -> None:
    """A cut page can run the wrong half of a script."""
    answered = Answered(200, "text/html", {"content-disposition": "inline"}, TextBody("<p"), truncated=True)
    assert orjson.loads(rendered(answered, inline=True).body)["truncated"]["bytes_kept"] == 2


def test_a_page_for_the_eyes_is_embedded_whole_though_a_model_would_read_less() -> None:
    """Charts with their scripts take megabytes, and no model reads them."""
    headers = {"content-disposition": "inline"}
    answered = Answered(200, "text/html", headers, beginning("<p", whole=70))
    embedded = Rendered(b"", "text/html; charset=utf-8", headers, file=FileBody("u1/f1", 70))
    assert rendered(answered, inline=True) == embedded
    lost = Answered(200, "text/html", headers, beginning("<p", whole=70, kept=False))
    assert orjson.loads(rendered(lost, inline=True).body)["hint"] == NOT_STORED


def test_an_inline_address_is_passed_on_for_a_frame() -> None:
    """Open WebUI shows the page at `Location`; anything but the web is not shown."""
    assert render(None, headers=INLINE, inline=True) == Rendered(
        b'{"status":200}',
        "application/json",
        {"content-disposition": "inline; filename=x", "location": "https://api.example/view"},
    )
    script = {**INLINE, "location": "javascript:alert(1)"}
    shown = render('{"a":1}', headers=script, inline=True)
    assert (shown.body, shown.headers.keys()) == (b'{"a":1}', {ANSWER_HEADERS})


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        ("application/x-ndjson", '{"a":1.10}\n\n[2]\r\n'),
        ("application/json-seq", '\x1e{"a":1.10}\n\x1e[2]\n'),
        ("text/event-stream", 'event:\ndata: {"a":1.10}\n\n: ping\n\ndata: [2]\n\ndata: [DONE]\n\n'),
    ],
)
def test_lines_of_json_become_items(content_type: str, text: str) -> None:
    """A model reads one list more easily than a stream's frames, and numbers stay as they came."""
    assert render(text, content_type).body == b'{"items":[{"a":1.10},[2]]}'


@pytest.mark.parametrize(
    ("content_type", "text", "end"),
    [
        ("application/jsonl", '{"a":1}\n{"a":', 8),
        ("application/jsonl", '{"a":1}\n22', 8),
        ("text/event-stream", 'data: {"a":1}\r\n\r\ndata: {"a"', 17),
    ],
)
def test_a_cut_sequence_ends_with_its_last_whole_item(content_type: str, text: str, end: int) -> None:
    """Half an item is worth nothing, and 22 may have been 2200."""
    assert orjson.loads(rendered(Answered(200, content_type, {}, beginning(text, whole=90))).body) == {
        "items": [{"a": 1}],
        "truncated": {"bytes_shown": end, "bytes_kept": 90, "bytes_total": 90},
        "call_id": "call_1",
        "next_offset": end,
        "file": {"url": "/files/u1/f1", "mime": content_type, "bytes": 90},
        "hint": READ_ON,
    }


@pytest.mark.parametrize("text", ["plain\nlines", '{"a":1}\nrest', "data: hello\n\n"])
def test_sequences_that_are_no_json_are_text(text: str) -> None:
    """Streams of words are common; a model reads them as they are."""
    for content_type in ("application/x-ndjson", "text/event-stream"):
        assert "text" in orjson.loads(render(text, content_type).body)


@pytest.mark.parametrize("content_type", ["", "text/plain; charset=utf-8", "application/octet-stream"])
def test_json_of_a_type_that_says_nothing_is_json(content_type: str) -> None:
    """Many servers send it so. Only objects and arrays count: a bare number or word is more likely text."""
    assert render(' {"a":1.10}', content_type).body == b'{"a":1.10}'
    assert render("[1]", content_type).body == b'{"result":[1]}'
    for text in ("12", '"x"', "null", "[no", "{1}"):
        assert orjson.loads(render(text, content_type).body)["text"] == text
    assert orjson.loads(render("[1]", "text/csv").body)["text"] == "[1]"


def test_a_file_keeps_the_name_its_api_gave_it() -> None:
    """Users look for report.pdf, not for call_4f."""
    headers = {"content-disposition": 'attachment; filename="r.pdf"'}
    file = orjson.loads(rendered(Answered(200, "application/pdf", headers, FileBody("f1", 7))).body)["file"]
    assert file == {"url": "/files/f1", "mime": "application/pdf", "bytes": 7, "filename": "r.pdf"}
    text = {"text": "a,b", "content_type": "text/csv", "filename": "r.pdf"}
    assert orjson.loads(render("a,b", "text/csv", headers=headers).body) == text


@pytest.mark.parametrize("mime", ["image/png", "audio/wav"])
def test_a_file_without_room_is_named_but_has_no_address(mime: str) -> None:
    """A full disk is said; a dead link would be a riddle."""
    assert orjson.loads(rendered(Answered(200, mime, {}, FileBody(None, 70))).body) == {
        "file": {"mime": mime, "bytes": 70},
        "hint": FILE_NOT_STORED,
    }


def test_an_empty_answer_says_what_stands_in_its_headers() -> None:
    """Where the created thing is, is all that a 201 without a body says."""
    headers = {"location": "/pets/7", "date": "Sun", "content-length": "0", "x-total-count": "3"}
    assert orjson.loads(render(None, status=201, headers=headers).body) == {
        "status": 201,
        "headers": {"location": "/pets/7", "x-total-count": "3"},
    }


NEXT = {"link": '<https://a.example/?page=2>; rel="next"', "x-total-count": "57", "date": "today"}
TOLD = {name: NEXT[name] for name in ("link", "x-total-count")}
AS_HEADER = {ANSWER_HEADERS: orjson.dumps(TOLD).decode()}


def test_an_object_stays_as_it_is_and_its_headers_become_one() -> None:
    """Finding O-8, W-27: a member more would make it another object."""
    assert render('{"a": 1.10}', headers=NEXT) == Rendered(b'{"a": 1.10}', "application/json", AS_HEADER)
    assert render('{"a": 1.10}', headers={"date": "today"}).headers == {}


@pytest.mark.parametrize(
    ("text", "content_type"),
    [
        ("[1, 2]", "application/json"),
        ("null", "application/json"),
        ("id\n1\n", "text/csv"),
        ('{"n": 1}\n{"n": 2}\n', "application/x-ndjson"),
    ],
)
def test_what_is_wrapped_anyway_has_its_headers_beside_it(text: str, content_type: str) -> None:
    """Finding O-8, W-27: the next page of a list stands where a model reads it, and only if there is one."""
    told, plain = render(text, content_type, headers=NEXT), render(text, content_type)
    assert orjson.loads(told.body) == {**orjson.loads(plain.body), "headers": TOLD}
    assert told.headers == plain.headers == {}


def test_a_long_number_beside_headers_keeps_its_digits() -> None:
    """Finding W-27: the list is spliced in, whatever stands beside it."""
    assert (
        b'"result":[12345678901234567890123, 1.10],'
        in render("[12345678901234567890123, 1.10]", headers=NEXT).body
    )


def test_files_and_cut_answers_tell_their_headers_too() -> None:
    """Finding O-8: a list too long to read is the one whose pages matter most; an export has its total."""
    cut = Answered(200, "application/json", NEXT, TextBody("[1,2,", total_bytes=9000))
    file = Answered(200, "application/pdf", NEXT, FileBody("u1/f1", 70))
    for answered in (cut, file):
        assert orjson.loads(rendered(answered).body)["headers"] == TOLD
    image = Answered(200, "image/png", NEXT, FileBody("u1/f1", 70))
    assert rendered(image).headers == AS_HEADER
    page = {"content-disposition": "inline", **NEXT}
    assert ANSWER_HEADERS in render("<p>", "text/html", headers=page, inline=True).headers


def test_a_long_link_of_an_answer_without_a_body_is_whole() -> None:
    """Finding O-8: it was cut after 500 characters, and led elsewhere."""
    link = f"<https://a.example/{'x' * 900}>; rel=next"
    assert orjson.loads(render(None, status=204, headers={"link": link}).body)["headers"] == {"link": link}
