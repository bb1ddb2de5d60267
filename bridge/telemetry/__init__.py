"""Traces of what a bridge does: spans of calls, and their way to a collector.

Only this package speaks OpenTelemetry, in `otlp_exporter`, which is loaded where traces are switched on.
"""
