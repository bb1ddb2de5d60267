"""Answers as callers read them: outlines of long ones, and what queries select, made in child processes."""
