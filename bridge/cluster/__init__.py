"""Several replicas: which of them a user's calls live in, and how the others reach it."""
