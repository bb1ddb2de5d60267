"""Budgets of users for models: what they have used, what it costs, whether another request may begin."""
