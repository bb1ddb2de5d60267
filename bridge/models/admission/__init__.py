"""Whether a request to a model may begin: budgets, prices, the queue."""
