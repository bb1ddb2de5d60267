"""The arguments of a tool, as they are typed in a shell."""

import io
import re
from pathlib import Path
from typing import Any

import pytest

from bridge.cli.call_arguments import read_arguments
from bridge.cli.parser import WrongUsage
from toolserver.tool.file_argument import file_schema

SCHEMA: dict[str, Any] = {
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "maybe": {"type": ["boolean", "null"]},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "place": {"type": "object"},
        "anything": {},
        "numbers": {"type": "array", "items": {"type": "integer"}},
        "photo": file_schema(),
        "photos": file_schema(many=True),
    }
}


def arguments_of(*words: str, schema: dict[str, Any] | None = SCHEMA, stdin: str = "") -> dict[str, Any]:
    return read_arguments(words, schema, io.StringIO(stdin))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("name=12", {"name": "12"}),
        ("name=a=b", {"name": "a=b"}),
        ("name=", {"name": ""}),
        ("count=12", {"count": 12}),
        ("maybe=true", {"maybe": True}),
        ("maybe=null", {"maybe": None}),
        ("either=12", {"either": "12"}),
        ('place={"x": 1}', {"place": {"x": 1}}),
        ("anything=12", {"anything": "12"}),
        ("unheard_of=12", {"unheard_of": "12"}),
        ("name:=12", {"name": 12}),
        ('name:="@x"', {"name": "@x"}),
        ("numbers=1", {"numbers": [1]}),
        ("numbers=[1, 2]", {"numbers": [1, 2]}),
        ('{"name": "x", "count": 1}', {"name": "x", "count": 1}),
    ],
)
def test_the_schema_says_what_a_value_is(word: str, expected: dict[str, Any]) -> None:
    """A postal code of digits stays a text, and a number needs no other way to be written."""
    assert arguments_of(word) == expected


def test_without_a_schema_a_value_is_text() -> None:
    """A bridge whose tools are not known, or a tool that no document has."""
    assert arguments_of("count=1", "count2:=1", schema=None) == {"count": "1", "count2": 1}


def test_single_arguments_win_over_whole_objects_and_lists_grow() -> None:
    """A file of arguments is a template: what is typed beside it, before or after, is meant for this call."""
    assert arguments_of("count=2", '{"count": 1, "name": "x"}') == {"count": 2, "name": "x"}
    assert arguments_of("numbers=1", "numbers=2") == {"numbers": [1, 2]}


def test_values_come_from_files_and_from_standard_input(tmp_path: Path) -> None:
    """Long texts, objects and files are not typed."""
    text, value, photo = tmp_path / "text", tmp_path / "value.json", tmp_path / "cat.png"
    text.write_text("Grüße\n", encoding="utf-8")
    value.write_text('{"count": 3}', encoding="utf-8")
    photo.write_bytes(b"\x89PNG")
    sent = {"base64": "iVBORw==", "filename": "cat.png"}
    assert arguments_of(f"name=@{text}") == {"name": "Grüße\n"}
    assert arguments_of(f"place:=@{value}") == {"place": {"count": 3}}
    assert arguments_of(f"@{value}") == {"count": 3}
    assert arguments_of(f"photo=@{photo}") == {"photo": sent}
    assert arguments_of(f"photos=@{photo}", f"photos=@{photo}") == {"photos": [sent, sent]}
    assert arguments_of("-", stdin='{"count": 4}') == {"count": 4}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["count=x"], "count must be integer, written as JSON, not 'x'"),
        (["numbers=x"], "numbers must be integer"),
        (["naame=x"], "no argument 'naame'. Did you mean name?"),
        (["photo=cat.png"], "photo is a file: write photo=@FILE"),
        (["name=a", "name=b"], "name is given twice"),
        (["12"], "'12' is no argument; an argument is NAME=VALUE"),
        (["{"], "the arguments cannot be read as JSON"),
        (["name:=x"], "the value of name cannot be read as JSON"),
        (["@/nowhere/x"], "/nowhere/x cannot be read: No such file"),
        (["=x"], "is no argument"),
    ],
)
def test_what_cannot_be_used_is_told_before_anything_is_sent(words: list[str], told: str) -> None:
    """The bridge would say it in terms of JSON, which was not typed."""
    with pytest.raises(WrongUsage, match=re.escape(told)):
        arguments_of(*words)


def test_a_file_of_bytes_is_no_text(tmp_path: Path) -> None:
    """A picture given to an argument that takes text is a mistake."""
    path = tmp_path / "cat.png"
    path.write_bytes(b"\x89PNG")
    with pytest.raises(WrongUsage, match="UTF-8"):
        arguments_of(f"name=@{path}")
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(WrongUsage, match="must be a JSON object"):
        arguments_of(f"@{path}")
