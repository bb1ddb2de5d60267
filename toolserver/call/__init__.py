"""One call: arguments in, results out.

Receives the text of arguments and gives what they are, or an error that names the argument; receives what an
API answered and gives what callers and models read.
"""
