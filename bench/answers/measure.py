"""`python -m bench answers`: what a model reads of ten long answers, whole and by outline and query."""

from __future__ import annotations

import json

from bench.answers.judge import Task, count_tokens, read_tasks
from bench.report import print_table
from toolserver.answer.answer_query import run_query
from toolserver.answer.answer_reading import read_answer
from toolserver.answer.outline import outline_of
from toolserver.answer.result import Answered, FileBody, QueriedText, TextBody, render_answer

CALL_ID = f"call_{'0' * 32}"
_READ_BYTES = 32 * 1024


def whole_of(task: Task) -> str:
    """What a model reads that is given the whole answer."""
    return _rendered(task, TextBody(task.text))


def queried_of(task: Task) -> list[str]:
    """What a model reads and writes that is given an outline and asks once."""
    read = read_answer(task.text, task.type)
    outline = QueriedText(outline=outline_of(read.value))
    stored = FileBody(f"user/{CALL_ID}.txt", len(task.text.encode()))
    body = TextBody("", total_bytes=stored.size_bytes, stored_file=stored, queried=outline)
    query = json.dumps({"call_id": CALL_ID, "select": task.asked})
    selected = run_query(task.asked, read.value, _READ_BYTES).decode()
    return [_rendered(task, body), query, f'{{"selected":{selected}}}']


def measure_answers() -> dict[str, object]:
    """Each task, in tokens at four characters each."""
    rows: list[tuple[object, ...]] = []
    for task in read_tasks():
        whole, queried = whole_of(task), queried_of(task)
        tokens = count_tokens(whole), count_tokens(*queried)
        facts = "yes" if task.is_answered_by(*queried) else "no"
        rows.append((task.question[:60], *tokens, f"{100 * tokens[1] / tokens[0]:.1f} %", facts))
    head = ["question", "tokens whole", "by query", "share", "facts found"]
    print_table("What a model reads of answers over 20 KB", head, rows)
    return {str(row[0]): row[1:] for row in rows}


def _rendered(task: Task, body: TextBody) -> str:
    rendered = render_answer(
        Answered(http_status=200, content_type=task.type, headers={}, body=body),
        call_id=CALL_ID,
        file_url=lambda _id: f"http://127.0.0.1:8765/files/{'x' * 100}",
        allow_inline_html=False,
    )
    return rendered.body.decode()
