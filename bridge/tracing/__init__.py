"""Spans of requests, calls and model turns: their names, how they belong together, who hears of them.

Knows no library and no format. Whoever makes spans is given a `Tracer`, or None where nothing is traced; the
finished spans go to a `SpanSink`, which `bridge.telemetry` implements.
"""
