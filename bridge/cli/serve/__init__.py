"""`tool-bridge serve` and `demo`: their options, what a start checks, and what runs beside a demo."""
