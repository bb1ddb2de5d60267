"""Servers of users, their documents compiled, and the names of their tools."""
