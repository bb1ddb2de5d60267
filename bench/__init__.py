"""Benchmarks: ratios taken in one run on one machine. No test asserts a time.

`python -m bench` runs them all and prints tables for people and one JSON line for machines.
"""
