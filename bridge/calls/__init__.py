"""The life of a tool call: admission control, approval, dispatch to a page, outcome; batches of calls."""
