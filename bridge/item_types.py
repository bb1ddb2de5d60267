"""Types of stored items that the database treats in a way of their own."""

WAITING_TYPE = "tool_bridge_waiting"
"""Type of a record which is not an item of a model: a turn that waits for its caller. Its id is derived from
a call's."""
