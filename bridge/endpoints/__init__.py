"""What clients speak to: one module or package for each API."""
