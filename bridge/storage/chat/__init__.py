"""What the chat has beside conversations and their messages, such as providers of its models."""
