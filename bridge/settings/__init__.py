"""The operator's settings, from environment, command line and files, and built-in facts about models."""
