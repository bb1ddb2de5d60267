"""Builds the request of one call, as the page does: method, URL, headers and body.

Receives a request plan and validated arguments and gives a `Request`, or an error that says why there is
none. For programs that call an API themselves. The bridge does not: its pages build their requests
(`static/request.js`).
"""
