"""Tokens of JSON pointers (RFC 6901)."""


def pointer_token(key: str) -> str:
    """`key` as one token of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def token_key(token: str) -> str:
    """The key that a token stands for."""
    return token.replace("~1", "/").replace("~0", "~")
