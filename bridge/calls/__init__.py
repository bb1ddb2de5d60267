"""The life of a tool call: admission, approval, dispatch, outcome; batches of calls."""
