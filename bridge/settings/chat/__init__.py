"""Settings of the models' wing: providers, models, budgets, memory."""
