"""The live half of the Direct Tool Bridge: calls, browser pages, HTTP doors and what is kept."""

__version__ = "0.1.0"
