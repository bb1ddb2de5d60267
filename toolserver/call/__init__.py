"""The data of one call: its arguments are parsed and validated, its result is rendered for callers.

Receives the text of arguments and gives their values, or an error that names the argument; receives what an
API answered and gives what callers and models read.
"""
