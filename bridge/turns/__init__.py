"""The model loop: a caller's request becomes rounds of a model and calls in the user's page, and one answer.

Everything between the two doors speaks in items and events of the Responses API, as the provider wrote them:
what a model said must go back to it verbatim, so that nothing here parses more than it must read.
"""
