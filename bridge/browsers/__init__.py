"""Browsers at their Socket.IO connections, and which of them gets a call."""
