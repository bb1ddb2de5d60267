"""`/mcp`: the tools for clients of the Model Context Protocol, both eras, without sessions."""
