"""`bench/answers`: ten tasks that long answers are measured by."""

import pytest

from bench.answers.judge import Task, count_tokens, read_tasks
from bench.answers.measure import queried_of, whole_of

_TASKS = read_tasks()


@pytest.mark.parametrize("task", _TASKS, ids=lambda task: task.question)
def test_a_whole_answer_answers_its_question_and_its_beginning_does_not(task: Task) -> None:
    """Otherwise a model could be right without having read what it needs."""
    assert task.is_answered_by(task.text)
    assert not task.is_answered_by(task.text[:4096])


def test_the_tasks_are_of_samples_and_of_three_real_documents() -> None:
    """Answers of one API alone would measure its style."""
    assert len(_TASKS) == 10
    real = {task.document for task in _TASKS if task.document.startswith("shared/")}
    assert len(real) == 3
    assert {task.document for task in _TASKS} > real
    assert all(len(task.text) > 20_000 for task in _TASKS)


def test_a_fact_counts_in_the_digits_of_the_api_only() -> None:
    """A model that reads 24.1 for 24.10 was given another number than the API's."""
    task = next(task for task in _TASKS if task.operation == "getHistory")
    assert task.is_answered_by('{"kitchen":24.10,"living":23.70}', "[22.50]")
    assert not task.is_answered_by('{"kitchen":24.1,"living":23.7}', "[22.5]")


@pytest.mark.parametrize("task", _TASKS, ids=lambda task: task.question)
def test_with_a_query_a_model_reads_the_facts_in_a_third_of_the_tokens(task: Task) -> None:
    """Issue 41 wants 30 % at most: the outline, the query, and what it selects."""
    queried = queried_of(task)
    assert task.is_answered_by(*queried)
    assert count_tokens(*queried) <= 0.3 * count_tokens(whole_of(task))
