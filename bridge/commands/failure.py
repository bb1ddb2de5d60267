"""How a command ends that could not do its work."""


class CommandFailed(Exception):
    """The command ends with status 1; the text says why and what to do."""
