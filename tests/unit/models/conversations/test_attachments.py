"""Files of messages: how they are kept, checked, numbered, and what a model gets of them."""

import base64
from typing import Any

import pytest

from bridge.errors import BridgeError
from bridge.models.agent.tools.arguments import name_files
from bridge.models.conversations.attachments import (
    MAX_ATTACHMENT_BYTES,
    MAX_ATTACHMENTS,
    MAX_TEXT_CHARS,
    Attachment,
    attachments_of,
    check_attachments,
    number_attachments,
    references_of,
    sent_items,
)
from bridge.models.conversations.local_messages import user_message
from bridge.models.conversations.message_schema import content_of
from bridge.models.conversations.window import TOKENS_PER_IMAGE, build_history, tokens_of


def file(name: str, mime: str, content: bytes) -> Attachment:
    return Attachment(name, mime, base64.b64encode(content).decode())


PNG = file("a.png", "image/png", b"\x89PNG")
TEXT = file("b.csv", "text/csv", "ä;b\n1;2".encode())
PDF = file("c.pdf", "application/pdf", b"%PDF-1")
ZIP = file("d.zip", "application/zip", b"PK\x00")


def parts_of(*files: Attachment, first: int = 1) -> list[Any]:
    message = user_message("conv-1", "Look", 1.0, files)
    [item] = sent_items(message, first)
    content = item["content"]
    assert isinstance(content, list)
    return content


def test_a_message_keeps_its_files_beside_its_text() -> None:
    """Its text is what its user wrote, and its files have their bytes and sizes."""
    message = user_message("conv-1", "Look", 1.0, [PNG, TEXT])
    assert content_of(message) == "Look"
    assert attachments_of(message) == [PNG, TEXT]
    assert [(each.content, each.size) for each in (PNG, TEXT)] == [(b"\x89PNG", 4), (TEXT.content, 8)]
    assert PNG.data not in repr(PNG)


def test_a_model_gets_images_documents_and_texts_in_the_forms_that_it_reads() -> None:
    """Of anything else it is told that it is there, and how a tool gets it."""
    text, *rest = parts_of(PNG, PDF, TEXT, ZIP)
    assert text == {"type": "input_text", "text": "Look"}
    kinds = [part["type"] for part in rest]
    assert kinds == ["input_text", "input_image", "input_text", "input_file", "input_text", "input_text"]
    assert rest[1]["image_url"] == f"data:image/png;base64,{PNG.data}"
    assert rest[3] == {
        "type": "input_file",
        "filename": "c.pdf",
        "file_data": f"data:application/pdf;base64,{PDF.data}",
    }
    assert "ä;b\n1;2" in rest[4]["text"]
    assert '{"url": "attachment:4"}' in rest[5]["text"]
    assert "not shown" in rest[5]["text"]


def test_a_long_text_is_cut_and_says_so() -> None:
    """A log file must not fill the context on its own without a word."""
    long = file("log.txt", "text/plain", b"x" * (MAX_TEXT_CHARS + 1))
    said = parts_of(long)[1]["text"]
    assert said.count("x") < MAX_TEXT_CHARS + 50
    assert f"first {MAX_TEXT_CHARS} characters" in said


def test_files_are_numbered_through_a_branch_whatever_the_window_shows() -> None:
    """A number that a tool is given means the same file in every round."""
    path = [user_message("conv-1", "a", 1.0, [PNG]), user_message("conv-1", "b", 2.0, [TEXT, ZIP])]
    numbers = number_attachments(path)
    assert [numbers[message.id] for message in path] == [1, 2]
    history = build_history("ann", path[1:], numbers)
    assert "attachment:2" in str(history[0].payload)
    assert "data" not in [part.get("type") for part in history[0].payload["content"]]  # type: ignore[union-attr]
    assert list(references_of(path)) == ["attachment:1", "attachment:2", "attachment:3"]


def test_an_argument_that_names_a_file_becomes_the_file() -> None:
    """In the text: digits of other numbers stay, and what only looks similar does too."""
    references = references_of([user_message("conv-1", "a", 1.0, [PNG, TEXT])])
    arguments = '{"file": {"url": "attachment:1"}, "id": 12345678901234567890, "note": "see attachment:1"}'
    named = name_files(arguments, references)
    assert f'"data:image/png;name=a.png;base64,{PNG.data}"' in named
    assert '"id": 12345678901234567890, "note": "see attachment:1"' in named
    assert name_files('{"a": "attachment:9"}', references) == '{"a": "attachment:9"}'


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ([PNG] * (MAX_ATTACHMENTS + 1), "invalid_request"),
        ([Attachment("x", "text/plain", "no base64!")], "invalid_request"),
        ([file("x", "text/plain", b"x" * (MAX_ATTACHMENT_BYTES + 1))], "too_large"),
        ([file("x", "text/plain", b"x" * MAX_ATTACHMENT_BYTES)] * 4, "too_large"),
    ],
)
def test_too_many_too_large_and_unreadable_files_are_refused(files: list[Attachment], code: str) -> None:
    """Before anything is stored."""
    with pytest.raises(BridgeError) as refused:
        check_attachments(files)
    assert refused.value.error.code == code


def test_files_count_in_the_window() -> None:
    """A text by its length, an image as one."""
    plain = tokens_of(user_message("conv-1", "Look", 1.0))
    assert tokens_of(user_message("conv-1", "Look", 1.0, [PNG])) == plain + TOKENS_PER_IMAGE
    assert tokens_of(user_message("conv-1", "Look", 1.0, [TEXT])) == plain + 1
