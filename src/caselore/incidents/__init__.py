"""From a red job to a checked explanation out of confirmed memory.

Must not read storage but through the memory, and must not state what no evidence holds.
"""
