"""What documents cost: in the worker process, in a whole bridge, and beside `json.loads`."""
