"""Ten tasks of a model that reads long answers: questions, recorded answers, and what it must have read."""
