"""Tool calls for models without function calling, which write their calls into the text of an answer."""
