"""Peers and shared pieces for tests: fakes that implement the same ports as the real edges."""
