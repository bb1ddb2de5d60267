"""Operations and how their requests are made: parameters, bodies, names of arguments, request plans.

Receives the path items of a document and gives, of each operation, what its arguments are and a plan by which
the page builds the request.
"""
