"""Calls that a model without function calling writes into its text."""
