"""The prose of a file, and its lines."""

import textwrap

from tests.house.words.prose import (
    Passage,
    passages_of_markdown,
    passages_of_python,
    passages_of_script,
)
from tests.house.words.rules import count_words, faults_of

LONG = f"Word{' word' * 35}."


def test_markdown_is_read_by_paragraphs_entries_and_cells() -> None:
    """A sentence ends with its paragraph: a list of short entries is not a long sentence."""
    page = """\
        # A heading
        First line,
        second line.

        - an entry
          on two lines
        - another

        | head | *cell* |
        |---|---|
        | a \\| b | [text](docs/a.md) |
        """
    assert read_markdown(page) == [
        (1, 1, "A heading"),
        (2, 3, "First line,\nsecond line."),
        (5, 6, "an entry\non two lines"),
        (7, 7, "another"),
        (9, 9, "head"),
        (9, 9, "cell"),
        (11, 11, "a \\| b"),
        (11, 11, "text"),
    ]


def test_code_addresses_comments_and_written_parts_are_no_prose_of_a_page() -> None:
    """Names of a program stay as they are, and a written part is mended at its source."""
    page = """\
        Run `nobody
        at all` or see <https://nobody.example/a b>.

        ```sh
        nobody
        ```
        <!-- nobody -->
        <!-- settings: network -->
        | nobody |
        <!-- end -->
        The end.
        """
    assert read_markdown(page) == [(1, 2, "Run CODE\n or see CODE b>."), (11, 11, "The end.")]


def test_docstrings_comments_and_messages_of_python_are_read() -> None:
    """People read them; what a program reads, and the data of tests, stays as it is."""
    code = '''\
        """First.

        Raises:
            ValueError: it is late.
        """
        import a  # trailing words

        # A comment
        # of two lines.
        MESSAGE = ("The page waits "
                   f"for {a} `b`.")
        KEY = "some_key"
        '''
    texts = [
        (1, 1, "First."),
        (3, 3, "Raises:"),
        (4, 4, "ValueError: it is late."),
        (10, 11, "The page waits for CODE CODE."),
        (6, 6, "trailing words"),
        (8, 9, "A comment\nof two lines."),
    ]
    assert read_python("bridge/a.py", code) == texts
    assert read_python("tests/a.py", code) == [each for each in texts if each[0] != 10]


def test_texts_of_the_page_and_comments_of_scripts_are_read() -> None:
    """Both forms of a counted text are shown, and what programs read; texts in tests of the page are data."""
    shown = {
        "keys": [["One call|{0} calls", 3, 4]],
        "sentences": [["its_code", "The page says so.", 5, 6]],
        "bare": [["The worker says so.", 7, 0, 9]],
        "comments": [["*\n * First line.\n * @param {string} name whose\n ", 9]],
    }
    comments = [(10, 10, "First line."), (11, 11, "@param {string} name whose")]
    texts = [(3, 4, "One call"), (3, 4, "{0} calls"), (5, 6, "The page says so.")]
    assert read_script("static/a.js", shown) == [*texts, (7, 7, "The worker says so."), *comments]
    assert read_script("tests/page/a.test.js", shown) == comments


def test_a_fault_stands_on_its_lines() -> None:
    """An old sentence may stay beside a new one of the same paragraph."""
    passage = Passage("docs/a.md", 10, 12, f"One.\nTwo. {LONG}\nNo user, nobody.")
    faults = {fault.name: fault for fault in faults_of(passage)}
    assert sorted(faults) == ["long sentence", "nobody"]
    long, phrase = faults["long sentence"], faults["nobody"]
    assert passage.line_at(long.start) == 11
    assert list(passage.lines(long.start, long.end)) == [11]
    assert list(passage.lines(phrase.start, phrase.end)) == [12]


def test_a_message_is_new_as_a_whole() -> None:
    """Its pieces stand on several lines of a file, and are read as one."""
    passage = Passage("bridge/a.py", 3, 5, "Nobody can say on which line this stands.")
    assert list(passage.lines(0, 6)) == [3, 4, 5]
    assert passage.line_at(20) == 3


def test_sentences_are_counted_in_words() -> None:
    """Thirty-five words are one breath; a list of names in code is read at a glance."""
    fits = LONG.replace(" word", "", 1)
    assert [fault.name for fault in faults_of(Passage("docs/a.md", 1, 1, f"{fits} {fits}"))] == []
    assert [fault.name for fault in faults_of(Passage("docs/a.md", 1, 1, LONG))] == ["long sentence"]
    assert count_words("Set CODE, CODE, CODE or CODE - at last.") == 4


def test_sentences_of_comments_are_not_counted() -> None:
    """They often are a list of reasons beside code."""
    assert not list(faults_of(Passage("bridge/a.py", 1, 1, LONG, has_sentences=False)))


def read_markdown(page: str) -> list[tuple[int, int, str]]:
    return [_shown(passage) for passage in passages_of_markdown("docs/a.md", textwrap.dedent(page))]


def read_python(file: str, code: str) -> list[tuple[int, int, str]]:
    return [_shown(passage) for passage in passages_of_python(file, textwrap.dedent(code))]


def read_script(file: str, shown: dict[str, list[list[str | int]]]) -> list[tuple[int, int, str]]:
    return [_shown(passage) for passage in passages_of_script({"file": file, **shown})]


def _shown(passage: Passage) -> tuple[int, int, str]:
    return passage.first, passage.last, passage.text
