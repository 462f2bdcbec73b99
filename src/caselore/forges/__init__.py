"""Forges: reads changes, pipelines and logs, and writes one comment; verifies webhooks.

Must not know memory, models, the rules of the repair loop, or the wording of a comment.
"""
