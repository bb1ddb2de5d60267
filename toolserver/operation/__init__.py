"""Reads operations and plans their requests: parameters, bodies, names of arguments, request plans.

Receives the path items of a document and gives, for each operation, its arguments and a plan by which the
page builds the request.
"""
