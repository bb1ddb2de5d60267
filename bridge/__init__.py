"""The running half of the Direct Tool Bridge: tool calls, browser pages, HTTP endpoints and stored data."""

__version__ = "0.1.0"
