"""Whether a call would work: what `/readyz` looks at, and how it asks."""
