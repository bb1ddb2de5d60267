"""The user's browsers: their Socket.IO connections, the messages on them, and which page gets a call."""
