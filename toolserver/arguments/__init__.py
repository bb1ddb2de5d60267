"""Parses and validates the arguments of a call.

Receives the text of arguments and gives their values, or an error that names the argument.
"""
