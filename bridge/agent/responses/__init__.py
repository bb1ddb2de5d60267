"""The Responses protocol, from both sides."""
