"""The user's browsers: their Socket.IO connections, the messages on them, and which page gets a call."""

import sys

if not {"redis", "socketio"} & sys.modules.keys():
    # python-socketio loads Redis's client wherever it is installed: a quarter of a second, for a manager that
    # the bridge does not use. A name that is None cannot be imported, which the package is prepared for.
    sys.modules["redis"] = None  # type: ignore[assignment]
    try:
        import socketio as socketio
    finally:
        del sys.modules["redis"]
