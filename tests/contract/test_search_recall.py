"""What share of the operations that answer a question is among the first that a search finds."""

from bench.search.recall import measure_recall, own_questions, search_by, tools_of_file
from bridge.catalog.search.indexes import FusedIndex
from tests.real_documents.corpus import Corpus

RECALL_AT_10 = {"docker-engine": 80.5, "spoonacular": 65.0}
"""Percent on 2026-11-30, rounded down, of the ranking that was there when the questions were written."""


def test_questions_of_people_find_at_least_what_they_found_before(corpus: Corpus) -> None:
    """A better ranking for one API must not lose what another one's users find."""
    files = corpus.find("docker-engine.yaml", "spoonacular.json", whole=True)
    questions = own_questions()
    for document, file in files.items():
        tools = tools_of_file(file, document.name)
        index = FusedIndex([tool.operation for tool in tools])
        (recall,) = measure_recall(search_by(index, tools), questions[document.name], [10])
        assert recall >= RECALL_AT_10[document.name], document.name


def test_each_answer_of_a_question_is_an_operation(corpus: Corpus) -> None:
    """A mistyped id would be counted as never found."""
    files = corpus.find("docker-engine.yaml", "spoonacular.json", whole=True)
    ids = {
        (document.name, tool.operation.operation_id)
        for document, file in files.items()
        for tool in tools_of_file(file, document.name)
    }
    asked = [question for questions in own_questions().values() for question in questions]
    assert len(asked) == 60
    assert [answer for question in asked for answer in question.answers if answer not in ids] == []
