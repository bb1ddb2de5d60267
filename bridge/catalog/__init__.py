"""The catalog: each user's servers with their compiled documents, and the names of their tools."""
