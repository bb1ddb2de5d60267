"""Several replicas, each a process, and what their loss costs."""
