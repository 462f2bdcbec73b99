"""Competitive intelligence: fetch, quote, remember, brief, predict and grade, on the same memory.

Must not import incidents or repair, and must not state what no stored page says.
"""
