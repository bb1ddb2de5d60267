"""What is kept of answers: records of items, markers that name them in texts, replay, pruning. Pure."""
