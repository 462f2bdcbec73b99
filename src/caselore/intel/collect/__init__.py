"""Brings pages in: folders, feeds and the web, each as text with exact offsets.

Must not judge what a page says.
"""
