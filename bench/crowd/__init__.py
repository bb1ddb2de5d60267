"""Many pages at the same time, in a process of their own."""
