"""What a bridge counts and measures for Prometheus.

Each metric is declared in `instruments`; `docs/reference/metrics.md` says what they mean. Observers here are
told what happens and never wait; the values of labels are bounded.
"""
