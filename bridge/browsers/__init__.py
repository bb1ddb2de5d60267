"""The user's browsers: their Socket.IO connections, the messages on them, and which page gets a call."""

from bridge.lazy_modules import withhold_module

with withhold_module("redis"):  # loaded wherever it is installed, for a manager that the bridge does not use
    import socketio as socketio
