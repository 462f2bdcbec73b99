"""The MCP face: what a coding agent may ask of the memory, and the little that it may say."""
