"""Reads the tools of MCP servers as operations, and plans their calls.

Receives the list of tools that a page read from a server and gives, for each tool, an operation whose
arguments are the tool's, and a plan by which the page calls it.
"""
